// An agent without a framework: `fetch` posts the messages to a model (`MODEL_URL`, chat completions), a loop runs its tools.
import { Denied } from "@askback/client";
import { ask, deploy } from "./tools.js";

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

const tools: Readonly<Record<string, (input: never, tool_call_id: string) => Promise<string>>> = {
  ask_user: ({ question, options }: { question: string; options?: string[] }) => ask.ask(question, options),
  deploy: (input: { to: string }, tool_call_id) => deploy(input, { tool_call_id }),
};

async function run({ id, function: { name, arguments: json } }: ToolCall): Promise<Message> {
  let content: string;
  try {
    content = (await tools[name]?.(JSON.parse(json) as never, id)) ?? `There is no tool ${name}.`;
  } catch (error) {
    if (!(error instanceof Denied)) throw error;
    content = error.message; // the sentence for the model: what happened, and what to do now
  }
  return { role: "tool", tool_call_id: id, content };
}

const messages: Message[] = [{ role: "user", content: "Release it." }];
for (;;) {
  const body = JSON.stringify({ model: "fake", messages, tools: Object.keys(tools) });
  const reply = await fetch(process.env.MODEL_URL ?? "", { method: "POST", body });
  const { choices } = (await reply.json()) as { choices: [{ message: Message }] };
  const said = choices[0].message;
  messages.push(said);
  if (!said.tool_calls) break;
  messages.push(...(await Promise.all(said.tool_calls.map(run)))); // several calls are asked at once
}
console.log(messages.at(-1)?.content);
