import type { Client } from "../../client/client.ts";
import { newKey } from "../../client/key.ts";
import type { MarkdownTrees, Rich } from "../../core/generated/wire.ts";
import { escapeText, escapeTree } from "../approval/escapes.ts";
import { html, type Template } from "../html.ts";
import { drawTree } from "../markdown/rich.ts";
import type { Say } from "../text.ts";
import { drawBlock } from "./code.ts";
import { finished } from "./growing.ts";

/** What the server does not show as it is; it decides, this only saves calls. */
const MARKUP = /[*_`[\]<>#&\\\n|]|^\s*(?:[-+=~]|\d+[.)])|https?:|\t| {2,}/;
/** The most texts, and characters, of one call. */
const TEXTS = 100;
const CHARACTERS = 40_000;
/** Between two calls, while a text grows. */
const PAUSE_MS = 150;
/** A text that has not grown for so long is shown to its end. */
const CALM_MS = 400;

interface Latest {
  readonly text: string;
  readonly asked: string;
  readonly grows: boolean;
  readonly at: number;
}

/** Who shows the texts. */
interface Reader {
  readonly client: Client | undefined;
  readonly say: Say;
  redraw(): void;
}

/**
 * Texts of agents as Markdown, which the server parses.
 *
 * Of a text that grows the beginning is shown whose tree is there, so that nothing is shown as its markup and nothing that
 * was shown is taken away. Where there is no server to ask, or it does not answer, texts are shown as they were written.
 */
export class Markdown {
  /** By the text; null for one that is shown as it is. */
  readonly #trees = new Map<string, readonly Rich[] | null>();
  /** The text whose tree is shown at a place. */
  readonly #shown = new Map<string, string>();
  /** The text that was last drawn at a place, what of it was asked for, and when it had grown to that. */
  readonly #latest = new Map<string, Latest>();
  readonly #wanted = new Set<string>();
  #calling: Promise<void> | undefined;
  /** Whether the last call failed. */
  #isFailing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly reader: Reader) {}

  /** Resolves when the trees of these texts are there, or could not be had. */
  async read(texts: readonly string[]): Promise<void> {
    for (const text of texts) this.#want(text);
    while (this.#wanted.size > 0) await this.#call();
  }

  /** Draw the text at a place. */
  draw(place: string, text: string): Template {
    const before = this.#shown.get(place) ?? "";
    const asked = this.#ask(place, text, before);
    const isKnown = this.#trees.has(asked);
    if (isKnown && asked !== before) {
      this.#trees.delete(before);
      this.#shown.set(place, asked);
    }
    if (isKnown) return this.#draw(asked, this.#isFailing ? text.slice(asked.length) : "");
    void this.#call();
    if (!text.startsWith(before)) return this.#draw(text);
    return this.#draw(before, this.#isFailing ? text.slice(before.length) : "");
  }

  /** Note what is wanted of the text at a place, and return it: all of it, or what is finished while it grows. */
  #ask(place: string, text: string, before: string): string {
    const now = performance.now();
    const last = this.#latest.get(place);
    const isSame = text === last?.text;
    const at = isSame ? last.at : now;
    // What has just begun may grow as well, unless it was read before.
    const grew = isSame ? last.grows : text.startsWith(last?.text ?? "") && !this.#trees.has(text);
    const grows = grew && now - at < CALM_MS;
    const short = grows ? finished(text) : text;
    const asked = grows && short.length < before.length ? before : short;
    // What it was a moment ago nobody will see any more.
    if (last && last.asked !== asked) this.#wanted.delete(last.asked);
    this.#latest.set(place, { text, asked, grows, at });
    if (asked !== text) this.#timer ??= setTimeout(() => this.#lookAgain(), CALM_MS);
    this.#want(asked);
    return asked;
  }

  #lookAgain(): void {
    this.#timer = undefined;
    this.reader.redraw();
  }

  #draw(text: string, rest = ""): Template {
    const { say } = this.reader;
    const tree = this.#trees.get(text);
    if (!tree) return html`<div class="text">${escapeText(text + rest)}</div>`;
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
    try {
      if (!client) throw new Error();
      const { trees } = await client.post<MarkdownTrees>("/v1/markdown", { texts }, newKey());
      for (const [at, text] of texts.entries()) this.#trees.set(text, trees[at] ?? null);
      this.#isFailing = false;
      this.reader.redraw();
    } catch {
      // They are asked for again at the next drawing; the one that this causes is the only one.
      const isNew = !this.#isFailing;
      this.#isFailing = true;
      if (isNew) this.reader.redraw();
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
