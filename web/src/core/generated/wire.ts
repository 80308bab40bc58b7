/**
 * What the server sends and reads, made by scripts/gen_web.py from the models of the server.
 *
 * The server leaves out null and defaults: readers treat absent, null and undefined alike.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Other people or agents may use the thread. */
export interface AccessEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "thread.access";
  access: ThreadAccess;
}

/** `POST /v1/requests/{id}/answer` for an action: the revision that the person saw, and the outcome. */
export interface ActionAnswerBody {
  outcome: "done" | "failed";
  reason?: string | null | undefined;
  retry?: boolean | undefined;
  revision: number;
  languages?: string[] | null | undefined;
}

/** The token or session behind an action, by id and display name; `user` is the host's own id of the person. */
export interface Actor {
  id: string;
  name: string;
  user?: string | null | undefined;
  role?: "admin" | null | undefined;
}

/** A URL for a browser to open. */
export interface Address {
  url: string;
}

/** The agent's description of itself, shown next to the name of its token, which it cannot choose. */
export interface Agent {
  name: string;
  tool?: string | null | undefined;
}

/** Agents, newest first. */
export interface AgentPage {
  agents: AgentRecord[];
  next_cursor: string | null;
}

/** An agent; `user` is the host's id of the person it works for. */
export interface AgentRecord {
  id: string;
  name: string;
  user: string | null;
  created_at: string | null;
  created_by: Actor | null;
  stopped_at: string | null;
  roots: Root[];
}

/** The answer of a person or a rule: a form's cleaned `values` by field id, an approval's `decision`, or names. */
export interface Answer {
  values?: Record<string, Json> | undefined;
  other?: Record<string, boolean> | undefined;
  skipped?: Record<string, boolean> | undefined;
  shown?: ShownTexts | null | undefined;
  control?: string | null | undefined;
  decision?: ApprovalDecision | null | undefined;
  scope?: Scope | "session" | "global" | null | undefined;
  note?: string | null | undefined;
  edited_input?: Json | undefined;
  mode?: "plan" | "normal" | "accept_edits" | "full" | null | undefined;
  digest?: string | null | undefined;
  expires_at?: string | null | undefined;
  rule?: KeptRule | null | undefined;
  root?: string | null | undefined;
  policy_rule?: string | null | undefined;
  names?: string[] | undefined;
  existing?: string[] | undefined;
  verified?: boolean | null | undefined;
  outcome?: "done" | "failed" | null | undefined;
  reason?: string | null | undefined;
  data?: Json | undefined;
  text?: string | null | undefined;
  reasons?: string[] | undefined;
  reason_codes?: ReasonCode[] | undefined;
  result?: Json | undefined;
  message?: string | null | undefined;
  message_id?: string | null | undefined;
}

export type ApprovalDecision = "approve" | "deny";

/** A thread was archived, unarchived or erased; `by` is null if the server did it. */
export interface ArchiveEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "thread.archived" | "thread.unarchived" | "thread.erased";
  by: Actor | null;
}

/** Sentences for a model in place of the usual ones: for an answer, and for any decline. */
export interface AskTexts {
  answered?: string | null | undefined;
  declined?: string | null | undefined;
}

/** A person has assigned the request to `assignees`, or (null) back to the agent's assignees. */
export interface Assignment {
  assignees?: string[] | null | undefined;
  names?: string[] | null | undefined;
  by: Actor;
  at: string;
  number: number;
}

/** One attempt to deliver: the HTTP `status` of the reply, or a short `error`. */
export interface Attempt {
  at: string;
  status?: number | null | undefined;
  duration_ms: number;
  error?: string | null | undefined;
}

/** The first wrong entry, and why. */
export interface AuditBreak {
  seq: number;
  why: string;
}

/** Entries of the audit log, newest first, and names for the ids in them. */
export interface AuditEntries {
  entries: Record<string, Json>[];
  names: AuditNames;
  checked: number;
  checked_to: number | null;
  next_cursor: number | null;
}

/** The newest entry of the audit log. */
export interface AuditHead {
  seq: number;
  hash: string;
  seal: Seal;
}

/** Names by id: of agents, and the titles of threads. */
export interface AuditNames {
  agents: Record<string, string>;
  threads: Record<string, string>;
}

/** An entry: its seq and its hash. */
export interface AuditPoint {
  seq: number;
  hash: string;
}

/** A piece of the audit log that was verified: the entries after `start` up to `end`. */
export interface AuditVerification {
  start: AuditPoint;
  end: AuditPoint;
  head: AuditHead;
  checked: number;
  complete: boolean;
  broken: AuditBreak | null;
}

/** `POST /v1/requests/batch`: one decision for each listed request; no rule is stored. */
export interface BatchBody {
  action: "approve" | "deny" | "decline";
  requests: BatchItem[];
  reason?: "dismissed" | "refused" | null | undefined;
  note?: string | null | undefined;
}

/** One request of a batch, as the person saw it. */
export interface BatchItem {
  id: string;
  revision?: number | undefined;
  digest?: string | null | undefined;
}

/** The outcome for one request of a batch; `request` has its new state, without the form, approval or secret. */
export interface BatchResult {
  id: string;
  status: number;
  request?: InputRequest | null | undefined;
  error?: Problem | null | undefined;
}

/** The outcome for each request of a batch, in the order of the call. */
export interface BatchResults {
  results: BatchResult[];
}

/** Yes or no. Required means that it must be true, as for a consent. */
export interface Boolean {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "boolean";
  widget?: "switch" | "checkbox" | "confirm" | null | undefined;
  default?: boolean | null | undefined;
}

/** A browser session; `current` is the caller's own. */
export interface BrowserSession {
  id: string;
  name: string;
  user: string;
  device: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  current: boolean;
}

/** Built-in rules about one subject: `files`, `search`, `text`, `system`, `versions`, `git` or `tools`. */
export interface BuiltInGroup {
  name: string;
  rules: BuiltInRule[];
}

