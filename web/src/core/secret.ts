import type { SecretScope, ShownSecret } from "./generated/wire.ts";

/** From the nearest to the farthest: what is set in a nearer one is what is used. */
const SCOPES: readonly SecretScope[] = ["session", "project", "global"];

/** Where the value is kept that would be used for a name, or nothing where none is. */
export const nearestScope = ({ present }: ShownSecret, name: string): SecretScope | undefined =>
  SCOPES.find((scope) => present && Object.hasOwn(present, name) && present[name]?.includes(scope));

/** What a person can choose from: a project only where the agent works on one. */
export const availableScopes = ({ project }: ShownSecret): SecretScope[] =>
  SCOPES.filter((scope) => scope !== "project" || project);
