// Asks each form of a file of cases; prints ids and faults, and after a line on stdin the answers.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Client, type Form, Refused } from "@askback/client";

const cases: { id: string; form: Form }[] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const ask = new Client();
const outcomes: Record<string, unknown> = {};
for (const { id, form } of cases) {
  try {
    outcomes[id] = (await ask.requests.create({ kind: "form", thread_id: `v-${id}`, form })).id;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    outcomes[id] = error.fieldErrors;
  }
}
console.log(JSON.stringify(outcomes));
if (process.argv[3] === "wait") {
  await once(process.stdin, "data");
  const answers: Record<string, unknown> = {};
  for (const { id } of cases) answers[id] = (await ask.wait(String(outcomes[id]))).answer;
  console.log(JSON.stringify(answers));
  process.stdin.destroy();
}
