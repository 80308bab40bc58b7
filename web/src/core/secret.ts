/** A request for secrets, as the server shows it; see "Secrets" in docs/reference/wire.md. No value is ever in it. */

export type SecretScope = "session" | "project" | "global";

/** From the nearest to the farthest: what is set in a nearer one is what is used. */
const SCOPES: readonly SecretScope[] = ["session", "project", "global"];

/** What helps to find and type one value. */
export interface SecretHelp {
  description?: string | null;
  placeholder?: string | null;
  format_hint?: string | null;
  input?: "password" | "text" | "textarea";
}

/** `reason`, `instructions` and `metadata` are what the agent says; `present` says where a name is set already. */
export interface SecretAsk {
  names: string[];
  hide_names?: boolean;
  /** How many names there are, where they are hidden from this reader. */
  count?: number | null;
  reason: string;
  instructions?: string | null;
  default_scope?: SecretScope;
  project?: string | null;
  metadata?: Record<string, SecretHelp>;
  present?: Record<string, SecretScope[]>;
}

/** Where the value is kept that would be used for a name, or nothing where none is. */
export const nearestScope = ({ present }: SecretAsk, name: string): SecretScope | undefined =>
  SCOPES.find((scope) => present && Object.hasOwn(present, name) && present[name]?.includes(scope));

/** What a person can choose from: a project only where the agent works on one. */
export const availableScopes = ({ project }: SecretAsk): SecretScope[] =>
  SCOPES.filter((scope) => scope !== "project" || project);