/** A rule of a built-in list; it allows. */
export interface BuiltInRule {
  rule: string;
  description: RuleDescription;
  active: boolean;
  usage?: RuleUsage | null | undefined;
}

/** The built-in rules, and the hard limits. */
export interface BuiltInRules {
  lists: string[];
  groups: BuiltInGroup[];
  limits: string[];
}

/** The calling principal. */
export interface Caller {
  id: string;
  name: string;
  role: string;
  user: string;
  groups: string[];
}

/** The check of an answer: who checks, the start and end of its phase, and how often the lease was renewed. */
export interface Check {
  state: "waiting" | "checking";
  since: string;
  until: string;
  by?: Checker | null | undefined;
  renewed?: number | undefined;
}

/** A single checkbox: a `Boolean` that is always shown as a box. */
export interface Checkbox {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "checkbox";
  default?: boolean | null | undefined;
}

/** The agent or the server's probe that checks. */
export interface Checker {
  id: string;
  name: string;
}

/** A person's comment on a request for other people. */
export interface Comment {
  id: string;
  author: Actor;
  text: string;
  created_at: string;
}

/** The comments of a request, oldest first. */
export interface CommentList {
  comments: Comment[];
}

/** The display of an answered form; `{field}` in `summary_template` is replaced by its value, or by nothing. */
export interface CompletedView {
  show_inputs?: boolean | undefined;
  summary_template?: string | null | undefined;
}

/** `{"field": ID}` with one of `is`, `is_not`, `in`, `provided`; or `all` or `any` with a list of such. */
export interface Condition {
  field?: string | null | undefined;
  is?: string | number | boolean | null | undefined;
  is_not?: string | number | boolean | null | undefined;
  in?: (string | number | boolean)[] | null | undefined;
  provided?: boolean | null | undefined;
  all?: Condition[] | null | undefined;
  any?: Condition[] | null | undefined;
}

/** A thread with its newest message, and its newest request if that came later. */
export interface Conversation {
  id: string;
  title?: string | null | undefined;
  metadata?: Json | undefined;
  answers_as_messages?: boolean | undefined;
  owner?: string | null | undefined;
  agents?: string[] | null | undefined;
  level: Level;
  pending: number;
  updated_at?: string | null | undefined;
  archived_at?: string | null | undefined;
  message?: LatestMessage | null | undefined;
  request?: InputRequest | null | undefined;
}

/** Conversations, sorted by last activity. */
export interface ConversationPage {
  conversations: Conversation[];
  next_cursor: string | null;
}

/** The caller; `session` is null for a token. `reported_approvals` says whether agents may report approvals. */
export interface CurrentSession {
  principal: Caller;
  session: BrowserSession | null;
  reported_approvals: boolean;
}

/** A calendar date, `YYYY-MM-DD`. */
export interface Date {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min?: string | null | undefined;
  max?: string | null | undefined;
  pattern?: string | null | undefined;
  default?: string | null | undefined;
  type: "date";
}

/** A date and time: RFC 3339 with an offset, or local with a zone (RFC 9557): `2026-11-20T09:00[Europe/Berlin]`. */
export interface Datetime {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min?: string | null | undefined;
  max?: string | null | undefined;
  pattern?: string | null | undefined;
  default?: string | null | undefined;
  type: "datetime";
  floating?: boolean | undefined;
}

/** `POST /v1/requests/{id}/answer` for an approval. */
export interface DecisionBody {
  revision: number;
  decision: ApprovalDecision;
  scope?: Scope | undefined;
  note?: string | null | undefined;
  edited_input?: Json | undefined;
  rule?: string | null | undefined;
  script_may_change?: boolean | undefined;
  every_agent?: boolean | undefined;
  grant_root?: boolean | undefined;
  digest?: string | null | undefined;
  mode?: "normal" | "accept_edits" | null | undefined;
  remember?: boolean | undefined;
  languages?: string[] | null | undefined;
}

/** `POST /v1/requests/{id}/decline`. Without `remember` the agent may ask the same again immediately. */
export interface DeclineBody {
  reason: "skipped" | "dismissed" | "refused";
  note?: string | null | undefined;
  remember?: boolean | undefined;
  values?: Record<string, Json> | null | undefined;
}

/** One message to a webhook; its receiver knows it as `message_id`. */
export interface Delivery {
  id: string;
  type: "resume" | "request.created" | "request.shown" | "request.voted" | "request.attempted" | "request.used" | "request.revoked" | "request.escalated" | "request.assigned" | "request.detached" | "request.resolving" | "request.reprompted" | "request.updated" | "request.answered" | "request.declined" | "request.cancelled" | "request.expired";
  message_id: string;
  state: "waiting" | "delivered" | "dead" | "obsolete";
  since: string;
  next_at?: string | null | undefined;
  attempts: Attempt[];
}

/** Deliveries, newest first. */
export interface DeliveryPage {
  deliveries: Delivery[];
  next_cursor: string | null;
}

/** A message has more text. */
export interface DeltaEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "message.delta";
  delta: MessageDelta;
}

/** A line of a unified diff: unchanged, added, removed, or the header of a hunk. */
export interface DiffLine {
  op: " " | "+" | "-" | "@";
  parts: (string | Escape)[];
}

/** The body of every reply that is not 2xx. */
export interface Error {
  error: Problem;
}

/** After `after_s` seconds without an answer, `notify` names people to notify, and `assign` more who may answer. */
export interface EscalationStep {
  after_s: number;
  notify?: string[] | undefined;
  assign?: string[] | undefined;
}

/** Invisible or misleading characters, as `\u202e` or `\u007f×12`, or with the text between them, as `a%7fb`. */
export interface Escape {
  escape: string;
}

/** A failed attempt of an action; `number` counts them. `code` is set if the server itself detected the failure. */
export interface FailedAttempt {
  number: number;
  at: string;
  reason?: string | null | undefined;
  code?: string | null | undefined;
  by?: Actor | null | undefined;
}

export type Field = Text | Textarea | Number | Boolean | Select | Multiselect | Checkbox | Radio | Date | Time | Datetime | File | Rows;

