import { WireError } from "../../client/errors.ts";
import type { FileValue } from "../../core/generated/wire.ts";
import type { Sender } from "../kind.ts";

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** A call with a body of bytes, of which `progress` hears; `fetch` does not say how much it has sent. */
export class FileCall {
  readonly #request = new XMLHttpRequest();

  /** Resolves with the reply; rejects with a `WireError`, whose status is 0 after `abort`. */
  async send<T>(
    client: Sender | undefined,
    method: "POST" | "DELETE",
    path: string,
    body?: Blob,
    progress?: (sent: number) => void,
  ): Promise<T> {
    const key = await client?.sessionKey?.();
    const request = this.#request;
    return new Promise((resolve, reject) => {
      request.open(method, path);
      if (key) request.setRequestHeader("X-Askback-Session", key);
      request.setRequestHeader("Accept-Language", document.documentElement.lang || "en");
      if (body) request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.onprogress = ({ loaded }) => progress?.(loaded);
      request.onload = () => {
        const reply = parsed(request.responseText);
        if (request.status < 300) resolve(reply as T);
        else reject(new WireError(request.status, reply));
      };
      request.onerror = () => reject(new WireError(0));
      request.onabort = request.onerror;
      request.send(body ?? null);
    });
  }

  abort(): void {
    this.#request.abort();
  }
}

export const pathOf = ({ id }: FileValue): string => `/v1/files/${encodeURIComponent(id)}`;

/** An address that this browser can open for a minute. */
export async function addressOf(client: Sender | undefined, path: string): Promise<string> {
  const { url } = (await client?.post?.<{ url: string }>("/v1/session/addresses", { path }, "")) ?? {
    url: "",
  };
  return url;
}

/** Save a file where the browser saves downloads. */
export async function download(client: Sender | undefined, file: FileValue): Promise<void> {
  const link = document.createElement("a");
  link.href = await addressOf(client, pathOf(file));
  link.download = file.name;
  link.click();
}
