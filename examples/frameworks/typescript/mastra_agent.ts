// An agent of Mastra whose deployments a person approves, with a fake model.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { mastraModel as model } from "./fake_model.js";
import { ask, deploy } from "./tools.js";

const agent = new Agent({
  id: "releaser",
  name: "releaser",
  instructions: "Release the new version.",
  model,
  tools: {
    ask_user: createTool({
      id: "ask_user",
      description: "Ask the person a question.",
      inputSchema: z.object({ question: z.string(), options: z.array(z.string()).optional() }),
      execute: ({ question, options }) => ask.ask(question, options),
    }),
    deploy: createTool({
      id: "deploy",
      description: "Deploy the new version.",
      inputSchema: z.object({ to: z.string() }),
      execute: (input, context) => deploy(input, { tool_call_id: context.agent?.toolCallId }),
    }),
  },
});
const result = await agent.generate("Release it.", { maxSteps: 5 });
console.log(result.text);