/** An error in one field of the previous submission, as text for the person. */
export interface FieldError {
  path: string;
  message: string;
}

/** A fault in a body, a query or an answer: its path, a code for programs, a sentence for people. */
export interface FieldProblem {
  path: string;
  code: string;
  message: string;
}

/** A warning about one value of an answer that was accepted. */
export interface FieldWarning {
  path: string;
  message: string;
  code: string;
}

/** A file that the person uploads; with `max_files` above 1, a list of files. */
export interface File {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "file";
  accept?: string[] | null | undefined;
  max_files?: number | null | undefined;
  max_bytes?: number | null | undefined;
  default?: null | undefined;
}

/** The files of a request that the caller may read, oldest first. */
export interface FileList {
  files: UploadedFile[];
}

/** A file of a message. Anyone who may read the message may download it. */
export interface FilePart {
  type: "file";
  file: FileValue;
  alt?: string | null | undefined;
}

/** A file in an answer. `type` is detected from its bytes, `sha256` is their digest in hexadecimal. */
export interface FileValue {
  id: string;
  name: string;
  size: number;
  type: string;
  sha256: string;
}

/** A question to a person: `fields` or `sections`, never both. */
export interface Form {
  title?: string | null | undefined;
  description?: string | null | undefined;
  format?: "markdown" | "plain" | undefined;
  submit_label?: string | null | undefined;
  cancel_label?: string | null | undefined;
  allow_skip?: boolean | undefined;
  layout?: "page" | "steps" | undefined;
  submit?: "form" | "first" | "each" | undefined;
  locale?: string | null | undefined;
  fields?: Field[] | null | undefined;
  sections?: Section[] | null | undefined;
  initial_values?: Record<string, Json> | null | undefined;
  completed_view?: CompletedView | null | undefined;
}

export type FreeText = "ignore" | "queue" | "cancel_pending" | "block_input" | "answer";

/** An image with an https or `data:image/…` URL, and its alternative text. Pages link to one of another server. */
export interface ImageBlock {
  type: "image";
  url: string;
  alt: string;
}

/** The result for a row: `added`, `known` (an equal rule is in force) or `refused`. */
export interface ImportedRow {
  outcome: "added" | "known" | "refused";
  rule?: string | null | undefined;
  id?: string | null | undefined;
  problems?: FieldProblem[] | undefined;
}

/** A request as the server shows it: the question, the current status, and the outcome. */
export interface InputRequest {
  id: string;
  kind: string;
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  ordinal?: number | null | undefined;
  of?: number | null | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: Agent | null | undefined;
  requester?: Actor | null | undefined;
  traceparent?: string | null | undefined;
  form?: Form | null | undefined;
  questions?: number | null | undefined;
  approval?: ShownApproval | null | undefined;
  secret?: ShownSecret | null | undefined;
  action?: ShownAction | null | undefined;
  data?: Record<string, Json> | null | undefined;
  summary?: string | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  on_timeout?: "expire" | "deny" | "default" | "resume" | "cancel" | null | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  repeat?: "refuse" | "ask" | undefined;
  texts?: AskTexts | null | undefined;
  validator?: string | null | undefined;
  view?: RequestView | null | undefined;
  created_at: string;
  expires_at?: string | null | undefined;
  status: Status;
  revision: number;
  answer?: Answer | null | undefined;
  source?: string | null | undefined;
  reason?: string | null | undefined;
  note?: string | null | undefined;
  refusal?: RememberedRefusal | null | undefined;
  submission?: "accepted" | "checking" | "reprompted" | "refused" | null | undefined;
  warnings?: FieldWarning[] | undefined;
  settled_at?: string | null | undefined;
  settled_by?: Actor | null | undefined;
  votes?: Vote[] | undefined;
  submitted?: Answer | null | undefined;
  submitted_by?: Actor | null | undefined;
  hooks?: ("decline" | "timeout")[] | undefined;
  held?: PendingEnd | null | undefined;
  declined_once?: boolean | undefined;
  updates?: number | undefined;
  notified?: string[] | undefined;
  attempt?: FailedAttempt | null | undefined;
  tried_until?: string | null | undefined;
  shown_at?: string | null | undefined;
  escalated?: number | undefined;
  assigned?: string[] | undefined;
  assignment?: Assignment | null | undefined;
  unseen?: boolean | undefined;
  detached?: boolean | undefined;
  check?: Check | null | undefined;
  time_left_s?: number | null | undefined;
  field_errors?: FieldError[] | undefined;
  error_summary?: string | null | undefined;
  queued?: boolean | undefined;
  queued_behind?: boolean | undefined;
  thread_title?: string | null | undefined;
  level?: Level | null | undefined;
  used_at?: string | null | undefined;
  revoked?: Revocation | null | undefined;
  repeated?: boolean | undefined;
}

/** The rule that a decision stored. */
export interface KeptRule {
  id: string;
  text: string;
}

/** The kinds of packages that the server has. */
export interface KindList {
  kinds: RegisteredKind[];
}

/** A person who has signed in or has a token; `id` is their id in `assignees` and in the `people` of a thread. */
export interface KnownPerson {
  id: string;
  name: string;
  groups: string[];
}

/** The author of the newest message of a conversation, and one line of it without markup. */
export interface LatestMessage {
  role: "agent" | "user";
  name?: string | null | undefined;
  at: string;
  text: string;
}

export type Level = "none" | "view" | "prompt" | "all" | "owner";

/** The reader's new level in a thread. */
export interface LevelChange {
  thread_id: string;
  level: Level;
}

/** Every size and count that is enforced, by name, and with a thread its usage. */
export interface LimitsReply {
  set_by: Record<string, "server" | "policy">;
  thread?: ThreadUsage | null | undefined;
}

/** The tree of each text, in order; None for a text without markup, which is shown unchanged. */
export interface MarkdownTrees {
  trees: (Rich[] | null)[];
}

