// A page of your own application that shows one request of a server on another origin.
import { WireError } from "../../web/src/client/errors.ts";
import type { InputRequest } from "../../web/src/core/generated/wire.ts";
import "../../web/src/elements/define.ts"; // registers <askback-request> and <askback-thread>

/** What your own server tells the page: askback's URL, a token of this person, and the request to show. */
interface Setting {
  server: string;
  token: string;
  request: string;
}

const setting: Setting = await (await fetch("./askback.json")).json();

async function call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
  const headers: Record<string, string> = { Authorization: `Bearer ${setting.token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  const reply = await fetch(setting.server + path, init).catch(() => {
    throw new WireError(0); // the element keeps what was entered and sends it again
  });
  const answer = reply.status === 204 ? undefined : await reply.json();
  if (!reply.ok) throw new WireError(reply.status, answer);
  return answer;
}

const element = document.createElement("askback-request");
element.headingLevel = 2;
element.client = {
  send: (id, action, body, key) => call("POST", `/v1/requests/${id}/${action}`, body, key),
  get: (path) => call("GET", path),
  post: (path, body, key) => call("POST", path, body, key),
};
const news = document.createElement("p");
element.addEventListener("askback-settled", ({ status, own }) => {
  news.textContent = own ? `Thank you: ${status}.` : `Already ${status}.`;
});
document.querySelector("main")?.append(element, news);

const path = `/v1/requests/${encodeURIComponent(setting.request)}`;
let request = await call<InputRequest>("GET", path);
element.request = request;
while (request.status === "pending" || request.status === "resolving") {
  // A new state of the request updates what is shown, and keeps what the person has entered.
  const next = await call<InputRequest | undefined>("GET", `${path}?wait=25&revision=${request.revision}`);
  if (next) element.request = request = next;
}
