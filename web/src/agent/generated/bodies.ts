/** What an agent sends, made by scripts/gen_client.py from the models of the server. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** `POST /v1/requests/{id}/accept`: the result of the check; for secrets, `{}`. */
export interface AcceptBody {
  values?: Record<string, Json> | null | undefined;
  result?: Json | undefined;
  message?: string | null | undefined;
}

/** `PUT /v1/threads/{id}/access`: the owner of a thread, and the levels of other people. */
export interface AccessBody {
  owner?: string | null | undefined;
  others?: "none" | "view" | "prompt" | "all" | undefined;
  people?: Record<string, "view" | "prompt" | "all"> | undefined;
  agents?: string[] | null | undefined;
  agents_of?: string | null | undefined;
}

/** `POST /v1/resumes/{id}/ack`: the `attempt` of the lease that the agent acknowledges. */
export interface AckBody {
  attempt: number;
}

/** An action for a person. `description` is Markdown; `label` is the text of the link or button. */
export interface ActionAsk {
  title: string | Record<string, string>;
  description?: string | Record<string, string> | null | undefined;
  label?: string | Record<string, string> | null | undefined;
  url?: string | null | undefined;
  provider?: string | null | undefined;
  scopes?: string[] | null | undefined;
  secret?: string | null | undefined;
}

/** A request to do something elsewhere. Without `timeout_s` it does not expire. */
export interface ActionRequest {
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: string | Agent | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  kind: "action";
  action: ActionAsk;
  validator?: "requester" | null | undefined;
  on_timeout?: "expire" | "resume" | "cancel" | undefined;
}

/** The agent's description of itself, shown next to the name of its token, which it cannot choose. */
export interface Agent {
  name: string;
  tool?: string | null | undefined;
}

/** More at the end of a message: `text`, or parts as `content`. */
export interface AppendBody {
  append_to: string;
  text?: string | null | undefined;
  content?: (TextBlock | ToolBlock | ImageBlock | RequestBlock | FileBlock)[] | null | undefined;
}

/** The call that an agent wants to run: `tool` with `input`, any JSON value. */
export interface Approval {
  tool?: string | null | undefined;
  input?: Json | undefined;
  plan?: string | null | undefined;
  title?: string | Record<string, string> | null | undefined;
  reason?: string | Record<string, string> | null | undefined;
  risk?: Risk | null | undefined;
  scopes?: Scope[] | null | undefined;
  project?: string | null | undefined;
  allow_edit?: boolean | undefined;
  preview?: CurrentFile | null | undefined;
  quorum?: number | undefined;
  exclude_requester?: boolean | undefined;
  valid_s?: number | null | undefined;
  cwd?: string | null | undefined;
  secret_free?: string[] | null | undefined;
}

/** A tool call that needs approval. Without `timeout_s` it is open for `Limits.approval_timeout_s`. */
export interface ApprovalAsk {
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: string | Agent | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  kind: "approval";
  approval: Approval;
  on_timeout?: "deny" | "expire" | "resume" | "cancel" | undefined;
}

/** A form for a person to fill in. */
export interface Ask {
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: string | Agent | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  kind: "form";
  form: Form;
  validator?: string | null | undefined;
  hooks?: ("decline" | "timeout")[] | undefined;
  on_timeout?: "expire" | "default" | "resume" | "cancel" | undefined;
  repeat?: "refuse" | "ask" | undefined;
  question_limit?: AskedLimit | null | undefined;
  field_errors?: FieldFault[] | null | undefined;
  error_summary?: string | null | undefined;
  texts?: AskTexts | null | undefined;
}

/** Sentences for a model in place of the usual ones: for an answer, and for any decline. */
export interface AskTexts {
  answered?: string | null | undefined;
  declined?: string | null | undefined;
}

/** The agent's own limit of the forms of one tool in a thread; beyond it a form is refused with `text`. */
export interface AskedLimit {
  max: number;
  text?: string | null | undefined;
}

/** Yes or no. Required means that it must be true, as for a consent. */
export interface Boolean {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "boolean";
  widget?: "switch" | "checkbox" | "confirm" | null | undefined;
  default?: boolean | null | undefined;
}

