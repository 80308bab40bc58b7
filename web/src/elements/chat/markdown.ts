import type { Client } from "../../client/client.ts";
import { newKey } from "../../client/key.ts";
import type { MarkdownTrees, Rich } from "../../core/generated/wire.ts";
import { escapeText, escapeTree } from "../approval/escapes.ts";
import { html, type Template } from "../html.ts";
import { drawTree } from "../markdown/rich.ts";
import type { Say } from "../text.ts";
import { drawBlock } from "./code.ts";

/** What the server does not show as it is; it decides, this only saves calls. */
const MARKUP = /[*_`[\]<>#&\\\n|]|^\s*(?:[-+=~]|\d+[.)])|https?:|\t| {2,}/;
/** The most texts, and characters, of one call. */
const TEXTS = 100;
const CHARACTERS = 40_000;
/** Between two calls, while a text grows. */
const PAUSE_MS = 150;

/** Who shows the texts. */
interface Reader {
  readonly client: Client | undefined;
  readonly say: Say;
  redraw(): void;
}

/**
 * Texts of agents as Markdown, which the server parses.
 *
 * A text that grows keeps the tree of its beginning, and its end is plain, until the tree of all of it is there: nothing
 * that was shown is taken away meanwhile.
 */
export class Markdown {
  /** By the text; null for one that is shown as it is. */
  readonly #trees = new Map<string, readonly Rich[] | null>();
  /** The text whose tree is shown at a place. */
  readonly #shown = new Map<string, string>();
  /** The text that was last drawn at a place. */
  readonly #latest = new Map<string, string>();
  readonly #wanted = new Set<string>();
  #calling: Promise<void> | undefined;

  constructor(private readonly reader: Reader) {}

  /** Resolves when the trees of these texts are there, or could not be had. */
  async read(texts: readonly string[]): Promise<void> {
    for (const text of texts) this.#want(text);
    while (this.#wanted.size > 0) await this.#call();
  }

  /** Draw the text at a place. */
  draw(place: string, text: string): Template {
    const { say } = this.reader;
    const before = this.#shown.get(place) ?? "";
    // What it was a moment ago nobody will see any more.
    this.#wanted.delete(this.#latest.get(place) ?? "");
    this.#latest.set(place, text);
    this.#want(text);
    const known = this.#trees.get(text);
    if (known !== undefined) {
      if (before !== text) this.#trees.delete(before);
      this.#shown.set(place, text);
    } else void this.#call();
    const start = known === undefined && text.startsWith(before) ? before : text;
    const tree = this.#trees.get(start);
    if (!tree) return html`<div class="text">${escapeText(text)}</div>`;
    const rest = text.slice(start.length);
    return html`<div class="text rich">${drawTree(escapeTree(tree), say, (node) => drawBlock(node, say))}${rest && html`<p>${escapeText(rest)}</p>`}</div>`;
  }

  #want(text: string): void {
    if (this.#trees.has(text)) return;
    if (MARKUP.test(text)) this.#wanted.add(text);
    else this.#trees.set(text, null);
  }

  #call(): Promise<void> {
    this.#calling ??= this.#parse().finally(() => {
      this.#calling = undefined;
      if (this.#wanted.size > 0) void this.#call();
    });
    return this.#calling;
  }

  async #parse(): Promise<void> {
    const texts: string[] = [];
    let left = CHARACTERS;
    for (const text of this.#wanted) {
      left -= text.length;
      if (texts.length === TEXTS || (left < 0 && texts.length > 0)) break;
      texts.push(text);
      this.#wanted.delete(text);
    }
    const { client } = this.reader;
    if (!client) return;
    try {
      const { trees } = await client.post<MarkdownTrees>("/v1/markdown", { texts }, newKey());
      for (const [at, text] of texts.entries()) this.#trees.set(text, trees[at] ?? null);
      this.reader.redraw();
    } catch {
      // They are shown as they were written, and asked for again at the next drawing.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
