import { draw } from "./icons.ts";

/** That it is done, and that it is not. */
export const tickIcon = draw("M5 12.5l4.5 4.5L19 7.5");
export const crossIcon = draw("M6 6l12 12M18 6L6 18");
