import type { InputRequest } from "../core/generated/wire.ts";
import type { Calls } from "./calls.ts";
import { fill } from "./decision.ts";
import { LeaseEnded, Refused } from "./errors.ts";
import type { SecretAsk, SecretRequest } from "./generated/bodies.ts";
import type { AskingOptions, Requests } from "./requests.ts";
import type { ThreadOf } from "./thread.ts";

export type SecretOptions = Omit<SecretAsk, "names" | "metadata"> &
  Omit<SecretRequest, "kind" | "secret" | "thread_id" | "metadata"> &
  AskingOptions & {
    thread_id?: string | undefined;
    /** Help for the person to find and type each value, by name. */
    metadata?: SecretAsk["metadata"];
    /** Whether to wait for the person; true by default. */
    wait?: boolean | undefined;
  };

/** The names that may be used, never a value. `ready` is true only when all that are not optional may. */
export interface SecretsResult {
  readonly ready: boolean;
  readonly status:
    | "answered"
    | "already_present"
    | "dismissed"
    | "declined"
    | "cancelled"
    | "expired"
    | "pending"
    | "secrets_off";
  readonly names: readonly string[];
  /** The sentence for the model. */
  readonly text: string;
  readonly request?: InputRequest | undefined;
}

/** `client.secrets`: ask a person for secrets, and lease their values. Only a lease gives values. */
export class Secrets {
  constructor(
    private readonly calls: Calls,
    private readonly requests: Requests,
    private readonly threadOf: ThreadOf,
  ) {}

  /** Ask a person for secrets by name. With `wait: false` it resolves immediately, pending unless the values are stored. */
  async request(names: string | readonly string[], options: SecretOptions): Promise<SecretsResult> {
    const {
      thread_id,
      signal,
      idempotency_key,
      retry_for,
      cancel_on_abort,
      wait = true,
      ...content
    } = options;
    const { reason, instructions, project, default_scope, metadata, hide_names, probe, ...envelope } =
      content;
    const list = listOf(names);
    const secret = { names: list, reason, instructions, project, default_scope, metadata, hide_names, probe };
    const body: SecretRequest = { ...envelope, kind: "secret", thread_id: this.threadOf(thread_id), secret };
    const call = { signal, idempotency_key, retry_for, cancel_on_abort };
    try {
      const request = await (wait ? this.requests.ask(body, call) : this.requests.create(body, call));
      return { ...resultOf(request), text: await this.requests.text(request, { signal, retry_for }) };
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "secrets_off") throw error;
      const text = fill("secret.off", { names: list.join(", "), it: list.length === 1 ? "it" : "them" });
      return { ready: false, status: "secrets_off", names: list, text };
    }
  }

  /**
   * Lease the values that a person gave to this agent in a thread, for as long as `use` runs; resolves with its result.
   *
   * `refs` are those of sensitive fields. Rejects with `Refused` (`not_granted`, `secret_gone`), whose `fieldErrors`
   * name the secrets.
   */
  async lease<T>(
    names: string | readonly string[],
    { thread_id, refs = [], signal }: { thread_id?: string; refs?: readonly string[]; signal?: AbortSignal },
    use: (lease: Lease) => T | Promise<T>,
  ): Promise<T> {
    const body = { thread_id: this.threadOf(thread_id), names: listOf(names), refs: [...refs] };
    const { secrets } = await this.calls.call("lease_secrets", {}, body, { signal });
    const values = new Map(Object.entries(secrets).map(([name, { value }]) => [name, value]));
    const lease = new Lease(values, body.names);
    try {
      return await use(lease);
    } finally {
      values.clear();
      lease.end();
    }
  }
}

/** The values of secrets while they are in use. It shows its names only, also in JSON and in a log. */
export class Lease {
  #values: ReadonlyMap<string, string> | null;

  constructor(
    values: ReadonlyMap<string, string>,
    readonly names: readonly string[],
  ) {
    this.#values = values;
  }

  /** Return a value, by its name or by the reference of a sensitive field; throws `LeaseEnded` after the callback. */
  reveal(name: string): string {
    if (!this.#values) throw new LeaseEnded();
    const value = this.#values.get(name);
    if (value === undefined) throw new RangeError(`${name} is not part of this lease.`);
    return value;
  }

  /** Return the environment of a child process: that of this one without askback's variables, and the values. */
  environ(base: Readonly<Record<string, string | undefined>> = ownEnvironment()): Record<string, string> {
    const definedEntries = Object.entries(base).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    return Object.fromEntries([
      ...definedEntries,
      ...this.names.map((name) => [name, this.reveal(name)] as const),
    ]);
  }

  end(): void {
    this.#values = null;
  }
}

/** A child has no business with askback's variables: the agent's token is one. */
const ownEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(globalThis.process?.env ?? {}).filter(([name]) => !name.startsWith("ASKBACK_")),
  );

const listOf = (names: string | readonly string[]): string[] =>
  typeof names === "string" ? [names] : [...names];

function resultOf(request: InputRequest): Omit<SecretsResult, "text"> {
  const { answer, secret } = request;
  const status = statusOf(request);
  const ready = status === "answered" || status === "already_present";
  return { ready, status, names: answer?.names?.length ? answer.names : (secret?.names ?? []), request };
}

function statusOf({ status, reason, answer }: InputRequest): SecretsResult["status"] {
  if (status === "pending" || status === "resolving") return "pending";
  if (status === "declined" && reason === "dismissed") return "dismissed";
  if (status !== "answered") return status;
  const { names = [], existing = [] } = answer ?? {};
  return names.length > 0 && names.every((name) => existing.includes(name)) ? "already_present" : "answered";
}
