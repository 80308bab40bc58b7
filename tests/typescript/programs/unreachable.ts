// An approval and a call, while the server is not there.
import { AskbackError, Client } from "@askback/client";

const ask = new Client({ thread_id: "unreachable", retry_for: 0.1 });
const decision = await ask.tryApprove("deploy", { to: "prod" });
const call = await ask.say("Hello?").catch((error: unknown) => (error as AskbackError).name);
console.log(JSON.stringify({ decision: decision.status, text: decision.text, call }));
