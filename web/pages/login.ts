import { speak } from "./page.ts";

speak();
