import { keepTitle } from "./title.ts";
import { showTexts } from "./words.ts";

await showTexts();
keepTitle();