/** A message of a thread. `held`: it is delivered once no request is open, and has no place yet. */
export interface Message {
  id: string;
  role: "agent" | "user";
  author?: Actor | null | undefined;
  agent?: Agent | null | undefined;
  run_id?: string | null | undefined;
  request_id?: string | null | undefined;
  metadata?: Json | undefined;
  at: string;
  held?: boolean | undefined;
  content: MessagePart[];
  seq: number;
}

/** More text at the end of the message `id`: in its last part if that is a text, else as a new part. */
export interface MessageDelta {
  id: string;
  text: string;
}

/** A message was delivered, or is held until no request is open. */
export interface MessageEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "message.added" | "message.held";
  message: UnplacedMessage;
}

export type MessagePart = TextBlock | ToolBlock | ImageBlock | RequestBlock | FilePart;

/** A change of the message `id`: `content` is added at its end, or a tool call has changed. */
export interface MessageUpdate {
  id: string;
  content?: MessagePart[] | null | undefined;
  tool_call?: ToolCallUpdate | null | undefined;
}

/** A message has new parts, or one of its tool calls has changed. */
export interface MessageUpdateEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "message.updated";
  update: MessageUpdate;
}

/** The agent's own messages for the rules of a field. A message needs its rule in the field. */
export interface Messages {
  required?: string | null | undefined;
  type?: string | null | undefined;
  min?: string | null | undefined;
  max?: string | null | undefined;
  step?: string | null | undefined;
  pattern?: string | null | undefined;
  min_length?: string | null | undefined;
  max_length?: string | null | undefined;
  min_choices?: string | null | undefined;
  max_choices?: string | null | undefined;
  options?: string | null | undefined;
}

/** Any of `options`, in the order of the options; the person's own texts come last. */
export interface Multiselect {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  options: Option[];
  options_from?: OptionsFrom | null | undefined;
  type: "multiselect";
  allow_other?: boolean | undefined;
  min_choices?: number | null | undefined;
  max_choices?: number | null | undefined;
  widget?: "checkboxes" | "chips" | "dropdown" | null | undefined;
  default?: (string | number)[] | null | undefined;
}

/** A new session, with the half of its key that the page keeps; the other half is the cookie. */
export interface NewSession {
  id: string;
  name: string;
  user: string;
  device: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  current: boolean;
  session: string;
}

/** A finite JSON number; `step` counts from `min` (from 0 without one); `pattern` is for its shortest text. */
export interface Number {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "number";
  min?: number | null | undefined;
  max?: number | null | undefined;
  step?: number | null | undefined;
  pattern?: string | null | undefined;
  default?: number | null | undefined;
}

/** The `op` of a frame. */
export type Operation = "batch_requests" | "create_request" | "list_requests" | "get_request" | "get_request_text" | "list_options" | "answer_request" | "decline_request" | "cancel_request" | "report_outcome" | "report_answer" | "check_submission" | "accept_submission" | "reprompt_request" | "update_request" | "ask_again" | "mark_shown" | "mark_answering" | "revoke_approval" | "consume_approval" | "report_execution" | "get_saved_scopes" | "list_files" | "delete_file" | "wait" | "unwait" | "assign_request" | "list_people" | "set_reminder" | "delete_reminder" | "list_reminders" | "list_comments" | "add_comment" | "delete_comment" | "list_conversations" | "render_markdown" | "list_missed" | "mark_seen" | "list_history" | "post_message" | "update_message" | "list_threads" | "get_thread" | "update_thread" | "get_thread_access" | "set_thread_access" | "start_run" | "list_runs" | "get_run" | "renew_run" | "end_run" | "cancel_run" | "archive_thread" | "unarchive_thread" | "export_thread" | "erase_thread" | "subscribe" | "unsubscribe" | "ping" | "pull_resumes" | "ack_resume" | "list_webhooks" | "update_webhook" | "test_webhook" | "delete_webhook" | "list_deliveries" | "redeliver" | "list_rules" | "create_rule" | "list_built_in_rules" | "try_rule" | "preview_rule" | "export_rules" | "import_rules" | "revoke_rule" | "get_policy" | "update_policy" | "get_audit_log" | "list_audit_entries" | "verify_audit_log" | "get_limits" | "reset_limits" | "rotate_secrets" | "list_secrets" | "get_secret_agents" | "set_secret_agents" | "grant_secret" | "revoke_secret" | "erase_secret" | "list_tokens" | "revoke_token" | "create_agent" | "list_agents" | "get_agent" | "stop_agent" | "grant_root" | "revoke_root" | "list_kinds" | "get_server";

/** One choice. On the wire a plain string means `{"value": s, "label": s}`. */
export interface Option {
  value: string | number;
  label: string;
  description?: string | null | undefined;
  recommended?: boolean | undefined;
  style?: "default" | "primary" | "danger" | null | undefined;
}

/** Options of a source. `next_cursor` is for the next page; it is absent on the last one. */
export interface OptionPage {
  options: SourceOption[];
  next_cursor?: string | null | undefined;
}

/** Options that the server gets from one of its sources, by name, as the person searches them. */
export interface OptionsFrom {
  source: string;
  tree?: boolean | undefined;
}

/** `POST /v1/requests/{id}/answer` for a kind of a package, which checks the data. */
export interface PackageAnswerBody {
  revision: number;
  data: Json;
}

/** An earlier call of an agent; `decision` is None if it ended without one or is open. */
export interface PastCall {
  request_id: string;
  thread_id: string;
  thread_title: string | null;
  agent: Actor;
  tool: string;
  headline: string;
  created_at: string;
  status: string;
  decision: ApprovalDecision | null;
  source: string | null;
  now: "deny" | "ask" | "allow";
  then: "deny" | "ask" | "allow";
}

/** A decline or a deadline that a hook decides about, before it counts. */
export interface PendingEnd {
  event: "decline" | "timeout";
  reason?: string | null | undefined;
  note?: string | null | undefined;
  remember?: boolean | undefined;
}

/** People, by id. */
export interface PersonPage {
  people: KnownPerson[];
  next_cursor: string | null;
}

/** There is something to read again: the comments of a request, or the reader's own reminders or missed requests. */
export interface PersonalChange {
  thread_id: string;
  request_id: string;
  what: "comments" | "conversation" | "reminder" | "seen";
}

