/** The view of a request in a host of MCP Apps: the card, with a bridge to the host in place of a client of the server. */

import texts from "../../src/askback/messages/en.json?mcp" with { type: "json" };
import { WireError } from "../src/client/errors.ts";
import type { InputRequest } from "../src/core/generated/wire.ts";
import { isTerminal } from "../src/core/lifecycle.ts";
import { addTexts, loadTexts, negotiate } from "../src/core/messages.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { type GetText, getTextIn, localeOf } from "../src/elements/text.ts";

type Json = Record<string, unknown>;

/** JSON-RPC with the host, which is the window around this one. */
class Host {
  readonly #calls = new Map<unknown, { resolve: (result: Json) => void; reject: (error: Error) => void }>();

  #lastId = 0;

  constructor(private readonly onMessage: (method: string, params: Json) => void) {
    addEventListener("message", ({ data, source }) => {
      if (source === parent && data?.jsonrpc === "2.0") this.#receive(data);
    });
  }

  notify(method: string, params: Json = {}): void {
    this.#post({ method, params });
  }

  call(method: string, params: Json): Promise<Json> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#post({ id, method, params });
    });
  }

  /** Call a tool that is for views only; raises the error of the server that it returns. */
  async tool(name: string, args: Json): Promise<Json> {
    const { structuredContent } = await this.call("tools/call", { name, arguments: args });
    const { status, error, ...reply } = (structuredContent ?? { status: 0, error: {} }) as Json;
    if (error) throw new WireError(Number(status), { error });
    return reply;
  }

  #post(message: Json): void {
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #receive({ id, method, params, result, error }: Json): void {
    if (typeof method === "string") {
      if (id === undefined) this.onMessage(method, (params ?? {}) as Json);
      else this.#post({ id, result: {} });
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error) call?.reject(new Error(String((error as Json).message)));
    else call?.resolve((result ?? {}) as Json);
  }
}

addTexts(texts);
customElements.define("askback-request", AskbackRequest);
const getText: GetText = (key, params) => getTextIn(localeOf(document.documentElement))(key, params);
const card = document.createElement("askback-request");
card.headingLevel = 1;
card.client = {
  send: async (id, action, body, key) => {
    const { request } = await host.tool("answer_in_view", {
      request_id: id,
      action,
      body: body as Json,
      key,
    });
    updateModelContext(request as InputRequest);
    return request as InputRequest;
  },
};
// A host may forbid forms to submit, which would keep the event from the card.
card.addEventListener("click", (event) => {
  const isSubmit = (target: EventTarget): boolean =>
    target instanceof HTMLButtonElement && target.type === "submit";
  if (!event.composedPath().some(isSubmit)) return;
  event.preventDefault();
  card.submit();
});
const openPageButton = document.createElement("button");
openPageButton.type = "button";
openPageButton.hidden = true;
const main = document.createElement("main");
main.append(card, openPageButton);
document.body.append(main);

/** Put an answer in front of the model: its call has returned, and it goes on with a message of the person. */
function updateModelContext(request: InputRequest): void {
  if (!isTerminal(request.status)) return;
  const text = getText("mcp_answered", { id: request.id });
  host.call("ui/message", { role: "user", content: [{ type: "text", text }] }).catch(() => {});
}

/** Show a request; what this view cannot answer is answered on a page. */
async function show(id: string, url: unknown): Promise<void> {
  const { request, here } = await host.tool("read_in_view", { request_id: id });
  card.readonly = !here;
  card.request = request as InputRequest;
  openPageButton.textContent = getText("mcp_open_page");
  openPageButton.hidden = here === true || isTerminal((request as InputRequest).status);
  openPageButton.onclick = () => void host.call("ui/open-link", { url }).catch(() => {});
}

async function setContext({ theme, locale }: Json): Promise<void> {
  if (typeof theme === "string")
    for (const element of [document.documentElement, card]) element.style.colorScheme = theme;
  if (typeof locale !== "string") return;
  const language = negotiate([locale]);
  await loadTexts(language);
  document.documentElement.lang = language;
  card.redraw();
}

const host = new Host((method, params) => {
  if (method === "ui/notifications/host-context-changed") void setContext(params);
  if (method !== "ui/notifications/tool-result") return;
  const { request_id, url } = (params.structuredContent ?? {}) as Json;
  if (typeof request_id === "string") void show(request_id, url).catch(() => {});
});
const { hostContext } = await host.call("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "askback", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline"] },
});
await setContext((hostContext ?? {}) as Json);
host.notify("ui/notifications/initialized");
new ResizeObserver(() => {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement;
  host.notify("ui/notifications/size-changed", { width, height });
}).observe(document.body);
