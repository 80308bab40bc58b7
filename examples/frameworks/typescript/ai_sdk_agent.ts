// An agent of the Vercel AI SDK whose deployments a person approves, with a fake model.
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { model } from "./fake_model.js";
import { ask, deploy } from "./tools.js";

const result = await generateText({
  model,
  prompt: "Release it.",
  stopWhen: isStepCount(5),
  tools: {
    ask_user: tool({
      description: "Ask the person a question.",
      inputSchema: z.object({ question: z.string(), options: z.array(z.string()).optional() }),
      execute: ({ question, options }, { abortSignal }) => ask.ask(question, options, { signal: abortSignal }),
    }),
    deploy: tool({
      description: "Deploy the new version.",
      inputSchema: z.object({ to: z.string() }),
      execute: (input, { toolCallId }) => deploy(input, { tool_call_id: toolCallId }),
    }),
  },
});
console.log(result.text);
