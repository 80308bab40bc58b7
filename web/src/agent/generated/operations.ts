/** The operations of an agent, made by scripts/gen_client.py from the table of operations. */

import type * as sent from "./bodies.ts";
import type * as read from "./replies.ts";

/** By operation: what stands in the path and the query, the body, and the reply. */
export interface Operations {
  /** Ask a person. */
  create_request: { args: {}; body: sent.Ask | sent.ApprovalAsk | sent.SecretRequest | sent.ActionRequest | sent.PackageRequest; reply: read.InputRequest };
  /** List requests, newest first. */
  list_requests: { args: { thread_id?: string; status?: "pending" | "resolving" | "answered" | "declined" | "cancelled" | "expired"; kind?: string; agent?: string; external_id?: string; tool_call_id?: string; run_id?: string; created_after?: string; created_before?: string; brief?: boolean; limit?: number; cursor?: string }; body: undefined; reply: read.RequestPage };
  /** Read a request; with `wait`, a long poll. */
  get_request: { args: { request_id: string; wait?: number; revision?: number; receipt?: boolean }; body: undefined; reply: read.InputRequest | null };
  /** Read the sentence for a model about the outcome of a request. */
  get_request_text: { args: { request_id: string }; body: undefined; reply: read.RequestText };
  /** Cancel a request. */
  cancel_request: { args: { request_id: string }; body: sent.CancelBody; reply: read.InputRequest };
  /** Report the outcome of an action. */
  report_outcome: { args: { request_id: string }; body: sent.OutcomeBody; reply: read.InputRequest };
  /** Report a person's answer in the agent's own client. */
  report_answer: { args: { request_id: string }; body: sent.ReportedAnswerBody; reply: read.InputRequest };
  /** Begin or renew the check of an answer. */
  check_submission: { args: { request_id: string }; body: sent.EmptyBody; reply: read.InputRequest };
  /** Accept the submission. */
  accept_submission: { args: { request_id: string }; body: sent.AcceptBody; reply: read.InputRequest };
  /** Reject the submission and ask again. */
  reprompt_request: { args: { request_id: string }; body: sent.RepromptBody; reply: read.InputRequest };
  /** Change an open request. */
  update_request: { args: { request_id: string }; body: sent.RepromptBody; reply: read.InputRequest };
  /** Use an approved call, once. */
  consume_approval: { args: { request_id: string }; body: sent.ConsumeBody; reply: read.Execution };
  /** Report the outcome of an execution. */
  report_execution: { args: { request_id: string }; body: sent.ReportBody; reply: read.Execution };
  /** List the files of a request, oldest first. */
  list_files: { args: { request_id: string }; body: undefined; reply: read.FileList };
  /** Remove an upload that nothing names. */
  delete_file: { args: { file_id: string }; body: undefined; reply: null };
  /** Add a message, or append to one. */
  post_message: { args: { thread_id: string }; body: sent.MessageBody | sent.AppendBody; reply: read.PostedMessage | null };
  /** Update a tool call in a message. */
  update_message: { args: { thread_id: string; message_id: string }; body: sent.ToolCallBody; reply: null };
  /** List threads, newest first. */
  list_threads: { args: { q?: string; agent?: string; archived?: boolean; limit?: number; cursor?: string }; body: undefined; reply: read.ThreadPage };
  /** Read a thread. */
  get_thread: { args: { thread_id: string }; body: undefined; reply: read.ThreadSnapshot };
  /** Change the title, the metadata or the settings of a thread. */
  update_thread: { args: { thread_id: string }; body: sent.ThreadBody; reply: read.Thread };
  /** Read the access levels of a thread. */
  get_thread_access: { args: { thread_id: string }; body: undefined; reply: read.ThreadAccess };
  /** Set the owner of a thread and its access. */
  set_thread_access: { args: { thread_id: string }; body: sent.AccessBody; reply: read.ThreadAccess };
  /** Begin a run. */
  start_run: { args: { thread_id: string }; body: sent.RunBody; reply: read.Run };
  /** List the runs of a thread, newest first. */
  list_runs: { args: { thread_id: string; running?: boolean; limit?: number; cursor?: string }; body: undefined; reply: read.RunPage };
  /** Read a run. */
  get_run: { args: { thread_id: string; run_id: string }; body: undefined; reply: read.Run };
  /** Keep a run active. */
  renew_run: { args: { thread_id: string; run_id: string }; body: sent.EmptyBody; reply: read.Run };
  /** End a run. */
  end_run: { args: { thread_id: string; run_id: string }; body: sent.EndRunBody; reply: read.Run };
  /** Cancel the open requests of a run. */
  cancel_run: { args: { thread_id: string; run_id: string }; body: sent.EmptyBody; reply: read.CancelledRun };
  /** Archive a thread and cancel its open requests. */
  archive_thread: { args: { thread_id: string }; body: undefined; reply: read.ArchivedThread };
  /** Unarchive a thread. */
  unarchive_thread: { args: { thread_id: string }; body: undefined; reply: read.ArchivedThread };
  /** Lease pending resumes. */
  pull_resumes: { args: { thread_id?: string; wait?: number; limit?: number }; body: undefined; reply: read.ResumeList };
  /** Lease pending resumes of a thread. */
  pull_thread_resumes: { args: { thread_id: string; wait?: number; limit?: number }; body: undefined; reply: read.ResumeList };
  /** Acknowledge a resume. */
  ack_resume: { args: { resume_id: string }; body: sent.AckBody; reply: null };
  /** Read the limits. */
  get_limits: { args: { thread_id?: string }; body: undefined; reply: read.LimitsReply };
  /** Lease the values of secrets. */
  lease_secrets: { args: {}; body: sent.LeaseBody; reply: read.SecretLease };
  /** Read the caller's session. */
  get_session: { args: {}; body: undefined; reply: read.CurrentSession };
  /** Sign out. */
  sign_out: { args: {}; body: undefined; reply: null };
  /** List the kinds of packages. */
  list_kinds: { args: {}; body: undefined; reply: read.KindList };
}

