import { NoServer } from "./errors.ts";

/** Where a server is, and the token to use there. */
export interface Server {
  readonly url: string;
  readonly token: string;
}

/**
 * Return the server to talk to.
 *
 * Arguments win over a file of credentials (`ASKBACK_CREDENTIALS`), the file over `ASKBACK_URL` and `ASKBACK_TOKEN`,
 * which win over the `server.json` that a server writes into its data folder (`ASKBACK_DATA_DIR`).
 * Rejects with `NoServer`.
 */
export async function findServer(options: Partial<Server>): Promise<Server> {
  const env: Readonly<Record<string, string | undefined>> = globalThis.process?.env ?? {};
  const credentials = env.ASKBACK_CREDENTIALS ? await readJson(env.ASKBACK_CREDENTIALS) : {};
  const configured =
    Object.keys(credentials).length > 0 ? credentials : { url: env.ASKBACK_URL, token: env.ASKBACK_TOKEN };
  let url = options.url || configured.url;
  let token = options.token || configured.token;
  if (!url || !token) {
    const folder = credentials.data_dir || env.ASKBACK_DATA_DIR || `${env.HOME ?? ""}/.local/share/askback`;
    const serverFile = await readJson(`${folder}/server.json`);
    if (!token && (!url || url === serverFile.url)) token = serverFile.requester_token;
    url ||= serverFile.url;
  }
  if (!url) throw new NoServer("No askback server is known. Set ASKBACK_URL, or run `askback serve`.");
  if (!token) throw new NoServer(`No token for ${url}. Set ASKBACK_TOKEN; \`askback serve\` prints it.`);
  if (!/^https?:\/\//.test(url))
    throw new NoServer(`The address ${url} must begin with http:// or https://.`);
  return { url: url.replace(/\/+$/, ""), token };
}

/** Read a file of texts; one that is missing or unreadable is empty, and so is every file outside of Node. */
async function readJson(path: string): Promise<Readonly<Record<string, string | undefined>>> {
  try {
    const { readFile } = await import("node:fs/promises");
    return JSON.parse(await readFile(path, "utf8")) ?? {};
  } catch {
    return {};
  }
}