/** The default policy and the conversation settings; see `docs/explanation/policy.md`. */
export interface PolicySettings {
  free_text?: FreeText | undefined;
  max_questions?: number | undefined;
  questions_window_s?: number | undefined;
  max_questions_text?: string | null | undefined;
  question_limits?: QuestionLimit[] | null | undefined;
  refund_questions?: boolean | undefined;
  max_pending?: number | null | undefined;
  max_pending_per_agent?: number | null | undefined;
  max_submissions_per_minute?: number | null | undefined;
  max_messages_per_hour?: number | null | undefined;
  retention_days?: number | null | undefined;
  level?: "deny" | "allowlist" | "full" | undefined;
  ask_mode?: "off" | "on-miss" | "always" | undefined;
  mode?: "plan" | "normal" | "accept_edits" | "full" | undefined;
  lists?: string[] | undefined;
  table?: "askback" | "nebo" | null | undefined;
  shadow?: ShadowSettings | null | undefined;
}

/** A stored message. `held`: it is delivered once no request is open. */
export interface PostedMessage {
  id: string;
  held?: boolean | undefined;
  answered?: string | null | undefined;
  why?: string | null | undefined;
}

/** The complete call that would run; nothing is cut. */
export interface Preview {
  type: "command" | "file" | "mail" | "http" | "query" | "table" | "json" | "plan";
  headline: string;
  headline_code?: ReasonCode | null | undefined;
  parts?: (string | Escape)[] | undefined;
  argv?: boolean | undefined;
  marks?: string[] | undefined;
  path?: (string | Escape)[] | null | undefined;
  folder?: (string | Escape)[] | null | undefined;
  diff?: DiffLine[] | null | undefined;
  whole?: boolean | undefined;
  added?: number | undefined;
  removed?: number | undefined;
  fields?: PreviewField[] | undefined;
  rest?: (string | Escape)[] | null | undefined;
}

/** A member of the input: its name and its value. */
export interface PreviewField {
  name: (string | Escape)[];
  parts: (string | Escape)[];
  role?: "to" | "cc" | "bcc" | "from" | "subject" | "body" | "method" | "url" | "headers" | "query" | "database" | "parameters" | null | undefined;
  syntax?: "json" | "sql" | null | undefined;
}

/** The reason of a refusal. `request` is the current request, `retry_after` is in seconds. */
export interface Problem {
  code: string;
  message: string;
  field_errors?: FieldProblem[] | undefined;
  request?: InputRequest | null | undefined;
  retry_after?: number | null | undefined;
}

/** The maximum number of forms of a tool, of an agent (by id), or of one tool of one agent. */
export interface QuestionLimit {
  tool?: string | null | undefined;
  agent?: string | null | undefined;
  max: number;
  text?: string | null | undefined;
}

/** The number of forms of a tool, of an agent (its id), or of this tool of this agent in a thread. */
export interface QuestionLimitUsage {
  tool?: string | null | undefined;
  agent?: string | null | undefined;
  max: number;
  used: number;
  reset_at: string | null;
  set_by: "policy" | "asker";
}

/** One of `options`, all of them in view. */
export interface Radio {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  options: Option[];
  options_from?: OptionsFrom | null | undefined;
  allow_other?: boolean | undefined;
  default?: string | number | null | undefined;
  type: "radio";
}

/** A sentence as data: its code in the catalogue, and its parameters, which may nest. */
export interface ReasonCode {
  code: string;
  params?: Record<string, Json> | undefined;
}

/** A kind of a package; `element` is the path of the module that draws it. */
export interface RegisteredKind {
  name: string;
  element?: string | null | undefined;
}

/** A remembered refusal: nobody is asked again before `until`; `count` is the number of refusals within an hour. */
export interface RememberedRefusal {
  until: string;
  count: number;
}

/** The caller's reminder of a request. */
export interface Reminder {
  request_id: string;
  at: string;
}

/** The reminders of the caller that are not due yet, the next one first. */
export interface ReminderList {
  reminders: Reminder[];
}

/** The place of a request in the conversation. */
export interface RequestBlock {
  type: "request";
  request_id: string;
}

/** A request was created or has changed; `request` is its state at that time. */
export interface RequestEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "request.created" | "request.lined_up" | "request.shown" | "request.voted" | "request.attempted" | "request.escalated" | "request.assigned" | "request.noted" | "request.detached" | "request.resolving" | "request.reprompted" | "request.updated" | "request.answered" | "request.used" | "request.revoked" | "request.declined" | "request.cancelled" | "request.expired";
  request: InputRequest;
}

/** Requests, newest first. */
export interface RequestPage {
  requests: InputRequest[];
  next_cursor: string | null;
}

/** The server's additions for display: `patterns` by field id, `markdown` by the path of the text. */
export interface RequestView {
  patterns?: Record<string, string | null> | undefined;
  markdown?: Record<string, Rich[]> | undefined;
  languages?: string[] | undefined;
  messages?: boolean | undefined;
}

/** A person revoked an approval. */
export interface Revocation {
  at: string;
  by: Actor;
}

export type Rich = string | RichNode;

/** An element of a Markdown tree. */
export interface RichNode {
  type: "p" | "em" | "strong" | "code" | "pre" | "blockquote" | "ul" | "ol" | "li" | "br" | "a" | "table" | "tr" | "th" | "td";
  children?: Rich[] | null | undefined;
  href?: string | null | undefined;
  language?: string | null | undefined;
  start?: number | null | undefined;
}

/** How dangerous a call is: a hint for people, never the only protection. */
export interface Risk {
  level?: "normal" | "danger" | undefined;
  reasons?: string[] | undefined;
}

/** A folder below which an agent may read without asking. */
export interface Root {
  path: string;
  granted_at: string;
  granted_by: Actor;
}

/** One item to accept or decline; `fields` are shown once it is accepted. */
export interface Row {
  id: string;
  label: string;
  description?: string | null | undefined;
  fields?: (Text | Textarea | Number | Boolean | Select | Multiselect | Checkbox | Radio | Date | Time | Datetime)[] | null | undefined;
}

