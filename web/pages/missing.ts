import { say, speak } from "./page.ts";

speak();
document.title = `${say("missing")} – askback`;
