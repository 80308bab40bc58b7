import { say, speak } from "./page.ts";

speak();
document.title = `${say("oauth_title")} – askback`;
