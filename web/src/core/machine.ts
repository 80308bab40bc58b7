/**
 * The state of the view of one request, as a pure function of its signals.
 *
 * loading → pending → submitting → answered | declined | cancelled | expired
 *             ↑           ├→ error   what was sent was refused, or tried in vain: it is asked again
 *             └ (typing)  └→ failed  nobody knows whether it arrived: retry with the same key
 *
 * The request's own status is the truth and the four ends absorb. `disabled` is laid over this: it
 * hides no change that comes meanwhile.
 */

import type { FieldError, InputRequest, Status } from "./generated/wire.ts";
import { isNewer, isTerminal } from "./lifecycle.ts";

type Phase =
  | "loading"
  | "pending"
  | "submitting"
  | "error"
  | "failed"
  | Exclude<Status, "pending" | "resolving">;
export type ViewState = Phase | "disabled";

/**
 * Whose submission is being checked or has settled the request, as far as this view knows: `here`, one of its own;
 * `elsewhere`, one that came while this view was open; `lost` as well, and one of its own was refused for that.
 */
export type Origin = "" | "here" | "elsewhere" | "lost";

/** `key` is the Idempotency-Key of the attempt whose outcome is unknown. */
export interface View {
  readonly phase: Phase;
  readonly request: InputRequest | null;
  readonly errors: readonly FieldError[];
  readonly summary: string | null;
  readonly key: string | null;
  readonly origin: Origin;
  readonly interactive: boolean;
}

export type Signal =
  /** A snapshot or an event brought this state of the request. */
  | { type: "request"; request: InputRequest }
  /** The person sends; `key` is new for every set of values, and the same again after `failed`. */
  | { type: "submit"; key: string }
  /** 2xx: the server took it and this is the request now. */
  | { type: "accepted"; request: InputRequest }
  /** 422, or the form's own check: what is wrong. */
  | { type: "refused"; errors: readonly FieldError[]; summary?: string | null }
  /** 409 or 410: it was settled otherwise, or changed; this is the request now. */
  | { type: "conflict"; request: InputRequest }
  /** No answer, 5xx or 429: the outcome is unknown. */
  | { type: "failed"; summary?: string | null }
  /** The person changes what could not be sent, or gives up sending it. It may have arrived all the same. */
  | { type: "discard" }
  | { type: "interactive"; on: boolean };

export const INITIAL: View = {
  phase: "loading",
  request: null,
  errors: [],
  summary: null,
  key: null,
  origin: "",
  interactive: true,
};

const OPEN_PHASES: readonly Phase[] = ["pending", "error", "failed"];

/** What the person sees. */
export function stateOf({ phase, interactive }: View): ViewState {
  return OPEN_PHASES.includes(phase) && !interactive ? "disabled" : phase;
}

/** What is happening to what was sent: it is on its way, or the requester looks at it. */
export const isUnderway = ({ request }: View): "checking" | "sending" =>
  request?.status === "resolving" ? "checking" : "sending";

/** Whether the person may type and send. */
export function isOpen({ phase, interactive }: View): boolean {
  return interactive && OPEN_PHASES.includes(phase);
}

/** Whether a submission of this view settled the request, as far as that is known. */
export const isOwn = ({ key, origin }: View): boolean =>
  origin === "here" || (key !== null && origin !== "lost");

/** Whether the person may decline: as long as it is open, and while an answer waits for its check. */
export const mayDecline = (view: View): boolean =>
  isOpen(view) || (view.interactive && view.request?.status === "resolving");

/** The view after one more signal; the same object when the signal changes nothing. */
export function reduce(view: View, signal: Signal): View {
  switch (signal.type) {
    case "interactive":
      return view.interactive === signal.on ? view : { ...view, interactive: signal.on };
    case "request":
      return adopt(view, signal.request);
    case "accepted":
      return conclude(adopt(view, signal.request), "here");
    case "conflict": {
      const nextView = adopt(view, signal.request);
      return view.key === null ? nextView : conclude(nextView, "lost");
    }
    case "submit":
      return isOpen(view)
        ? { ...view, phase: "submitting", errors: [], summary: null, key: signal.key }
        : view;
    case "refused":
      return view.phase === "submitting" || isOpen(view)
        ? { ...view, phase: "error", errors: signal.errors, summary: signal.summary ?? null, key: null }
        : view;
    case "discard":
      return view.phase === "failed" ? { ...view, phase: "pending", summary: null } : view;
    case "failed":
      // What is being checked has arrived, from wherever it came.
      return view.phase === "submitting" && view.request?.status !== "resolving"
        ? { ...view, phase: "failed", summary: signal.summary ?? null }
        : view;
  }
}

/**
 * The key stays while an attempt is open: only its response can say whose submission is checked, or has settled it.
 *
 * A response says nothing of what the reader may do in the thread, so that stays as well: were it lost, the event that
 * comes after the response would look like another reader's, and the view begin again. A vote changes neither what is
 * asked nor what the person is doing about it.
 */
function adopt(view: View, incoming: InputRequest): View {
  const { status, revision } = incoming;
  const current = view.request?.id === incoming.id ? view.request : null;
  if (current && !isNewer(incoming, current)) return view;
  const request = incoming.level || !current?.level ? incoming : { ...incoming, level: current.level };
  if (current?.status === status && current.revision === revision) return { ...view, request };
  const { field_errors: errors = [], error_summary: summary = null } = request;
  const nextView = { ...view, request, errors, summary, origin: originOf(view, current) };
  if (isTerminal(status)) return { ...nextView, phase: status as Phase };
  if (status === "resolving") return { ...nextView, phase: "submitting" };
  return { ...nextView, phase: errors.length > 0 || summary ? "error" : "pending", key: null, origin: "" };
}

/** What was open here, and no longer is without an attempt from here, was settled elsewhere. */
const originOf = ({ key, origin }: View, current: InputRequest | null): Origin =>
  key === null && current?.status === "pending" ? "elsewhere" : origin;

/**
 * The server has replied to the answer that was sent. With `here` it accepted the answer. With `lost` it did not: another
 * person was first, or the form has changed.
 */
function conclude(view: View, origin: "here" | "lost"): View {
  const isPending = view.request?.status === "pending";
  const phase = isPending && ["submitting", "failed"].includes(view.phase) ? "pending" : view.phase;
  return { ...view, phase, key: null, origin: isPending ? "" : origin };
}
