// An agent that parks calls, and runs in any process what was approved; `ran` is a file with one line for each run.
import { appendFileSync } from "node:fs";
import { Client } from "@askback/client";

const [verb = "", thread = "", ran = "", ...targets] = process.argv.slice(2);
const ask = new Client({ thread_id: thread });

if (verb === "park") {
  for (const to of targets) await ask.park("deploy", { to }, { tool_call_id: `call-of-${to}`.padEnd(12, "-") });
  console.log("parked");
  process.stdin.resume(); // until it is killed
} else if (verb === "wait") {
  const answer = await ask.ask("Go on?", undefined, { idempotency_key: "wait" });
  appendFileSync(ran, `${answer}\n`);
} else if (verb === "again") {
  const decision = await ask.use(await ask.decision<{ to: string }>(targets[0] ?? ""));
  if (decision.approved) appendFileSync(ran, `${decision.input.to}\n`);
  console.log(decision.status);
} else {
  let left = targets.length;
  for await (const resume of ask.resumes.listen()) {
    const decision = await ask.use(await ask.decision<{ to: string }>(resume.request));
    if (decision.approved) appendFileSync(ran, `${decision.input.to}\n`);
    console.log(decision.status);
    if (verb === "die") {
      console.log("died");
      process.stdin.resume(); // the call has run, the resume is not acknowledged
      await new Promise(() => {});
    }
    await ask.resumes.ack(resume);
    left -= 1;
    if (left === 0) break;
  }
}
