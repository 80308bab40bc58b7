import "../src/elements/define.ts";
import { $, connect, pathId, say, speak } from "./page.ts";

speak();
const thread = document.createElement("askback-thread");
thread.client = connect();
thread.thread = pathId();
$("name").textContent = pathId();
document.title = `${pathId()} – ${say("conversation")} – askback`;
$("main").append(thread);