/** Several items, each accepted or declined separately. */
export interface Rows {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "rows";
  rows: Row[];
  accept_label?: string | null | undefined;
  decline_label?: string | null | undefined;
  default?: null | undefined;
}

/** A rule that the server keeps; `rule` is its text, `agent` the id of the agent it is for, None for every agent. */
export interface Rule {
  id: string;
  effect: "deny" | "ask" | "allow";
  rule: string;
  scope: "thread" | "project" | "always";
  thread_id?: string | null | undefined;
  project?: string | null | undefined;
  agent?: string | null | undefined;
  agent_name?: string | null | undefined;
  locked?: boolean | undefined;
  shadow?: boolean | undefined;
  why?: string | null | undefined;
  created_at: string;
  created_by?: Actor | null | undefined;
  request_id?: string | null | undefined;
  expires_at?: string | null | undefined;
  revoked_at?: string | null | undefined;
  revoked_by?: Actor | null | undefined;
  needs_choice?: string | null | undefined;
  needs_choice_code?: ReasonCode | null | undefined;
  description?: RuleDescription | null | undefined;
  usage?: RuleUsage | null | undefined;
}

/** `POST /v1/rules`: the terms of a rule, and `expires_in_s`, seconds from now. */
export interface RuleBody {
  rule: string;
  effect?: "deny" | "ask" | "allow" | undefined;
  scope?: "thread" | "project" | "always" | undefined;
  thread_id?: string | null | undefined;
  project?: string | null | undefined;
  agent?: string | null | undefined;
  why?: string | null | undefined;
  locked?: boolean | undefined;
  shadow?: boolean | undefined;
  script_may_change?: boolean | undefined;
  expires_in_s?: number | null | undefined;
}

/** A ready-made rule that can be stored. */
export interface RuleChoice {
  rule: string;
  kind: "exact" | "options" | "folder" | "recipient" | "site" | "tool";
  subject?: string | null | undefined;
}

/** The scope of a rule as data. */
export interface RuleDescription {
  form: "command" | "options" | "any_arguments" | "everything" | "text" | "tool" | "arguments" | "input";
  subject: string;
  details?: string[] | undefined;
  folder?: string | null | undefined;
}

/** The result of an import row by row; with `dry_run`, a preview. */
export interface RuleImport {
  dry_run: boolean;
  added: number;
  known: number;
  refused: number;
  rows: ImportedRow[];
}

/** Rules, newest first. */
export interface RulePage {
  rules: Rule[];
  next_cursor: string | null;
}

/** Calls of the last 30 days that a rule would decide differently from today's policy, newest first. */
export interface RulePreview {
  calls: PastCall[];
  checked: number;
  checked_to: string;
  since: string;
  next_cursor: string | null;
}

/** The effect of a draft rule; nothing is stored. */
export interface RuleTrial {
  rule?: string | null | undefined;
  description?: RuleDescription | null | undefined;
  problems?: FieldProblem[] | undefined;
  covers?: boolean | null | undefined;
  why?: string[] | undefined;
  why_codes?: ReasonCode[] | undefined;
  now?: Ruling | null | undefined;
  then?: Ruling | null | undefined;
}

/** How often and when a rule was last used, and for which request in which thread. */
export interface RuleUsage {
  count: number;
  last_at: string;
  request_id?: string | null | undefined;
  thread_id?: string | null | undefined;
  thread_title?: string | null | undefined;
}

/** The policy's decision about a call: the rules that decided together, and the reasons in English and as codes. */
export interface Ruling {
  decision: "deny" | "ask" | "allow";
  rules: string[];
  reasons: string[];
  reason_codes: ReasonCode[];
}

/** A turn of an agent in a thread; `agent` is the id of the agent. */
export interface Run {
  id: string;
  thread_id: string;
  agent: string;
  status: "running" | "ended";
  started_at: string;
  ended_at?: string | null | undefined;
  reason?: string | null | undefined;
  metadata?: Json | undefined;
}

/** A run has begun or ended. */
export interface RunEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "run.started" | "run.ended";
  run: Run;
}

/** The scopes in which each name is set. */
export interface SavedScopes {
  saved: Record<string, SecretScope[]>;
}

export type Scope = "once" | "thread" | "project" | "always";

/** The seal of the newest entry: `key` is the id of the master key, `unsealed` counts the entries before it. */
export interface Seal {
  status: SealStatus;
  key?: string | null | undefined;
  unsealed?: number | null | undefined;
}

export type SealStatus = "sealed" | "unsealed" | "behind" | "wrong" | "unknown_key";

/** Help for finding and typing one value; `textarea` keeps line breaks, for PEM keys. */
export interface SecretHelp {
  description?: string | null | undefined;
  placeholder?: string | null | undefined;
  format_hint?: string | null | undefined;
  input?: "password" | "text" | "textarea" | undefined;
  optional?: boolean | undefined;
}

/** Secrets, newest first. */
export interface SecretPage {
  secrets: StoredSecret[];
  next_cursor: string | null;
}

export type SecretScope = "session" | "project" | "global";

/** A group of fields; an `optional` one may be left empty as a whole. */
export interface Section {
  id: string;
  title?: string | null | undefined;
  description?: string | null | undefined;
  optional?: boolean | undefined;
  submit_label?: string | null | undefined;
  visible_if?: Condition | null | undefined;
  fields: Field[];
}

/** One of `options`, or with `allow_other` the person's own text. */
export interface Select {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  options: Option[];
  options_from?: OptionsFrom | null | undefined;
  allow_other?: boolean | undefined;
  default?: string | number | null | undefined;
  type: "select";
  widget?: "dropdown" | "buttons" | "confirm" | "chips" | null | undefined;
}

/** This server: askback's version, the database with the number of its last migration, and the audit log. */
export interface ServerRecord {
  version: string;
  database: "sqlite" | "postgres";
  migration: number;
  read_only: string | null;
  audit: AuditHead;
}

