/** A rule that a value breaks: `path` says where, `key` names the sentence in the catalogue, `params` fills it. */
export interface Fault {
  path: string;
  key: string;
  params: Record<string, unknown>;
}

export const fault = (path: string, key: string, params: Record<string, unknown> = {}): Fault => ({
  path,
  key,
  params,
});
