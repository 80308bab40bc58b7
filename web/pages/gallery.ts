import address from "../examples.json?url";
import { WireError } from "../src/client/errors.ts";
import type { Person } from "../src/core/audience.ts";
import type { Answer, DecisionBody, InputRequest } from "../src/core/generated/wire.ts";
import { emptyThread, type Transcript } from "../src/core/transcript.ts";
import type { Body, SecretHandover, SubmitEvent } from "../src/elements/events.ts";
import type { Sender } from "../src/elements/kind.ts";
import { loadKinds } from "../src/elements/kinds.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { $, showTexts } from "./words.ts";
import "../src/elements/define.ts";

/** What the pretended server does with an answer: settle it, never reply, or refuse. */
type Reply = "settle" | "never" | { status: number; body?: unknown };

interface Example {
  id: string;
  title: string;
  request?: InputRequest;
  /** Shown through `<askback-thread>` instead. */
  transcript?: Partial<Transcript>;
  readonly?: boolean;
  modal?: boolean;
  /** The requests around it; it is one of them. */
  around?: InputRequest[];
  /** Who is signed in. */
  me?: Person;
  /** Sent as soon as it is drawn, to show the state that follows. */
  send?: boolean;
  reply?: Reply;
}

interface Group {
  title: string;
  examples: Example[];
}

/** What a decision would be kept as, once it has travelled; the rule of it has a made-up id. */
function decisionAnswer({ approval }: InputRequest, { rule, ...decision }: DecisionBody): Answer {
  const text = rule ?? approval?.rule;
  const storesRule = text && decision.scope !== undefined && decision.scope !== "once";
  return JSON.parse(
    JSON.stringify({ ...decision, rule: storesRule ? { id: "rul_example", text } : undefined }),
  );
}

/** What is told of secrets that were handed over: their names, those that were there before among them. */
const secretAnswer = ({ names, use_existing, scope }: SecretHandover): Answer => ({
  names: [...names, ...use_existing].sort(),
  scope,
  existing: [...use_existing],
});

function outcome(request: InputRequest, body: Body): Partial<InputRequest> {
  if ("outcome" in body) {
    const { outcome, reason } = body;
    return { status: "answered", answer: { outcome, reason }, source: "responder" };
  }
  if ("data" in body) return { status: "answered", answer: { data: body.data }, source: "responder" };
  if ("reason" in body) return { status: "declined", reason: body.reason };
  const answer =
    "values" in body
      ? { values: body.values }
      : "names" in body
        ? secretAnswer(body)
        : decisionAnswer(request, body);
  return { status: "answered", answer, source: "responder" };
}

function settle(card: AskbackRequest, event: SubmitEvent): void {
  const request = card.view.request;
  if (!request) return;
  const settlement = { settled_at: new Date().toISOString(), settled_by: { id: "you", name: "You" } };
  card.request = { ...request, ...settlement, ...outcome(request, event.body) };
}

function respond(card: AskbackRequest, event: SubmitEvent, reply: Reply): void {
  event.preventDefault();
  if (reply === "settle") settle(card, event);
  else if (reply !== "never") card.fail(new WireError(reply.status, reply.body));
}

/** Somebody who is signed in at no server: `respond` takes what is sent. */
const signedInAs = (me: Person): Sender => ({
  send: () => Promise.reject(new WireError(0)),
  post: <T>() => Promise.resolve({ results: [] } as T),
  whoami: () => Promise.resolve({ principal: me }),
});

function drawRequest(example: Example, request: InputRequest): AskbackRequest {
  const card = document.createElement("askback-request");
  card.headingLevel = 4;
  card.readonly = example.readonly ?? false;
  // Among others a dialog would make them inert.
  card.modal = example.modal === true && location.hash.length > 1;
  card.around = example.around;
  if (example.me) card.client = signedInAs(example.me);
  card.request = request;
  card.addEventListener("askback-submit", (event) => respond(card, event, example.reply ?? "settle"));
  return card;
}

function drawExample(example: Example): HTMLElement {
  if (example.transcript) {
    const thread = document.createElement("askback-thread");
    thread.transcript = { ...emptyThread("t1"), ...example.transcript };
    return thread;
  }
  if (!example.request) throw new Error(`example ${example.id} shows nothing`);
  return drawRequest(example, example.request);
}

function heading(level: "h2" | "h3", text: string): HTMLElement {
  const element = document.createElement(level);
  element.textContent = text;
  return element;
}

/** Draw all groups, or the one example that the address names after `#`. */
async function show(): Promise<void> {
  const groups: Group[] = await (await fetch(address)).json();
  const requests = groups.flatMap(({ examples }) => examples.flatMap(({ request }) => request ?? []));
  // No server checks what is sent here.
  await Promise.all([loadKinds(requests), import("../src/elements/rules/rules.ts")]);
  const shownId = location.hash.slice(1);
  const container = $("examples");
  container.replaceChildren();
  for (const group of groups) {
    const shownExamples = group.examples.filter((example) => !shownId || example.id === shownId);
    if (shownExamples.length > 0) container.append(heading("h2", group.title));
    for (const example of shownExamples) {
      const box = document.createElement("section");
      box.className = "example";
      box.id = `example-${example.id}`;
      const element = drawExample(example);
      box.append(heading("h3", example.title), element);
      container.append(box);
      if (example.send && element instanceof AskbackRequest)
        void element.updateComplete.then(() => element.submit({ focus: false }));
    }
  }
  container.dataset.ready = "";
}

await showTexts();
addEventListener("hashchange", () => void show());
void show();