export const ROUTES: { readonly [name in keyof Operations]: string } = {
  create_request: "POST /v1/requests",
  list_requests: "GET /v1/requests",
  get_request: "GET /v1/requests/{request_id}",
  get_request_text: "GET /v1/requests/{request_id}/text",
  cancel_request: "POST /v1/requests/{request_id}/cancel",
  report_outcome: "POST /v1/requests/{request_id}/outcome",
  report_answer: "POST /v1/requests/{request_id}/reported-answer",
  check_submission: "POST /v1/requests/{request_id}/check",
  accept_submission: "POST /v1/requests/{request_id}/accept",
  reprompt_request: "POST /v1/requests/{request_id}/reprompt",
  update_request: "PATCH /v1/requests/{request_id}",
  consume_approval: "POST /v1/requests/{request_id}/consume",
  report_execution: "POST /v1/requests/{request_id}/report",
  list_files: "GET /v1/requests/{request_id}/files",
  delete_file: "DELETE /v1/files/{file_id}",
  post_message: "POST /v1/threads/{thread_id}/messages",
  update_message: "PATCH /v1/threads/{thread_id}/messages/{message_id}",
  list_threads: "GET /v1/threads",
  get_thread: "GET /v1/threads/{thread_id}",
  update_thread: "PATCH /v1/threads/{thread_id}",
  get_thread_access: "GET /v1/threads/{thread_id}/access",
  set_thread_access: "PUT /v1/threads/{thread_id}/access",
  start_run: "POST /v1/threads/{thread_id}/runs",
  list_runs: "GET /v1/threads/{thread_id}/runs",
  get_run: "GET /v1/threads/{thread_id}/runs/{run_id}",
  renew_run: "POST /v1/threads/{thread_id}/runs/{run_id}/renew",
  end_run: "POST /v1/threads/{thread_id}/runs/{run_id}/end",
  cancel_run: "POST /v1/threads/{thread_id}/runs/{run_id}/cancel",
  archive_thread: "POST /v1/threads/{thread_id}/archive",
  unarchive_thread: "POST /v1/threads/{thread_id}/unarchive",
  pull_resumes: "GET /v1/resumes",
  pull_thread_resumes: "GET /v1/threads/{thread_id}/resumes",
  ack_resume: "POST /v1/resumes/{resume_id}/ack",
  get_limits: "GET /v1/limits",
  lease_secrets: "POST /v1/secrets/lease",
  get_session: "GET /v1/session",
  sign_out: "DELETE /v1/session",
  list_kinds: "GET /v1/kinds",
};
