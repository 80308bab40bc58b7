import { Template } from "./html.ts";

/** Make a drawing of one path. */
export const draw = (path: string): Template =>
  new Template([`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"></path></svg>`]);

/** Line drawings on a 24 px grid; each is beside a word with the same meaning. Those of one part are drawn there. */
export const icons = {
  clock: draw("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7.5V12l3 2"),
  warn: draw("M12 4L2.5 20h19zM12 10v4M12 17v.01"),
  agent: draw("M5 8h14v11H5zM12 8V4M9.5 13v1M14.5 13v1"),
};