/** Browser sessions. */
export interface SessionList {
  sessions: BrowserSession[];
}

/** Settings to try without effect; None means the current setting. */
export interface ShadowSettings {
  level?: "deny" | "allowlist" | "full" | null | undefined;
  ask_mode?: "off" | "on-miss" | "always" | null | undefined;
  mode?: "plan" | "normal" | "accept_edits" | "full" | null | undefined;
  lists?: string[] | null | undefined;
  table?: "askback" | "nebo" | null | undefined;
}

/** An action for display; `host` is the destination of its link or provider. */
export interface ShownAction {
  title: string;
  description?: string | null | undefined;
  label?: string | null | undefined;
  url?: string | null | undefined;
  provider?: string | null | undefined;
  scopes?: string[] | null | undefined;
  secret?: string | null | undefined;
  host?: string | null | undefined;
}

/** An approval as the server shows it; see `Approval` for the agent's part. */
export interface ShownApproval {
  tool: string;
  input?: Json | undefined;
  plan?: string | null | undefined;
  title?: string | null | undefined;
  reason?: string | null | undefined;
  risk?: Risk | undefined;
  agent_risk?: Risk | null | undefined;
  scopes?: Scope[] | undefined;
  project?: string | null | undefined;
  cwd?: string | null | undefined;
  secret_free?: string[] | undefined;
  root?: string | null | undefined;
  allow_edit?: boolean | undefined;
  quorum?: number | undefined;
  exclude_requester?: boolean | undefined;
  valid_s?: number | null | undefined;
  digest?: string | undefined;
  rule?: string | null | undefined;
  choices?: RuleChoice[] | undefined;
  scripts?: string[] | undefined;
  runs_project?: boolean | undefined;
  only_once?: string | null | undefined;
  only_once_code?: ReasonCode | null | undefined;
  locked?: boolean | undefined;
  reasons?: string[] | undefined;
  reason_codes?: ReasonCode[] | undefined;
  risk_codes?: ReasonCode[] | undefined;
  preview?: Preview | null | undefined;
}

/** A request for secrets as shown to a person; `present` lists for each name the scopes in which it is already set. */
export interface ShownSecret {
  names: string[];
  reason: string;
  instructions?: string | null | undefined;
  default_scope?: SecretScope | undefined;
  project?: string | null | undefined;
  metadata?: Record<string, SecretHelp> | undefined;
  probe?: boolean | string | undefined;
  hide_names?: boolean | undefined;
  count?: number | null | undefined;
  present?: Record<string, SecretScope[]> | undefined;
}

/** The texts that the person saw, for a request in several languages, or for options from a source. */
export interface ShownTexts {
  locale?: string | null | undefined;
  labels?: Record<string, string> | undefined;
  options?: Record<string, string[]> | undefined;
  title?: string | null | undefined;
  reason?: string | null | undefined;
  description?: string | null | undefined;
  label?: string | null | undefined;
}

/** An option of a source; its `value` is a text that is not empty, or a number. */
export interface SourceOption {
  value: string | number;
  label: string;
  description?: string | null | undefined;
  has_children?: boolean | undefined;
  disabled?: boolean | undefined;
}

export type Status = "pending" | "resolving" | "answered" | "declined" | "cancelled" | "expired";

/** A stored secret: its name, its scope and its times, never its value. */
export interface StoredSecret {
  id: string;
  name: string;
  scope: "session" | "project" | "global" | "request";
  thread_id?: string | null | undefined;
  project?: string | null | undefined;
  request_id?: string | null | undefined;
  owner?: string | null | undefined;
  version: number;
  set_at: string;
  set_by?: Actor | null | undefined;
  agents?: string[] | "all" | null | undefined;
  used_at?: string | null | undefined;
  used_by?: Actor | null | undefined;
  warnings?: FieldWarning[] | undefined;
}

/** The cursor from which events follow; `level` is the caller's level in the thread. */
export interface Subscription {
  cursor: number;
  level?: Level | null | undefined;
}

/** One line of text; lengths count Unicode code points, `pattern` is RE2 and must match the whole value. */
export interface Text {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min_length?: number | null | undefined;
  max_length?: number | null | undefined;
  pattern?: string | null | undefined;
  pattern_message?: string | null | undefined;
  default?: string | null | undefined;
  type: "text";
}

/** Text, shown as it is written. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** Text of several lines; the rules are those of `Text`. */
export interface Textarea {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min_length?: number | null | undefined;
  max_length?: number | null | undefined;
  pattern?: string | null | undefined;
  pattern_message?: string | null | undefined;
  default?: string | null | undefined;
  type: "textarea";
}

/** A thread in a list: its agents by id, the caller's level, its open requests, and the time of its last activity. */
export interface Thread {
  id: string;
  title?: string | null | undefined;
  metadata?: Json | undefined;
  answers_as_messages?: boolean | undefined;
  owner?: string | null | undefined;
  agents?: string[] | null | undefined;
  level: Level;
  pending: number;
  updated_at?: string | null | undefined;
  archived_at?: string | null | undefined;
}

/** The access to a thread; without an owner, `others` is `all`. */
export interface ThreadAccess {
  owner?: string | null | undefined;
  others: "none" | "view" | "prompt" | "all";
  people: Record<string, "view" | "prompt" | "all">;
  agents?: string[] | null | undefined;
  agents_of?: string | null | undefined;
}

export type ThreadEvent = RequestEvent | MessageEvent | DeltaEvent | MessageUpdateEvent | AccessEvent | ArchiveEvent | UpdateEvent | RunEvent;

/** The caller's level in a thread. */
export interface ThreadLevel {
  level: Level;
}

/** The properties of a thread that an agent has set. */
export interface ThreadNames {
  title: string | null;
  metadata: Json;
  answers_as_messages?: boolean | undefined;
}

/** Threads, newest first. */
export interface ThreadPage {
  threads: Thread[];
  next_cursor: string | null;
}

