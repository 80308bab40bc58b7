import { entitle, speak } from "./words.ts";

await speak();
entitle();
