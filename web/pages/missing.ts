import { setTitle, showTexts } from "./words.ts";

await showTexts();
setTitle();
