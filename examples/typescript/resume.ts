// Ask without waiting, and continue in any process: `node resume.js park`, then `node resume.js`.
import { Client } from "@askback/client";

const ask = new Client({ thread_id: "releases" });

if (process.argv[2] === "park") {
  await ask.park("deploy", { to: "production" }, { title: "Deploy", timeout_s: 86_400 });
} else {
  for await (const resume of ask.resumes.listen({ thread_id: "releases" })) {
    const decision = await ask.use(await ask.decision<{ to: string }>(resume.request));
    if (decision.approved) console.log(`Deploying to ${decision.input.to}.`); // never twice: the approval is used
    else console.log(decision.text);
    await ask.resumes.ack(resume);
    break;
  }
}
