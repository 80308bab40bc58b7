// An agent that asks a person for two things and continues with the answer.
import { Client } from "@askback/client";

const ask = new Client(); // finds the server of this machine, or ASKBACK_URL and ASKBACK_TOKEN
const answer = await ask.form(
  {
    title: "Which report?",
    fields: [
      { type: "select", id: "format", label: "Format", options: ["PDF", "Word"], required: true },
      { type: "text", id: "topic", label: "Topic", required: true, max_length: 80 },
    ],
  },
  { thread_id: "reports" },
);
await ask.say("Thanks, writing it now.", { thread_id: "reports" });
console.log(answer.values);
