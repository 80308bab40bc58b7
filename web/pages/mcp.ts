/** The view of a request in a host of MCP Apps: the card, with a bridge to the host in place of a client of the server. */

import texts from "../../src/askback/messages/en.json?mcp&texts" with { type: "json" };
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
      if (patienceMs)
        setTimeout(() => {
          if (this.#calls.delete(id)) reject(new Error("The host did not answer."));
        }, patienceMs);
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

  /** Ask the host for something that it may refuse, by an error or by a result that says so. */
  async ask(method: string, params: Json): Promise<void> {
    const { isError } = await this.call(method, params);
    if (isError) throw new Error("The host refused.");
  }

  #post(message: Json): void {
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #receive({ id, method, params, result, error }: Json): void {
    if (typeof method === "string") {
      this.onMessage(method, (params ?? {}) as Json);
      if (id !== undefined) this.#post({ id, result: {} });
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
// While the call runs, the host may ask by itself: there is nothing to show.
card.hidden = true;
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
openPageButton.hidden = true;
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
/** The request to look at again, until it has ended. */
let followedId: string | undefined;
/** What the model knows of the requests that were open here. */
const states = new Map<string, "open" | "told">();
let pauseMs = LOOK_MS;

function relabel(): void {
  openPageButton.textContent = getText("mcp_open_page");
  notice.textContent = noticeText();
}

function notify(text: () => string): void {
  noticeText = text;
  relabel();
}

function open(url: string): void {
  host.ask("ui/open-link", { url }).catch(() => notify(() => getText("mcp_address", { url })));
}

openPageButton.onclick = () => open(pageUrl);

/** Put an answer in front of the model: its call has returned, and it goes on with a message of the person. */
function tellModel({ id, status }: InputRequest): void {
  if (!isTerminal(status)) return;
  if (followedId === id) followedId = undefined;
  const wasOpen = states.get(id) === "open";
  states.set(id, "told");
  // A request that nobody answered ends without a word of the person.
  if (!wasOpen || !["answered", "declined"].includes(status)) return;
  const content = [{ type: "text", text: getText("mcp_answered", { id }) }];
  // VS Code refuses a message while the person is writing one; this goes with that message.
  const add = (): Promise<void> => host.ask("ui/update-model-context", { content });
  host
    .ask("ui/message", { role: "user", content })
    .catch(add)
    .catch(() => {});
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
  if (isOpen && !states.has(id)) states.set(id, "open");
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
  followedId = id;
  card.hidden = false;
  await look(id).catch(() => showNone(() => getText("mcp_unshown")));
  if (followedId) setTimeout(follow, pauseMs);
}

/** Look again while the request is open, and the view is seen; less often while the host refuses. */
async function follow(): Promise<void> {
  if (followedId && !document.hidden)
    await look(followedId).then(
      () => {
        pauseMs = LOOK_MS;
      },
      () => {
        pauseMs = Math.min(2 * pauseMs, 60 * LOOK_MS);
      },
    );
  if (followedId) setTimeout(follow, pauseMs);
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
  if (method === "ui/resource-teardown") followedId = undefined;
  const isResult = method === "ui/notifications/tool-result";
  if (!isResult && method !== "ui/notifications/tool-cancelled") return;
  const { request_id, url } = (params.structuredContent ?? {}) as Json;
  if (typeof url === "string") pageUrl = url;
  if (typeof request_id === "string") void show(request_id);
  else if (!shown) showNone(() => getText("mcp_nothing"));
});
addEventListener("visibilitychange", () => {
  if (followedId && !document.hidden) look(followedId).catch(() => {});
});
const { hostContext } = await host
  .call("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "askback", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  })
  .catch((): Json => ({}));
await setContext((hostContext ?? {}) as Json);
host.notify("ui/notifications/initialized");
let reportedSize = "";
new ResizeObserver(() => {
  // The scroll height of the document would never be less than that of the frame; a list may hang over its card.
  const { width, height } = document.documentElement.getBoundingClientRect();
  const size = { width: Math.ceil(width), height: Math.ceil(height) + main.scrollHeight - main.clientHeight };
  const text = JSON.stringify(size);
  if (reportedSize === text) return;
  reportedSize = text;
  host.notify("ui/notifications/size-changed", size);
}).observe(document.documentElement);
