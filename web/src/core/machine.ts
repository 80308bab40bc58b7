/**
 * What a view of one request shows, as a pure function of what it was told.
 *
 * loading → pending → submitting → answered | declined | cancelled | expired
 *             ↑           ├→ error   the server or the form refused the values: they are kept
 *             └ (typing)  └→ failed  nobody knows whether it arrived: retry with the same key
 *
 * The request's own status is the truth and the four ends absorb. `disabled` and `offline` are
 * laid over this: they hide no change that comes meanwhile.
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

/** `key` is the Idempotency-Key of the attempt whose outcome is open; `elsewhere` says that somebody else was first. */
export interface View {
  readonly phase: Phase;
  readonly request: InputRequest | null;
  readonly errors: readonly FieldError[];
  readonly summary: string | null;
  readonly key: string | null;
  readonly elsewhere: boolean;
  readonly interactive: boolean;
  readonly offline: boolean;
}

export type Signal =
  /** A snapshot or an event brought this state of the request. */
  | { type: "request"; request: InputRequest }
  /** The person sends; `key` is new for every set of values. */
  | { type: "submit"; key: string }
  /** The person sends the same values again after `failed`. */
  | { type: "retry" }
  /** 2xx: the server took it and this is the request now. */
  | { type: "accepted"; request: InputRequest }
  /** 422, or the form's own check: what is wrong. */
  | { type: "refused"; errors: readonly FieldError[]; summary?: string }
  /** 409 or 410: it was settled otherwise, or changed; this is the request now. */
  | { type: "conflict"; request: InputRequest }
  /** No answer, 5xx or 429: the outcome is unknown. */
  | { type: "failed"; summary?: string }
  | { type: "interactive"; on: boolean }
  | { type: "offline"; on: boolean };

export const INITIAL: View = {
  phase: "loading",
  request: null,
  errors: [],
  summary: null,
  key: null,
  elsewhere: false,
  interactive: true,
  offline: false,
};

/** What the person sees. */
export function stateOf(view: View): ViewState {
  const open = view.phase === "pending" || view.phase === "error" || view.phase === "failed";
  return open && !view.interactive ? "disabled" : view.phase;
}

/** Whether the person may type and send. */
export function isOpen(view: View): boolean {
  return view.interactive && (view.phase === "pending" || view.phase === "error" || view.phase === "failed");
}

/** The view after one more signal; the same object when the signal changes nothing. */
export function next(view: View, signal: Signal): View {
  switch (signal.type) {
    case "interactive":
      return view.interactive === signal.on ? view : { ...view, interactive: signal.on };
    case "offline":
      return view.offline === signal.on ? view : { ...view, offline: signal.on };
    case "request":
      return adopt(view, signal.request);
    case "accepted":
      return { ...adopt(view, signal.request), key: null };
    case "conflict":
      return concede(view, adopt(view, signal.request));
    case "submit":
      return isOpen(view)
        ? { ...view, phase: "submitting", errors: [], summary: null, key: signal.key }
        : view;
    case "retry":
      return isOpen(view) && view.key !== null ? { ...view, phase: "submitting", summary: null } : view;
    case "refused":
      return refuse(view, signal.errors, signal.summary ?? null);
    case "failed":
      return view.phase === "submitting"
        ? { ...view, phase: "failed", summary: signal.summary ?? null }
        : view;
  }
}

/** The key stays when an attempt is open: whether the end is its own, only its response can say. */
function adopt(view: View, request: InputRequest): View {
  const current = view.request?.id === request.id ? view.request : null;
  if (current && !isNewer(request, current)) return view;
  const fresh = { ...view, request, errors: [], summary: null };
  if (isTerminal(request.status)) {
    return { ...fresh, phase: request.status as Phase, elsewhere: view.key === null };
  }
  return {
    ...fresh,
    phase: request.status === "resolving" ? "submitting" : "pending",
    key: null,
    elsewhere: false,
  };
}

/** What was sent was not taken: either somebody was first, or the form changed and is open again. */
function concede(before: View, after: View): View {
  if (before.key === null) return after;
  const ended = after.request !== null && isTerminal(after.request.status);
  const phase = after.request?.status === "pending" ? "pending" : after.phase;
  return { ...after, phase, elsewhere: ended, key: null };
}

function refuse(view: View, errors: readonly FieldError[], summary: string | null): View {
  if (view.phase !== "submitting" && !isOpen(view)) return view;
  return { ...view, phase: "error", errors, summary, key: null };
}
