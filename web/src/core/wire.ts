/**
 * What travels: forms, requests, messages and events, as docs/reference/wire.md has them.
 *
 * The server leaves out what is null; readers treat absent and null alike.
 */

import type { Approval, Decided, Vote } from "./approval.ts";
import type { SecretAsk, SecretScope } from "./secret.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Values = Record<string, Json>;

/** One broken rule: `path` says where, `key` names the catalogue entry, `params` what its sentence names. */
export interface Fault {
  path: string;
  code: string;
  key: string;
  params: Record<string, unknown>;
}

/** A fault as the server sends it: already a sentence, in the reader's language. */
export interface FieldError {
  path: string;
  code: string;
  message: string;
}

export interface Option {
  value: string;
  label: string;
  description?: string | null;
  recommended?: boolean;
  style?: "default" | "primary" | "danger" | null;
}

interface FieldBase {
  id: string;
  label: string;
  description?: string | null;
  required?: boolean;
  placeholder?: string | null;
  validate_on_client?: boolean;
  /** Kept where nobody reads it: typed into a field that hides it, and never shown again. */
  sensitive?: boolean;
}

export interface TextField extends FieldBase {
  type: "text" | "textarea";
  min_length?: number | null;
  max_length?: number | null;
  pattern?: string | null;
  pattern_message?: string | null;
  default?: string | null;
}

export interface NumberField extends FieldBase {
  type: "number";
  min?: number | null;
  max?: number | null;
  step?: number | null;
  default?: number | null;
}

export interface BooleanField extends FieldBase {
  type: "boolean" | "checkbox";
  widget?: "switch" | "checkbox" | "confirm" | null;
  default?: boolean | null;
}

export interface SingleField extends FieldBase {
  type: "select" | "radio";
  options: Option[];
  allow_other?: boolean;
  widget?: "dropdown" | "buttons" | "confirm" | "chips" | null;
  default?: string | null;
}

export interface MultiField extends FieldBase {
  type: "multiselect";
  options: Option[];
  allow_other?: boolean;
  min_choices?: number | null;
  max_choices?: number | null;
  widget?: "checkboxes" | "chips" | "dropdown" | null;
  default?: string[] | null;
}

export interface MomentField extends FieldBase {
  type: "date" | "time" | "datetime";
  min?: string | null;
  max?: string | null;
  default?: string | null;
}

export type ChoiceField = SingleField | MultiField;
export type Field = TextField | NumberField | BooleanField | SingleField | MultiField | MomentField;
export type FieldType = Field["type"];

export interface Section {
  id: string;
  title?: string | null;
  description?: string | null;
  optional?: boolean;
  submit_label?: string | null;
  fields: Field[];
}

export interface Form {
  title?: string | null;
  description?: string | null;
  submit_label?: string | null;
  cancel_label?: string | null;
  allow_skip?: boolean;
  locale?: string | null;
  fields?: Field[] | null;
  sections?: Section[] | null;
  initial_values?: Values | null;
  completed_view?: { show_inputs?: boolean; summary_template?: string | null } | null;
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

/** Somebody who did something, or who is signed in; `user` is the host's own id of them. */
export interface Actor {
  id: string;
  name: string;
  user?: string;
  groups?: readonly string[];
}

/** What a person may do in a thread, the least first; see "Who may do what in a thread" in docs/reference/wire.md. */
export type Level = "none" | "view" | "prompt" | "all" | "owner";

/**
 * What a form was answered with, what was decided about an approval, or which secrets were given.
 *
 * Of a sensitive field and of a secret it holds no value. The names in `existing` were kept before;
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

/** What the server worked out for display; a null pattern is one that only the server decides. */
export interface Display {
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
  assignees?: string[] | null;
  delivery?: string;
  created_at: string;
  expires_at?: string | null;
  form?: Form | null;
  approval?: Approval | null;
  secret?: SecretAsk | null;
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
  /** A form's values that are being checked, or were sent back. */
  submitted?: Partial<Answer> | null;
  /** When the call that a person approved has run. */
  used_at?: string | null;
  /** Who took the approval back before the call has run. */
  revoked?: { at: string; by: Actor } | null;
  /** How long the same is not asked again, where a person refused it. */
  refusal?: { until: string; count: number } | null;
  /** What became of the submission that a reply is about. */
  submission?: "accepted" | "checking" | "reprompted" | "refused" | null;
  timeout_from?: string;
  shown_at?: string;
  escalated?: number;
  /** It waits in line for another with its key: nobody can answer it yet. */
  queued_behind?: boolean;
  exclusive_key?: string | null;
  assigned?: string[];
  /** Nobody waits for it any more. */
  detached?: boolean;
  /** What was wrong with what was sent before, when the same is asked again. */
  field_errors?: FieldError[];
  error_summary?: string | null;
  /** What the reader may do in the thread: it is not of the request, and put there by what lists it or reads the thread. */
  level?: Level | undefined;
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
  /** It is delivered when nothing is open any more. */
  held?: boolean;
  content: Block[];
}

/** What becomes of what a person writes while a request is open. */
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
/** Something of the whole thread has changed: what that leaves to this reader has to be read anew. */
export type WholeEvent = EventBase & { type: `thread.${"access" | "archived" | "unarchived" | "erased"}` };
export type ThreadEvent =
  | RequestEvent
  | WholeEvent
  | (EventBase & { type: "message.added" | "message.held"; message: Omit<Message, "seq"> & { seq?: number } })
  | (EventBase & { type: "message.delta"; delta: { id: string; text: string } });

/** What the reader may do in a thread from now on. */
export interface Shared {
  thread_id: string;
  level: Level;
}

/** The body of an error response. */
export interface ErrorBody {
  error: { code: string; message: string; field_errors?: FieldError[]; request?: InputRequest };
}

/** Every field of a form in the order shown, whether grouped or not. */
export function allFields(form: Form): Field[] {
  return form.sections ? form.sections.flatMap((section) => section.fields) : (form.fields ?? []);
}
