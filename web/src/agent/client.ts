import type { Answer, InputRequest } from "../core/generated/wire.ts";
import { Approvals } from "./approvals.ts";
import { type CallOptions, Calls } from "./calls.ts";
import type { Server } from "./discovery.ts";
import type { Ask, Form, MessageBody, Option } from "./generated/bodies.ts";
import type { Operations } from "./generated/operations.ts";
import { confirmation, FIELD_ID, type QuestionOptions, question, YES_LABEL } from "./questions.ts";
import { type AskingOptions, answerOf, type RequestOrId, Requests, type WaitOptions } from "./requests.ts";
import { Resumes } from "./resumes.ts";
import { Secrets } from "./secrets.ts";
import { threadOf } from "./thread.ts";

const RETRY_S = 30;

export interface ClientOptions extends Partial<Server> {
  /** Seconds for which calls are sent again while the server cannot be reached; waits continue forever. */
  retry_for?: number;
  /** The thread for calls that name none. */
  thread_id?: string;
}

export type FormOptions = Omit<Ask, "kind" | "form" | "thread_id"> &
  AskingOptions & { thread_id?: string | undefined };

export type SayOptions = Omit<MessageBody, "content"> & CallOptions & { thread_id?: string | undefined };

/**
 * A client for agents and programs: it asks a person, waits, and calls every operation of an agent.
 *
 * `url` and `token` default to `ASKBACK_URL` and `ASKBACK_TOKEN`, and those to the server that runs on this machine. It
 * speaks HTTP and holds no connection: nothing has to be closed.
 */
export class Client extends Approvals {
  readonly secrets: Secrets;
  readonly resumes: Resumes;

  constructor({ retry_for = RETRY_S, thread_id, ...server }: ClientOptions = {}) {
    const calls = new Calls(server, retry_for);
    const requests = new Requests(calls);
    super(calls, requests, retry_for, threadOf(thread_id));
    this.secrets = new Secrets(calls, requests, this.threadOf);
    this.resumes = new Resumes(calls);
  }

  /**
   * Ask a person to fill in a form and return the answer; throws `Declined`, `Cancelled` or `Expired`.
   *
   * With an `idempotency_key` that was used before, the earlier request is found again, with its answer. Throws `Refused`
   * with every fault of the form.
   */
  async form(form: Form, options: FormOptions = {}): Promise<Answer> {
    const { thread_id, signal, idempotency_key, retry_for, cancel_on_abort, ...content } = options;
    const body: Ask = { ...content, kind: "form", thread_id: this.threadOf(thread_id), form };
    const call = { signal, idempotency_key, retry_for, cancel_on_abort };
    return answerOf(await this.requests.ask(body, call));
  }

  /** Ask one question and return the answer: the chosen value, or the text that the person typed. */
  async ask(
    label: string,
    choices?: readonly (string | Option)[],
    { allow_other, default: preset, ...options }: FormOptions & QuestionOptions = {},
  ): Promise<string> {
    const { values } = await this.form(question(label, choices, { allow_other, default: preset }), options);
    return String(values?.[FIELD_ID]);
  }

  /** Ask a question whose answer is Yes (true) or No. */
  async confirm(label: string, options: FormOptions = {}): Promise<boolean> {
    return (await this.form(confirmation(label), options)).values?.[FIELD_ID] === YES_LABEL;
  }

  /** Wait until a request has ended, through restarts of the server, and return it. */
  wait(request: RequestOrId, options?: WaitOptions): Promise<InputRequest> {
    return this.requests.wait(request, options);
  }

  /** Add a text message to a thread. */
  async say(text: string, { thread_id, signal, idempotency_key, retry_for, ...message }: SayOptions = {}) {
    const args = { thread_id: this.threadOf(thread_id) };
    const body: MessageBody = { ...message, content: [{ type: "text", text }] };
    await this.calls.call("post_message", args, body, { signal, idempotency_key, retry_for });
  }

  /** Run any operation of an agent by its name in the table: path and query, body, reply. */
  call<O extends keyof Operations>(
    op: O,
    args: Operations[O]["args"],
    body?: Operations[O]["body"],
    options?: CallOptions,
  ): Promise<Operations[O]["reply"]> {
    return this.calls.call(op, args, body, options);
  }
}
