// One call of the client for each verb; prints what came of it as JSON.
import { Client, Denied, NotAnswered, Refused } from "@askback/client";

const [verb = "", thread = "", ...more] = process.argv.slice(2);
const ask = new Client({ thread_id: thread });
const ran: unknown[] = [];
const deploy = ask.requiresApproval("deploy", (input: { to: string }) => ran.push(input), { allow_edit: true });

const verbs: Record<string, () => Promise<unknown>> = {
  form: async () => (await ask.form({ fields: [{ type: "text", id: "topic", label: "Topic" }] })).values,
  ask: () => ask.ask("Which?", ["A", "B"]),
  confirm: () => ask.confirm("Sure?"),
  say: () => ask.say("Hello."),
  bad: () => ask.form({ fields: [{ type: "select", id: "s", options: [] }] }),
  deploy: () => deploy({ to: "prod" }),
  two: () => Promise.allSettled([deploy({ to: "prod" }), deploy({ to: "stage" })]),
  plan: async () => (await ask.approvePlan("# The plan")).status,
  decide: async () => (await ask.tryApprove("deploy", { to: "prod" })).status,
  secret: async () => {
    const found = await ask.secrets.request("DEPLOY_TOKEN", { reason: "To deploy." });
    if (!found.ready) return found.status;
    return ask.secrets.lease(found.names, {}, (lease) => {
      console.log(JSON.stringify(lease), String(lease.reveal("DEPLOY_TOKEN").length));
      return lease.environ().DEPLOY_TOKEN?.length;
    });
  },
  abort: async () => {
    const leaving = new AbortController();
    process.stdin.once("data", () => leaving.abort(new Error("left")));
    const asking = ask.ask("Still there?", undefined, { signal: leaving.signal });
    return asking.finally(() => process.stdin.destroy());
  },
  twice: () =>
    Promise.all([1, 2].map(() => ask.ask("Once?", undefined, { idempotency_key: "once" }))),
  later: async () => {
    const { ASKBACK_URL = "" } = process.env;
    Object.assign(process.env, { ASKBACK_URL: "", ASKBACK_DATA_DIR: "/nowhere" });
    const early = await ask.say("Hello?").catch((error: Error) => error.name);
    Object.assign(process.env, { ASKBACK_URL });
    await ask.say("Hello.");
    return early;
  },
  threads: async () => (await ask.call("get_thread", { thread_id: thread })).id,
};

try {
  console.log(JSON.stringify(await verbs[verb]?.()));
} catch (error) {
  const known = error instanceof Denied || error instanceof NotAnswered || error instanceof Refused;
  console.log(JSON.stringify({ name: known ? error.name : "Error", message: String((error as Error).message) }));
}
console.log(JSON.stringify(ran), more.join(" "));
