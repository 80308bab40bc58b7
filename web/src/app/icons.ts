import { draw, icons as elements } from "../elements/icons.ts";
import { crossIcon, tickIcon } from "../elements/statusicons.ts";

/** The drawings of the application, besides those of its places. */
export const placeIcons = {
  ...elements,
  cross: crossIcon,
  tick: tickIcon,
  search: draw("M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M15.500 15.500L21 21"),
  copy: draw("M9 9h11v11H9zM15 9V4H4v11h5"),
  more: draw("M4 7h16M4 12h16M4 17h16"),
  back: draw("M15 5l-7 7 7 7"),
};