/** A request in its thread; `seq` is the event that created it. */
export interface ThreadRequest {
  id: string;
  kind: string;
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  ordinal?: number | null | undefined;
  of?: number | null | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: Agent | null | undefined;
  requester?: Actor | null | undefined;
  traceparent?: string | null | undefined;
  form?: Form | null | undefined;
  questions?: number | null | undefined;
  approval?: ShownApproval | null | undefined;
  secret?: ShownSecret | null | undefined;
  action?: ShownAction | null | undefined;
  data?: Record<string, Json> | null | undefined;
  summary?: string | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  on_timeout?: "expire" | "deny" | "default" | "resume" | "cancel" | null | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  repeat?: "refuse" | "ask" | undefined;
  texts?: AskTexts | null | undefined;
  validator?: string | null | undefined;
  view?: RequestView | null | undefined;
  created_at: string;
  expires_at?: string | null | undefined;
  status: Status;
  revision: number;
  answer?: Answer | null | undefined;
  source?: string | null | undefined;
  reason?: string | null | undefined;
  note?: string | null | undefined;
  refusal?: RememberedRefusal | null | undefined;
  submission?: "accepted" | "checking" | "reprompted" | "refused" | null | undefined;
  warnings?: FieldWarning[] | undefined;
  settled_at?: string | null | undefined;
  settled_by?: Actor | null | undefined;
  votes?: Vote[] | undefined;
  submitted?: Answer | null | undefined;
  submitted_by?: Actor | null | undefined;
  hooks?: ("decline" | "timeout")[] | undefined;
  held?: PendingEnd | null | undefined;
  declined_once?: boolean | undefined;
  updates?: number | undefined;
  notified?: string[] | undefined;
  attempt?: FailedAttempt | null | undefined;
  tried_until?: string | null | undefined;
  shown_at?: string | null | undefined;
  escalated?: number | undefined;
  assigned?: string[] | undefined;
  assignment?: Assignment | null | undefined;
  unseen?: boolean | undefined;
  detached?: boolean | undefined;
  check?: Check | null | undefined;
  time_left_s?: number | null | undefined;
  field_errors?: FieldError[] | undefined;
  error_summary?: string | null | undefined;
  queued?: boolean | undefined;
  queued_behind?: boolean | undefined;
  thread_title?: string | null | undefined;
  level?: Level | null | undefined;
  used_at?: string | null | undefined;
  revoked?: Revocation | null | undefined;
  repeated?: boolean | undefined;
  seq: number;
}

/** A thread as of `seq`: events after it bring it up to date. `runs` has the open runs. */
export interface ThreadSnapshot {
  id: string;
  title?: string | null | undefined;
  metadata?: Json | undefined;
  seq: number;
  access: ThreadLevel;
  archived_at?: string | null | undefined;
  free_text: FreeText;
  answers_as_messages?: boolean | undefined;
  messages: Message[];
  requests: ThreadRequest[];
  runs: Run[];
}

/** How much of its limits a thread has used. */
export interface ThreadUsage {
  id: string;
  questions: number;
  questions_reset_at: string | null;
  pending: number;
  question_limits: QuestionLimitUsage[];
}

/** A time of day, `HH:MM` or `HH:MM:SS`. */
export interface Time {
  id: string;
  label?: string | null | undefined;
  description?: string | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min?: string | null | undefined;
  max?: string | null | undefined;
  pattern?: string | null | undefined;
  default?: string | null | undefined;
  type: "time";
}

/** A token, never its secret. `agent` is the id of its agent; `system` is the projection that it is limited to. */
export interface Token {
  id: string;
  role: string;
  name: string;
  agent: string | null;
  user: string | null;
  groups: string[];
  threads: string[];
  system: string | null;
  names: string[];
  source: string;
  created_at: string | null;
  created_by: Actor | null;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** Tokens, newest first. */
export interface TokenPage {
  tokens: Token[];
  next_cursor: string | null;
}

/** A tool call; requests with the same `tool_call_id` are shown after it. */
export interface ToolBlock {
  type: "tool";
  tool_call_id: string;
  name: string;
  input?: Json | undefined;
  status?: "calling" | "waiting" | "running" | "done" | "failed" | null | undefined;
  result?: Json | undefined;
  duration_ms?: number | null | undefined;
}

/** A change of a tool call; members that are left out are not changed. */
export interface ToolCallUpdate {
  tool_call_id: string;
  status?: "calling" | "waiting" | "running" | "done" | "failed" | null | undefined;
  input?: Json | undefined;
  result?: Json | undefined;
  duration_ms?: number | null | undefined;
}

/** A message in its event; its place in the thread is the `seq` of the event. */
export interface UnplacedMessage {
  id: string;
  role: "agent" | "user";
  author?: Actor | null | undefined;
  agent?: Agent | null | undefined;
  run_id?: string | null | undefined;
  request_id?: string | null | undefined;
  metadata?: Json | undefined;
  at: string;
  held?: boolean | undefined;
  content: MessagePart[];
}

/** The thread has another title, other metadata or another setting. */
export interface UpdateEvent {
  seq: number;
  position: number;
  thread_id: string;
  at: string;
  type: "thread.updated";
  thread: ThreadNames;
}

/** A file of a request, with the id of its field. */
export interface UploadedFile {
  id: string;
  name: string;
  size: number;
  type: string;
  sha256: string;
  field: string;
}

/** One of several decisions that a request needs. */
export interface Vote {
  by: Actor;
  decision: ApprovalDecision;
  at: string;
}

/** A URL that receives `events`. An inactive one was disabled by its receiver or an admin. */
export interface Webhook {
  id: string;
  url: string;
  requester?: string | null | undefined;
  events: ("resume" | "request.created" | "request.shown" | "request.voted" | "request.attempted" | "request.used" | "request.revoked" | "request.escalated" | "request.assigned" | "request.detached" | "request.resolving" | "request.reprompted" | "request.updated" | "request.answered" | "request.declined" | "request.cancelled" | "request.expired")[];
  created_at: string;
  active: boolean;
}

/** All webhooks. */
export interface WebhookList {
  webhooks: Webhook[];
}
