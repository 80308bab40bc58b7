import type { Client } from "../../client/client.ts";
import { newKey } from "../../client/key.ts";
import type { MarkdownTrees, Rich } from "../../core/generated/wire.ts";
import { escapeText, escapeTree } from "../approval/escapes.ts";
import { html, type Template } from "../html.ts";
import { drawTree } from "../markdown/rich.ts";
import type { GetText } from "../text.ts";
import { drawBlock } from "./code.ts";
import { finishedPart } from "./streamedtext.ts";

/** What the server does not show as it is; it decides, this only saves calls. */
const MARKUP = /[*_`[\]<>#&\\\n|]|^\s*(?:[-+=~]|\d+[.)])|https?:|\t| {2,}/;
/** The most texts, and characters, of one call. */
const TEXTS = 100;
const MAX_CHARACTERS = 40_000;
/** Between two calls, while a text grows. */
const PAUSE_MS = 150;
/** A text that has not grown for this long is shown in full. */
const QUIET_MS = 400;

interface Latest {
  readonly text: string;
  readonly requested: string;
  readonly isGrowing: boolean;
  readonly at: number;
}

/** Who shows the texts. */
interface Reader {
  readonly client: Client | undefined;
  readonly getText: GetText;
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
  readonly #shownTexts = new Map<string, string>();
  /** The text that was last drawn at a place, what of it was asked for, and when it had grown to that. */
  readonly #latest = new Map<string, Latest>();
  readonly #queue = new Set<string>();
  #calling: Promise<void> | undefined;
  /** Whether the last call failed. */
  #isFailing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly reader: Reader) {}

  /** Resolves when the trees of these texts are there, or could not be had. */
  async read(texts: readonly string[]): Promise<void> {
    for (const text of texts) this.#enqueue(text);
    while (this.#queue.size > 0) await this.#call();
  }

  /** Draw the text at a place. */
  draw(place: string, text: string): Template {
    const previousText = this.#shownTexts.get(place) ?? "";
    const requested = this.#requestText(place, text, previousText);
    const isKnown = this.#trees.has(requested);
    if (isKnown && requested !== previousText) {
      this.#trees.delete(previousText);
      this.#shownTexts.set(place, requested);
    }
    if (isKnown) return this.#draw(requested, this.#isFailing ? text.slice(requested.length) : "");
    void this.#call();
    if (!text.startsWith(previousText)) return this.#draw(text);
    return this.#draw(previousText, this.#isFailing ? text.slice(previousText.length) : "");
  }

  /** Note what is wanted of the text at a place, and return it: all of it, or what is finished while it grows. */
  #requestText(place: string, text: string, previousText: string): string {
    const now = performance.now();
    const latest = this.#latest.get(place);
    const isSame = text === latest?.text;
    const at = isSame ? latest.at : now;
    // What has just begun may grow as well, unless it was read before.
    const hasGrown = isSame
      ? latest.isGrowing
      : text.startsWith(latest?.text ?? "") && !this.#trees.has(text);
    const isGrowing = hasGrown && now - at < QUIET_MS;
    const finishedText = isGrowing ? finishedPart(text) : text;
    const requested = isGrowing && finishedText.length < previousText.length ? previousText : finishedText;
    // Its former state is no longer shown.
    if (latest && latest.requested !== requested) this.#queue.delete(latest.requested);
    this.#latest.set(place, { text, requested, isGrowing, at });
    if (requested !== text) this.#timer ??= setTimeout(() => this.#onTimer(), QUIET_MS);
    this.#enqueue(requested);
    return requested;
  }

  #onTimer(): void {
    this.#timer = undefined;
    this.reader.redraw();
  }

  #draw(text: string, unfinishedText = ""): Template {
    const { getText } = this.reader;
    const tree = this.#trees.get(text);
    if (!tree) return html`<div class="text">${escapeText(text + unfinishedText)}</div>`;
    return html`<div class="text rich">${drawTree(escapeTree(tree), getText, (node) => drawBlock(node, getText))}${unfinishedText && html`<p>${escapeText(unfinishedText)}</p>`}</div>`;
  }

  #enqueue(text: string): void {
    if (this.#trees.has(text)) return;
    if (MARKUP.test(text)) this.#queue.add(text);
    else this.#trees.set(text, null);
  }

  #call(): Promise<void> {
    this.#calling ??= this.#parse().finally(() => {
      this.#calling = undefined;
      if (this.#queue.size > 0) void this.#call();
    });
    return this.#calling;
  }

  async #parse(): Promise<void> {
    const texts: string[] = [];
    let remaining = MAX_CHARACTERS;
    for (const text of this.#queue) {
      remaining -= text.length;
      if (texts.length === TEXTS || (remaining < 0 && texts.length > 0)) break;
      texts.push(text);
      this.#queue.delete(text);
    }
    const { client } = this.reader;
    try {
      if (!client) throw new Error();
      const { trees } = await client.post<MarkdownTrees>("/v1/markdown", { texts }, newKey());
      for (const [index, text] of texts.entries()) this.#trees.set(text, trees[index] ?? null);
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
