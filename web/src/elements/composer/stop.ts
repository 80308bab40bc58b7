import type { Client } from "../../client/client.ts";
import { WireError } from "../../client/errors.ts";
import { newKey } from "../../client/key.ts";
import type { Run } from "../../core/generated/wire.ts";
import type { Transcript } from "../../core/transcript.ts";
import { html, type Template } from "../html.ts";
import { draw } from "../icons.ts";
import type { WarningHost } from "../secretwarning.ts";
import type { GetText } from "../text.ts";

const STOP_ICON = draw("M7 7h10v10H7z");

/** The element of the conversation, as the button uses it. */
export interface StopHost extends WarningHost {
  readonly client: Client | undefined;
  /** The id of the conversation. */
  readonly thread: string;
  readonly transcript: Transcript | undefined;
  /** The announcement for screen readers. */
  news: string;
}

/** Refusals that the next attempt would meet again. */
const PERMANENT_STATUSES = [403, 404, 409];

/** Say who works in a conversation; undefined if no run is open. An agent is known by what it has written. */
function describeWorkers(
  { runs = [], messages, requests }: Transcript,
  getText: GetText,
): string | undefined {
  const [agent, ...others] = new Set(runs.map((run) => run.agent));
  if (!agent) return undefined;
  if (others.length > 0) return getText("composer.working_many", { count: others.length + 1 });
  const authors = [...messages.map(({ author }) => author), ...requests.map(({ requester }) => requester)];
  const name = authors.findLast((author) => author?.id === agent)?.name;
  return name ? getText("composer.working", { agent: name }) : getText("composer.working_agent");
}

/** The line that says which agent works, with a button that stops it. */
export class Stop {
  #stopping = false;

  constructor(private readonly host: StopHost) {}

  draw(thread: Transcript): Template | undefined {
    const { root, getText } = this.host;
    const words = describeWorkers(thread, getText);
    if (words)
      return html`<div class="working">
        <span>${words}</span>
        <button type="button" id="stop" .onclick=${() => void this.#stop()}>${STOP_ICON}${getText("composer.stop")}</button>
      </div>`;
    // The button goes away, and the focus stays near.
    if (root.activeElement?.id === "stop") this.host.focusOn(".composer textarea");
    return undefined;
  }

  /** Return the announcement when an agent begins to work. */
  follow(before: Transcript, next: Transcript): string | undefined {
    return before.runs?.length ? undefined : describeWorkers(next, this.host.getText);
  }

  async #stop(): Promise<void> {
    const { host } = this;
    if (this.#stopping) return;
    this.#stopping = true;
    host.trouble = undefined;
    try {
      await Promise.all((host.transcript?.runs ?? []).map((run) => this.#end(run)));
      host.news = host.getText("composer.stopped");
    } catch (error) {
      const isPermanent = error instanceof WireError && PERMANENT_STATUSES.includes(error.status);
      host.trouble = () => host.getText(isPermanent ? "composer.stop_refused" : "composer.stop_failed");
    } finally {
      this.#stopping = false;
    }
  }

  async #end({ id }: Run): Promise<void> {
    const { client, thread } = this.host;
    const path = `/v1/threads/${encodeURIComponent(thread)}/runs/${encodeURIComponent(id)}/end`;
    await client?.post(path, { reason: "stopped", cancel: true }, newKey());
  }
}
