/**
 * Requests, messages and events as docs/reference/wire.md describes them.
 *
 * The server leaves out null; readers treat absent and null alike.
 */

import type { Actor } from "./actor.ts";
import type { Approval, Decided, Vote } from "./approval.ts";
import type { Form } from "./form.ts";
import type { Json, Values } from "./json.ts";
import type { SecretAsk, SecretScope } from "./secret.ts";

/** A fault as the server sends it: a sentence in the reader's language. */
export interface FieldError {
  path: string;
  message: string;
}

export type Status = "pending" | "resolving" | "answered" | "declined" | "cancelled" | "expired";

/** A node of a Markdown tree: a plain string is text, and never anything else. */
export type Rich =
  | string
  | {
      type: "p" | "em" | "strong" | "code" | "pre" | "ul" | "ol" | "li" | "br" | "a";
      children?: Rich[];
      href?: string;
    };

/** The access of a person to a thread, the least first; see "Who may do what in a thread" in docs/reference/wire.md. */
export type Level = "none" | "view" | "prompt" | "all" | "owner";

/**
 * The values of a form, the decision about an approval, or the names of secrets.
 *
 * It never contains the value of a sensitive field or of a secret. The names in `existing` were stored before;
 * `verified` is false where a probe of the server could not tell whether they work.
 */
export interface Answer extends Omit<Decided, "scope"> {
  scope?: Decided["scope"] | SecretScope;
  names?: string[];
  existing?: string[];
  verified?: boolean;
  values?: Values;
  other?: Record<string, boolean>;
}

/** What the server computes for display; null stands for a pattern that only the server checks. */
interface Display {
  patterns?: Record<string, string | null>;
  markdown?: Record<string, Rich[]>;
}

export interface InputRequest {
  id: string;
  kind: string;
  thread_id: string;
  run_id?: string | null;
  message_id?: string | null;
  tool_call_id?: string | null;
  agent?: { name: string; tool?: string | null } | null;
  requester?: Actor | null;
  traceparent?: string | null;
  assignees?: string[] | null;
  delivery?: "block" | "resume";
  auto_resume?: boolean;
  require_client?: "durable" | "wait" | "fail_fast";
  created_at: string;
  expires_at?: string | null;
  timeout_s?: number | null;
  timeout_from?: "created" | "shown";
  on_timeout?: "deny" | "expire" | "default" | "resume";
  escalation?: { after_s: number; assignees: string[] }[] | null;
  /** Only one request with this key is open in a thread. */
  exclusive_key?: string | null;
  form?: Form | null;
  approval?: Approval | null;
  secret?: SecretAsk | null;
  validator?: "requester" | null;
  view?: Display | null;
  status: Status;
  revision: number;
  answer?: Answer | null;
  source?: string | null;
  reason?: string | null;
  note?: string | null;
  settled_at?: string | null;
  settled_by?: Actor | null;
  votes?: Vote[];
  /** The values of a form that are being checked, or were sent back. */
  submitted?: Partial<Answer> | null;
  check?: Check | null;
  /** Seconds to the deadline, which stops while an answer is checked. */
  time_left_s?: number | null;
  /** When the approved call ran. */
  used_at?: string | null;
  /** Who revoked the approval before the call ran. */
  revoked?: { at: string; by: Actor } | null;
  /** Until when the server repeats a person's refusal instead of asking again. */
  refusal?: { until: string; count: number } | null;
  /** This is an earlier request, whose refusal is repeated. */
  repeated?: boolean;
  /** The outcome of the submission to which this reply belongs. */
  submission?: "accepted" | "checking" | "reprompted" | "refused" | null;
  shown_at?: string | null;
  /** No page was open yet on which somebody could see it. */
  unseen?: boolean;
  escalated?: number;
  /** Who may answer as well since a step of the escalation. */
  assigned?: string[];
  /** The outcome is queued for the requester. */
  queued?: boolean;
  /** It waits in line behind another with its `exclusive_key`: nobody can answer it yet. */
  queued_behind?: boolean;
  /** The requester has stopped waiting. */
  detached?: boolean;
  /** Why the last submission was sent back. */
  field_errors?: FieldError[];
  error_summary?: string | null;
  /** The reader's level in the thread, where the request came in a list or with its thread. */
  level?: Level | undefined;
}

/** Who checks an answer, since when and until when, and how often that was renewed. */
interface Check {
  state: "waiting" | "checking";
  since: string;
  until: string;
  by?: Actor | null;
  renewed?: number;
}

export type Block =
  | { type: "text"; text: string }
  | { type: "tool"; tool_call_id: string; name: string; input?: Json; status?: string | null }
  | { type: "image"; url: string; alt: string }
  | { type: "request"; request_id: string };

export interface Message {
  id: string;
  seq: number;
  role: "agent" | "user";
  author?: Actor | null;
  run_id?: string | null;
  at: string;
  /** It is delivered when no request is open any more. */
  held?: boolean;
  content: Block[];
}

/** What happens to a message that a person writes while a request is open. */
export type FreeText = "ignore" | "queue" | "cancel_pending" | "block_input" | "answer";

/** `GET /v1/threads/{id}`: events after `seq` bring it up to date. */
export interface ThreadSnapshot {
  id: string;
  seq: number;
  messages: Message[];
  requests: (InputRequest & { seq: number })[];
  access?: { level: Level } | undefined;
  free_text?: FreeText | undefined;
  archived_at?: string | undefined;
}

interface EventBase {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
}

export type RequestEvent = EventBase & {
  type: `request.${"created" | "lined_up" | "shown" | "voted" | "escalated" | "noted" | "detached" | "resolving" | "reprompted" | "answered" | "declined" | "cancelled" | "expired"}`;
  request: InputRequest;
};
/** The whole thread has changed: the reader has to load a new snapshot. */
export type WholeEvent = EventBase & { type: `thread.${"access" | "archived" | "unarchived" | "erased"}` };
export type ThreadEvent =
  | RequestEvent
  | WholeEvent
  | (EventBase & { type: "message.added" | "message.held"; message: Omit<Message, "seq"> & { seq?: number } })
  | (EventBase & { type: "message.delta"; delta: { id: string; text: string } });

/** A new level of the reader in a thread. */
export interface Shared {
  thread_id: string;
  level: Level;
}

/** The body of an error response. */
export interface ErrorBody {
  error: { code: string; message: string; field_errors?: FieldError[]; request?: InputRequest };
}
