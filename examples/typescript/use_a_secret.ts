// Ask for a key and run a command that needs it; the model gets only its name.
import { execFileSync } from "node:child_process";
import { Client } from "@askback/client";

const ask = new Client({ thread_id: "deploys" });
const secrets = await ask.secrets.request("DEPLOY_TOKEN", { reason: "To deploy the site." });
console.log(secrets.text); // the sentence for the model: what happened, and what to do now
if (secrets.ready)
  await ask.secrets.lease(secrets.names, {}, (lease) => {
    const command = ["-c", 'echo "Deploying with a token of ${#DEPLOY_TOKEN} characters."'];
    console.log(execFileSync("sh", command, { env: lease.environ(), encoding: "utf8" }));
  });
