import { newKey } from "../../../client/key.ts";
import { isSame } from "../../../core/audience.ts";
import type { Comment, CommentList, InputRequest } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import { draftStore, loadDraftStore } from "../../../elements/loaddrafts.ts";
import type { PlaceElement } from "../../place.ts";

const DELETE_ICON = draw("M5 7h14M10 4h4M7 7l1 13h8l1-13");

/** Where the comment that is typed about a request is kept on this device. */
const keyOf = (request: string): string => `comment/${request}`;

/** What people write to each other about the open request; agents never read it. */
export class Comments {
  #request: InputRequest | undefined;
  #comments: readonly Comment[] = [];
  #text = "";
  /** What became of the comment that was sent or deleted. */
  #outcome = "";
  #stop: (() => void) | undefined;

  constructor(private readonly place: PlaceElement) {}

  /** Show the comments of another request, or of none. */
  open(request: InputRequest | undefined): void {
    const wasOpen = request?.id === this.#request?.id;
    this.#request = request;
    if (wasOpen) return;
    this.#stop?.();
    this.#comments = [];
    this.#text = this.#outcome = "";
    if (request) void this.#restore(request.id);
    this.#stop = request && this.place.app.client.follow(this.#follower(request.id));
  }

  close(): void {
    this.open(undefined);
  }

  /** Show what was typed about the request before and not sent; what is typed meanwhile stays. */
  async #restore(id: string): Promise<void> {
    await loadDraftStore(this.place.app.client);
    if (this.#request?.id !== id || this.#text) return;
    this.#text = draftStore?.readText(keyOf(id)) ?? "";
    this.place.redraw();
  }

  /** Store what is typed about a request, as soon as there is a store. */
  #keep(id: string): void {
    const text = this.#text;
    const write = (): void => draftStore?.writeText(keyOf(id), text);
    void (loadDraftStore(this.place.app.client)?.then(write) ?? write());
  }

  #follower(id: string) {
    const sync = async (): Promise<void> => {
      const { comments } = await this.place.app.client.get<CommentList>(this.#path(id));
      if (this.#request?.id !== id) return;
      this.#comments = comments;
      this.place.redraw();
    };
    return {
      sync,
      event: () => {},
      changed: (change: { what: string; request_id: string }) => {
        if (change.what === "comments" && change.request_id === id) sync().catch(() => {});
      },
      refused: () => {},
    };
  }

  #path(id: string, comment = ""): string {
    const path = `/v1/requests/${encodeURIComponent(id)}/comments`;
    return comment ? `${path}/${encodeURIComponent(comment)}` : path;
  }

  async #send(): Promise<void> {
    const id = this.#request?.id;
    const text = this.#text.trim();
    if (!id || !text) return;
    this.#outcome = "";
    try {
      const comment = await this.place.app.client.post<Comment>(this.#path(id), { text }, newKey());
      draftStore?.forget(keyOf(id));
      if (this.#request?.id !== id) return;
      const otherComments = this.#comments.filter((item) => item.id !== comment.id);
      this.#comments = [...otherComments, comment];
      this.#text = "";
      this.#outcome = this.place.getText("inbox.comment_sent");
    } catch {
      this.#outcome = this.place.getText("inbox.comment_failed");
    }
    this.place.redraw();
  }

  async #delete(comment: Comment): Promise<void> {
    const id = this.#request?.id;
    const { app, getText } = this.place;
    const confirmed = await app.confirm({
      title: getText("inbox.comment_delete"),
      text: comment.text,
      yes: getText("inbox.comment_delete_yes"),
      danger: true,
    });
    if (!confirmed || !id) return;
    try {
      await app.client.change("DELETE", this.#path(id, comment.id));
      if (this.#request?.id !== id) return;
      this.#comments = this.#comments.filter((otherComment) => otherComment.id !== comment.id);
      this.#outcome = getText("inbox.comment_deleted");
    } catch {
      this.#outcome = getText("app.not_done");
    }
    this.place.focusOn("#comment");
  }

  #drawComment(comment: Comment): Template {
    const { getText, app } = this.place;
    const { author, text, created_at } = comment;
    const isOwn = !!app.me && isSame(app.me, author);
    return html`<li>
      <p class="by"><b><bdi>${author.name}</bdi></b> <askback-time class="when" look="long" at=${created_at}></askback-time>
        ${isOwn && html`<button type="button" class="quiet icon-only" aria-label=${getText("inbox.comment_delete_yes")} title=${getText("inbox.comment_delete_yes")} .onclick=${() => void this.#delete(comment)}>${DELETE_ICON}</button>`}
      </p>
      <p class="said">${text}</p>
    </li>`;
  }

  draw(): Template | false {
    const { getText } = this.place;
    const request = this.#request;
    const canWrite = request?.level !== "view";
    if (!request || (!canWrite && this.#comments.length === 0)) return false;
    const oninput = (event: Event): void => {
      this.#text = (event.target as HTMLTextAreaElement).value;
      this.#keep(request.id);
      // `render` skips a value that equals the last drawn one, so the box can only be emptied if the text was drawn.
      this.place.redraw();
    };
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      void this.#send();
    };
    return html`<section class="comments" aria-labelledby="comments">
      <h3 id="comments">${getText("inbox.comments")}</h3>
      <p class="muted">${getText("inbox.comments_about")}</p>
      ${this.#comments.length > 0 && html`<ul>${this.#comments.map((comment) => this.#drawComment(comment))}</ul>`}
      ${
        canWrite &&
        html`<form .onsubmit=${onsubmit}>
          <textarea id="comment" rows="2" maxlength="2000" aria-label=${getText("inbox.comment")} placeholder=${getText("inbox.comment")} .value=${this.#text} .oninput=${oninput}></textarea>
          <button type="submit">${getText("inbox.comment_send")}</button>
        </form>
        <p role="status">${this.#outcome}</p>`
      }
    </section>`;
  }
}
