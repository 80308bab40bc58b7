// Two tools for a model, for every framework: a question, and a deployment that a person approves.
import { Client } from "@askback/client";

export const ask = new Client({ thread_id: "release" });

export const deploy = ask.requiresApproval(
  "deploy",
  async ({ to }: { to: string }) => {
    console.log(`Deploying to ${to}.`);
    return `Deployed to ${to}.`;
  },
  { title: "Deploy the new version", allow_edit: true, timeout_s: null },
);
