import { html, type Template } from "../../elements/html.ts";
import type { GetText } from "../../elements/text.ts";
import { keys } from "../keys.ts";

/** What a key does, by the end of its text `ui.app.key_{name}`. */
const KEY_NAMES = {
  next: "j, ↓",
  previous: "k, ↑",
  open: "Enter",
  select: "x",
  selection: "s",
  search: "/",
  close: "Escape",
  undo: "u",
  go_inbox: "g, i",
  go_conversations: "g, c",
  go_history: "g, h",
  help: "?",
} as const;
const ANSWER_KEYS = {
  allow: "a",
  allow_danger: "a, Enter",
  deny: "d",
  edit: "e",
  note: "n",
  choose: "1 – 9",
  send: "Enter",
} as const;
type KeyName = keyof typeof KEY_NAMES;

/** The keys of a place. */
export interface PlaceKeys {
  /** Those of the place itself; every place has Undo, the ways to the first places, and the help as well. */
  readonly list: readonly KeyName[];
  /** Whether requests are answered there. */
  readonly answers?: boolean;
}

/** All keys, as the settings show them. */
export const ALL_KEYS: PlaceKeys = {
  list: ["next", "previous", "open", "select", "selection", "search", "close"],
  answers: true,
};

/** Draw the switch of single-letter keys, and what the keys of a place do. */
export function drawKeys(getText: GetText, { list, answers }: PlaceKeys): Template {
  const draw = (rows: readonly (readonly [string, string])[]) =>
    html`<dl class="keys">${rows.map(
      ([name, key]) =>
        html`<div><dt>${key.split(", ").map((item) => html`<kbd>${item}</kbd> `)}</dt><dd>${getText(`app.key_${name}`)}</dd></div>`,
    )}</dl>`;
  const listed = [...list, "undo", "go_inbox", "go_conversations", "go_history", "help"] as const;
  return html`<label class="check"><input type="checkbox" .checked=${keys.enabled} .onchange=${(
    event: Event,
  ) => {
    keys.enabled = (event.target as HTMLInputElement).checked;
  }} />${getText("app.keys_on")}</label>
    ${draw(listed.map((name) => [name, KEY_NAMES[name]]))}
    ${answers && html`<h3>${getText("app.keys_request")}</h3>${draw(Object.entries(ANSWER_KEYS))}`}`;
}
