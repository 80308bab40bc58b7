/**
 * What a view of one request shows, as a pure function of what it was told.
 *
 * loading → pending → submitting → answered | declined | cancelled | expired
 *             ↑           ├→ error   what was sent was refused, or tried in vain: it is asked again
 *             └ (typing)  └→ failed  nobody knows whether it arrived: retry with the same key
 *
 * The request's own status is the truth and the four ends absorb. `disabled` is laid over this: it
 * hides no change that comes meanwhile.
 */

import { isTerminal } from "./lifecycle.ts";
import { isNewer } from "./revision.ts";
import type { FieldError, InputRequest, Status } from "./wire.ts";

type Phase =
  | "loading"
  | "pending"
  | "submitting"
  | "error"
  | "failed"
  | Exclude<Status, "pending" | "resolving">;
export type ViewState = Phase | "disabled";

/** `key` is the Idempotency-Key of the attempt whose outcome is open; `elsewhere` says that somebody else ended it. */
export interface View {
  readonly phase: Phase;
  readonly request: InputRequest | null;
  readonly errors: readonly FieldError[];
  readonly summary: string | null;
  readonly key: string | null;
  readonly elsewhere: boolean;
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
  | { type: "interactive"; on: boolean };

export const INITIAL: View = {
  phase: "loading",
  request: null,
  errors: [],
  summary: null,
  key: null,
  elsewhere: false,
  interactive: true,
};

const OPEN: readonly Phase[] = ["pending", "error", "failed"];

/** What the person sees. */
export function stateOf({ phase, interactive }: View): ViewState {
  return OPEN.includes(phase) && !interactive ? "disabled" : phase;
}

/** What is happening to what was sent: it is on its way, or the requester looks at it. */
export const underway = ({ request }: View): "checking" | "sending" =>
  request?.status === "resolving" ? "checking" : "sending";

/** Whether the person may type and send. */
export function isOpen({ phase, interactive }: View): boolean {
  return interactive && OPEN.includes(phase);
}

/** The view after one more signal; the same object when the signal changes nothing. */
export function next(view: View, signal: Signal): View {
  switch (signal.type) {
    case "interactive":
      return view.interactive === signal.on ? view : { ...view, interactive: signal.on };
    case "request":
      return adopt(view, signal.request);
    case "accepted":
      return take(adopt(view, signal.request));
    case "conflict":
      return concede(view, adopt(view, signal.request));
    case "submit":
      return isOpen(view)
        ? { ...view, phase: "submitting", errors: [], summary: null, key: signal.key }
        : view;
    case "refused":
      return view.phase === "submitting" || isOpen(view)
        ? { ...view, phase: "error", errors: signal.errors, summary: signal.summary ?? null, key: null }
        : view;
    case "failed":
      return view.phase === "submitting"
        ? { ...view, phase: "failed", summary: signal.summary ?? null }
        : view;
  }
}

/**
 * The key stays when an attempt is open: whether the end is its own, only its response can say.
 *
 * A response says nothing of what the reader may do in the thread, so that stays as well: were it lost, the event that
 * comes after the response would look like another reader's, and the view begin anew. A vote changes neither what is
 * asked nor what the person is doing about it.
 */
function adopt(view: View, told: InputRequest): View {
  const { status, revision } = told;
  const held = view.request?.id === told.id ? view.request : null;
  if (held && !isNewer(told, held)) return view;
  const request = told.level || !held?.level ? told : { ...told, level: held.level };
  if (held?.status === status && held.revision === revision) return { ...view, request };
  const { field_errors: errors = [], error_summary: summary = null } = request;
  const fresh = { ...view, request, errors, summary };
  if (isTerminal(status)) return { ...fresh, phase: status as Phase, elsewhere: view.key === null };
  const open = errors.length > 0 || summary ? "error" : "pending";
  return { ...fresh, phase: status === "resolving" ? "submitting" : open, key: null, elsewhere: false };
}

/** What was sent was taken: as the end, or as one vote of several. */
function take(view: View): View {
  const voted = view.request?.status === "pending" && view.phase === "submitting";
  return { ...view, phase: voted ? "pending" : view.phase, key: null };
}

/** What was sent was not taken: either somebody was first, or the form changed and is open again. */
function concede(before: View, after: View): View {
  if (before.key === null) return after;
  const status = after.request?.status;
  const phase = status === "pending" ? status : after.phase;
  return { ...after, phase, elsewhere: status !== undefined && isTerminal(status), key: null };
}
