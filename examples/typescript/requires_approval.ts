// A tool that runs only when the call was approved, and then with the arguments that were.
import { writeFile } from "node:fs/promises";
import { Client, Denied } from "@askback/client";

const ask = new Client({ thread_id: "files" });
const write = ask.requiresApproval(
  "write_file",
  async ({ path, content }: { path: string; content: string }) => {
    await writeFile(path, content);
    return `${path} has ${content.length} characters.`;
  },
  { allow_edit: true, timeout_s: 300 }, // five minutes, the default; after that it throws Denied
);

try {
  console.log(await write({ path: "hello.txt", content: "Hello!" }));
} catch (error) {
  if (!(error instanceof Denied)) throw error;
  console.log(error.message); // the sentence for the model: what happened, and what to do now
}
