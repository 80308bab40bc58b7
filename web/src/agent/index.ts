export type { ApproveOptions } from "./approvals.ts";
export type { CallOptions } from "./calls.ts";
export { Client, type ClientOptions, type FormOptions, type SayOptions } from "./client.ts";
export type { Approved, Decision, NotApproved } from "./decision.ts";
export {
  AskbackError,
  Cancelled,
  ConnectionLost,
  Declined,
  Denied,
  Expired,
  LeaseEnded,
  NoServer,
  NotAnswered,
  Refused,
} from "./errors.ts";
export type { Field, Form, Json, Option } from "./generated/bodies.ts";
export type { Operations } from "./generated/operations.ts";
export type { Answer, Execution, InputRequest, Resume } from "./generated/replies.ts";
export type { RequestOrId } from "./requests.ts";
export type { Lease, SecretOptions, SecretsResult } from "./secrets.ts";
