// A model that asks for the version, deploys, and says "Done.", through the AI SDK's mock, and prints what it reads.
import type { MastraModelConfig } from "@mastra/core/llm";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";

export const TURNS = [
  ["ask_user", { question: "Which version?", options: ["1.4", "2.0"] }],
  ["deploy", { to: "production" }],
] as const;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
let turn = 0;

function next(prompt: readonly { content: unknown }[]) {
  console.log(JSON.stringify(prompt.at(-1)?.content));
  const call = TURNS[turn++];
  if (!call) return { finishReason: { unified: "stop", raw: "stop" }, usage } as const;
  const [toolName, input] = call;
  const part = { type: "tool-call", toolCallId: `call-of-turn-${turn}`, toolName } as const;
  const finishReason = { unified: "tool-calls", raw: "tool_calls" } as const;
  return { call: { ...part, input: JSON.stringify(input) }, finishReason, usage };
}

export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const { call, ...rest } = next(prompt);
    return { content: [call ?? { type: "text", text: "Done." }], ...rest, warnings: [] };
  },
  doStream: async ({ prompt }) => {
    const { call, ...rest } = next(prompt);
    const id = "text-1";
    const text = [
      { type: "text-start", id },
      { type: "text-delta", id, delta: "Done." },
      { type: "text-end", id },
    ] as const;
    const start = { type: "stream-start" as const, warnings: [] };
    const finish = { type: "finish", ...rest } as const;
    return { stream: simulateReadableStream({ chunks: [start, ...(call ? [call] : text), finish] }) };
  },
});

/** The same model: Mastra has a copy of its own of the AI SDK's types. */
export const mastraModel = model as unknown as MastraModelConfig;
