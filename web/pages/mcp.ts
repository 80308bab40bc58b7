/** The view of a request in a host of MCP Apps: the card, with a bridge to the host in place of a client of the server. */

import texts from "../../src/askback/messages/en.json?mcp" with { type: "json" };
import { WireError } from "../src/client/errors.ts";
import type { InputRequest } from "../src/core/generated/wire.ts";
import { isTerminal } from "../src/core/lifecycle.ts";
import { addTexts, loadTexts, negotiate } from "../src/core/messages.ts";
import type { ChangedProperties } from "../src/elements/element.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { type GetText, getTextIn, localeOf } from "../src/elements/text.ts";

type Json = Record<string, unknown>;

/** How long a tool may take, in milliseconds; the host may ask its person first whether it may be called. */
const TOOL_MS = 60_000;
/** The pause between two looks at an open request, which may be answered elsewhere. */
const LOOK_MS = 5_000;

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

  call(method: string, params: Json, patienceMs?: number): Promise<Json> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      if (patienceMs) setTimeout(() => reject(new Error("The host did not answer.")), patienceMs);
      this.#post({ id, method, params });
    });
  }

  /** Call a tool that is for views only; raises the error of the server that it returns. */
  async tool(name: string, args: Json): Promise<Json> {
    const { structuredContent } = await this.call("tools/call", { name, arguments: args }, TOOL_MS);
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

/** The card. A request that it cannot answer is not disabled, but answered on a page. */
class ViewRequest extends AskbackRequest {
  protected override willUpdate(changed: ChangedProperties): void {
    super.willUpdate(changed);
    const { getText } = this;
    this.getText = (key, params) => getText(key === "disabled" ? "mcp_elsewhere" : key, params);
  }
}

addTexts(texts);
customElements.define("askback-request", ViewRequest);
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
    tellModel(request as InputRequest);
    return request as InputRequest;
  },
};
card.addEventListener("click", (event) => {
  const path = event.composedPath();
  // The frame may open no windows.
  const link = path.find((target) => target instanceof HTMLAnchorElement)?.getAttribute("href");
  if (link && /^(https?|mailto):/.test(link)) {
    event.preventDefault();
    open(link);
  }
  // A host may forbid forms to submit, which would keep the event from the card.
  if (path.some((target) => target instanceof HTMLButtonElement && target.type === "submit")) {
    event.preventDefault();
    card.submit();
  }
});
const openPageButton = document.createElement("button");
openPageButton.type = "button";
const notice = document.createElement("p");
notice.role = "status";
const main = document.createElement("main");
main.append(card, openPageButton, notice);
document.body.append(main);

/** The page of the request. */
let pageUrl = "";
let noticeText = (): string => "";
/** The request that is shown, as JSON. */
let shown = "";
/** The request that was open here and has not ended yet. */
let openId: string | undefined;

function relabel(): void {
  openPageButton.textContent = getText("mcp_open_page");
  notice.textContent = noticeText();
}

function notify(text: () => string): void {
  noticeText = text;
  relabel();
}

function open(url: string): void {
  host.call("ui/open-link", { url }).catch(() => notify(() => getText("mcp_address", { url })));
}

openPageButton.onclick = () => open(pageUrl);

/** Put an answer in front of the model: its call has returned, and it goes on with a message of the person. */
function tellModel(request: InputRequest): void {
  if (!isTerminal(request.status) || openId !== request.id) return;
  openId = undefined;
  const text = getText("mcp_answered", { id: request.id });
  host.call("ui/message", { role: "user", content: [{ type: "text", text }] }).catch(() => {});
}

/** Show that there is no request, or none that can be read; it may be on its page. */
function showNone(text: () => string): void {
  card.hidden = true;
  openPageButton.hidden = !pageUrl;
  notify(text);
}

/** Show a request as it is now; what this view cannot answer is answered on a page. */
async function look(id: string): Promise<void> {
  const reply = await host.tool("read_in_view", { request_id: id });
  const request = reply.request as InputRequest;
  const isOpen = !isTerminal(request.status);
  if (isOpen) openId = id;
  tellModel(request);
  const text = JSON.stringify(reply);
  if (text === shown) return;
  shown = text;
  card.hidden = false;
  card.readonly = !reply.here;
  card.request = request;
  openPageButton.hidden = !isOpen || reply.here === true;
  notify(() => "");
}

async function show(id: string): Promise<void> {
  await look(id).catch(() => showNone(() => getText("mcp_unshown")));
  if (openId) setTimeout(follow, LOOK_MS);
}

/** Look again while the request is open, and the view is seen. */
async function follow(): Promise<void> {
  if (openId && !document.hidden) await look(openId).catch(() => {});
  if (openId) setTimeout(follow, LOOK_MS);
}

async function setContext({ theme, locale }: Json): Promise<void> {
  if (typeof theme === "string")
    for (const element of [document.documentElement, card]) element.style.colorScheme = theme;
  if (typeof locale !== "string") return;
  const language = negotiate([locale]);
  await loadTexts(language);
  document.documentElement.lang = language;
  card.redraw();
  relabel();
}

const host = new Host((method, params) => {
  if (method === "ui/notifications/host-context-changed") void setContext(params);
  const isResult = method === "ui/notifications/tool-result";
  if (!isResult && method !== "ui/notifications/tool-cancelled") return;
  const { request_id, url } = (params.structuredContent ?? {}) as Json;
  if (typeof url === "string") pageUrl = url;
  if (typeof request_id === "string") void show(request_id);
  else if (!shown) showNone(() => getText("mcp_nothing"));
});
addEventListener("visibilitychange", () => {
  if (openId && !document.hidden) look(openId).catch(() => {});
});
const { hostContext } = await host
  .call("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "askback", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  })
  .catch((): Json => ({}));
openPageButton.hidden = true;
await setContext((hostContext ?? {}) as Json);
host.notify("ui/notifications/initialized");
let reportedSize = "";
new ResizeObserver(() => {
  // The scroll height would never be less than that of the frame.
  const { width, height } = document.documentElement.getBoundingClientRect();
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  if (reportedSize === JSON.stringify(size)) return;
  reportedSize = JSON.stringify(size);
  host.notify("ui/notifications/size-changed", size);
}).observe(document.documentElement);