/** `POST /v1/requests/{id}/cancel`; the default reason depends on the role. Only admins may send `admin`. */
export interface CancelBody {
  reason?: "agent_aborted" | "user_message" | "superseded" | "shutdown" | "failed" | "admin" | null | undefined;
  note?: string | null | undefined;
}

/** A single checkbox: a `Boolean` that is always shown as a box. */
export interface Checkbox {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "checkbox";
  default?: boolean | null | undefined;
}

/** The display of an answered form; `{field}` in `summary_template` is replaced by its value, or by nothing. */
export interface CompletedView {
  show_inputs?: boolean | undefined;
  summary_template?: string | Record<string, string> | null | undefined;
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

/** `POST /v1/requests/{id}/consume`: the id of the execution, and the call or its digest. */
export interface ConsumeBody {
  execution_id: string;
  tool?: string | null | undefined;
  input?: Json | undefined;
  digest?: string | null | undefined;
}

/** The current content of the file, for the diff; null for a new file. */
export interface CurrentFile {
  before?: string | null | undefined;
}

/** A calendar date, `YYYY-MM-DD`. */
export interface Date {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
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
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
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

/** `{}`: the path has all information. Any key is refused. */
export interface EmptyBody {
}

/** `POST /v1/threads/{id}/runs/{run_id}/end`: the reason, and whether to cancel its open requests. */
export interface EndRunBody {
  reason?: string | null | undefined;
  cancel?: boolean | undefined;
}

/** After `after_s` seconds without an answer, `notify` names people to notify, and `assign` more who may answer. */
export interface EscalationStep {
  after_s: number;
  notify?: string[] | undefined;
  assign?: string[] | undefined;
}

export type Field = Text | Textarea | Number | Boolean | Select | Multiselect | Checkbox | Radio | Date | Time | Datetime | File | Rows;

/** The requester's error message for one field, as text for the person. */
export interface FieldFault {
  path: string;
  message: string;
}

/** A file that the person uploads; with `max_files` above 1, a list of files. */
export interface File {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
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

/** A file by its id, which an agent uploaded for its messages, or an answer in this thread names. */
export interface FileBlock {
  type: "file";
  file: string;
  alt?: string | null | undefined;
}

/** A question to a person: `fields` or `sections`, never both. */
export interface Form {
  title?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  format?: "markdown" | "plain" | undefined;
  submit_label?: string | Record<string, string> | null | undefined;
  cancel_label?: string | Record<string, string> | null | undefined;
  allow_skip?: boolean | undefined;
  layout?: "page" | "steps" | undefined;
  submit?: "form" | "first" | "each" | undefined;
  locale?: string | null | undefined;
  fields?: Field[] | null | undefined;
  sections?: Section[] | null | undefined;
  initial_values?: Record<string, Json> | null | undefined;
  completed_view?: CompletedView | null | undefined;
}

/** An image with an https or `data:image/…` URL, and its alternative text. Pages link to one of another server. */
export interface ImageBlock {
  type: "image";
  url: string;
  alt: string;
}

/** `POST /v1/secrets/lease`: names granted to the agent in a thread, or `refs` of sensitive fields. */
export interface LeaseBody {
  thread_id: string;
  names?: string[] | undefined;
  refs?: string[] | undefined;
  request_id?: string | null | undefined;
}

/** A whole message for a thread; `agent` is the agent's description of itself, such as a sub-agent. */
export interface MessageBody {
  content: (TextBlock | ToolBlock | ImageBlock | RequestBlock | FileBlock)[];
  agent?: string | Agent | null | undefined;
  run_id?: string | null | undefined;
  id?: string | null | undefined;
  metadata?: Json | undefined;
}

/** The agent's own messages for the rules of a field. A message needs its rule in the field. */
export interface Messages {
  required?: string | Record<string, string> | null | undefined;
  type?: string | Record<string, string> | null | undefined;
  min?: string | Record<string, string> | null | undefined;
  max?: string | Record<string, string> | null | undefined;
  step?: string | Record<string, string> | null | undefined;
  pattern?: string | Record<string, string> | null | undefined;
  min_length?: string | Record<string, string> | null | undefined;
  max_length?: string | Record<string, string> | null | undefined;
  min_choices?: string | Record<string, string> | null | undefined;
  max_choices?: string | Record<string, string> | null | undefined;
  options?: string | Record<string, string> | null | undefined;
}

/** Any of `options`, in the order of the options; the person's own texts come last. */
export interface Multiselect {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  options: (string | Option)[];
  options_from?: OptionsFrom | null | undefined;
  type: "multiselect";
  allow_other?: boolean | undefined;
  min_choices?: number | null | undefined;
  max_choices?: number | null | undefined;
  widget?: "checkboxes" | "chips" | "dropdown" | null | undefined;
  default?: (string | number)[] | null | undefined;
}

/** A finite JSON number; `step` counts from `min` (from 0 without one); `pattern` is for its shortest text. */
export interface Number {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
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

/** One choice. On the wire a plain string means `{"value": s, "label": s}`. */
export interface Option {
  value: string | number;
  label: string | Record<string, string>;
  description?: string | Record<string, string> | null | undefined;
  recommended?: boolean | undefined;
  style?: "default" | "primary" | "danger" | null | undefined;
}

/** Options that the server gets from one of its sources, by name, as the person searches them. */
export interface OptionsFrom {
  source: string;
  tree?: boolean | undefined;
}

/** `POST /v1/requests/{id}/outcome`: the outcome of an action, reported by the agent that asked. */
export interface OutcomeBody {
  outcome: "done" | "failed";
  reason?: string | null | undefined;
  retry?: boolean | undefined;
}

/** A request of a kind that a package of the server adds; `data` is checked by the package. */
export interface PackageRequest {
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: string | Agent | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  kind: string;
  data: Record<string, Json>;
  on_timeout?: "expire" | "resume" | "cancel" | undefined;
}

/** One of `options`, all of them in view. */
export interface Radio {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  options: (string | Option)[];
  options_from?: OptionsFrom | null | undefined;
  allow_other?: boolean | undefined;
  default?: string | number | null | undefined;
  type: "radio";
}

/** `POST /v1/requests/{id}/report`: the outcome of the execution. */
export interface ReportBody {
  execution_id: string;
  outcome: "succeeded" | "failed";
  note?: string | null | undefined;
}

/** `POST /v1/requests/{id}/reported-answer`: a person's answer in the agent's own client. */
export interface ReportedAnswerBody {
  revision: number;
  values?: Json | undefined;
  skipped?: string[] | null | undefined;
  languages?: string[] | null | undefined;
  control?: string | null | undefined;
  decision?: "approve" | "deny" | null | undefined;
  declined?: "skipped" | "dismissed" | "refused" | null | undefined;
  note?: string | null | undefined;
}

/** Ask again (`POST /v1/requests/{id}/reprompt`) or change an open request (`PATCH /v1/requests/{id}`). */
export interface RepromptBody {
  field_errors?: FieldFault[] | undefined;
  error_summary?: string | null | undefined;
  form?: Form | null | undefined;
  timeout_s?: number | null | undefined;
}

/** The place of a request in the conversation. */
export interface RequestBlock {
  type: "request";
  request_id: string;
}

/** How dangerous a call is: a hint for people, never the only protection. */
export interface Risk {
  level?: "normal" | "danger" | undefined;
  reasons?: string[] | undefined;
}

/** One item to accept or decline; `fields` are shown once it is accepted. */
export interface Row {
  id: string;
  label: string | Record<string, string>;
  description?: string | Record<string, string> | null | undefined;
  fields?: (Text | Textarea | Number | Boolean | Select | Multiselect | Checkbox | Radio | Date | Time | Datetime)[] | null | undefined;
}

/** Several items, each accepted or declined separately. */
export interface Rows {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  type: "rows";
  rows: Row[];
  accept_label?: string | Record<string, string> | null | undefined;
  decline_label?: string | Record<string, string> | null | undefined;
  default?: null | undefined;
}

/** `POST /v1/threads/{id}/runs`; without a `run_id` the server makes one. */
export interface RunBody {
  run_id?: string | null | undefined;
  metadata?: Json | undefined;
}

export type Scope = "once" | "thread" | "project" | "always";

/** A request for secrets. `instructions` is Markdown. */
export interface SecretAsk {
  names: string[];
  reason: string | Record<string, string>;
  instructions?: string | Record<string, string> | null | undefined;
  default_scope?: SecretScope | undefined;
  project?: string | null | undefined;
  metadata?: Record<string, SecretHelp> | undefined;
  probe?: boolean | string | undefined;
  hide_names?: boolean | undefined;
}

/** Help for finding and typing one value; `textarea` keeps line breaks, for PEM keys. */
export interface SecretHelp {
  description?: string | Record<string, string> | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  format_hint?: string | Record<string, string> | null | undefined;
  input?: "password" | "text" | "textarea" | undefined;
  optional?: boolean | undefined;
}

/** A request for values that the agent may use but never sees. Without `timeout_s` it does not expire. */
export interface SecretRequest {
  thread_id: string;
  external_id?: string | null | undefined;
  metadata?: Json | undefined;
  run_id?: string | null | undefined;
  message_id?: string | null | undefined;
  tool_call_id?: string | null | undefined;
  agent?: string | Agent | null | undefined;
  assignees?: string[] | null | undefined;
  delivery?: "block" | "resume" | undefined;
  auto_resume?: boolean | undefined;
  timeout_s?: number | null | undefined;
  timeout_from?: "created" | "shown" | undefined;
  escalation?: EscalationStep[] | null | undefined;
  require_client?: "durable" | "wait" | "fail_fast" | undefined;
  exclusive_key?: string | null | undefined;
  on_conflict?: "supersede" | "reject" | "queue" | undefined;
  presentation?: "inline" | "standalone" | "composer" | undefined;
  kind: "secret";
  secret: SecretAsk;
  on_timeout?: "expire" | "resume" | "cancel" | undefined;
}

export type SecretScope = "session" | "project" | "global";

/** A group of fields; an `optional` one may be left empty as a whole. */
export interface Section {
  id: string;
  title?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  optional?: boolean | undefined;
  submit_label?: string | Record<string, string> | null | undefined;
  visible_if?: Condition | null | undefined;
  fields: Field[];
}

/** One of `options`, or with `allow_other` the person's own text. */
export interface Select {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  options: (string | Option)[];
  options_from?: OptionsFrom | null | undefined;
  allow_other?: boolean | undefined;
  default?: string | number | null | undefined;
  type: "select";
  widget?: "dropdown" | "buttons" | "confirm" | "chips" | null | undefined;
}

/** One line of text; lengths count Unicode code points, `pattern` is RE2 and must match the whole value. */
export interface Text {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min_length?: number | null | undefined;
  max_length?: number | null | undefined;
  pattern?: string | null | undefined;
  pattern_message?: string | Record<string, string> | null | undefined;
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
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
  validate_on_client?: boolean | undefined;
  sensitive?: boolean | undefined;
  readonly?: boolean | undefined;
  allow_skip?: boolean | undefined;
  visible_if?: Condition | null | undefined;
  min_length?: number | null | undefined;
  max_length?: number | null | undefined;
  pattern?: string | null | undefined;
  pattern_message?: string | Record<string, string> | null | undefined;
  default?: string | null | undefined;
  type: "textarea";
}

/** `PATCH /v1/threads/{id}`: a member that is left out stays unchanged, null removes it. */
export interface ThreadBody {
  title?: string | null | undefined;
  metadata?: Json | undefined;
  answers_as_messages?: boolean | null | undefined;
}

/** A time of day, `HH:MM` or `HH:MM:SS`. */
export interface Time {
  id: string;
  label?: string | Record<string, string> | null | undefined;
  description?: string | Record<string, string> | null | undefined;
  required?: boolean | undefined;
  messages?: Messages | null | undefined;
  placeholder?: string | Record<string, string> | null | undefined;
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

/** `PATCH /v1/threads/{id}/messages/{id}`: the changes of a tool call in the message. */
export interface ToolCallBody {
  tool_call_id: string;
  status?: "calling" | "waiting" | "running" | "done" | "failed" | null | undefined;
  input?: Json | undefined;
  result?: Json | undefined;
  duration_ms?: number | null | undefined;
}
