import { WireError } from "./errors.ts";

type Frame = Record<string, unknown>;

/** One open WebSocket: numbered calls and what comes unasked. */
export interface Socket {
  /** Do one operation of the wire; rejects with a `WireError`. */
  call<T>(op: string, args?: Frame): Promise<T>;
  /** Be rid of it at once: on a dead network the browser says only after a minute that it is closed. */
  close(): void;
}

/** How long a connection may take: on a dead network nobody says that it cannot be made. */
const PATIENCE_MS = 15_000;

/** The close code for a session or token that is not, or no longer, known. */
export const UNAUTHORIZED = 4401;

/** Connect, offering `credentials` beside the protocol; rejects when the connection cannot be made. */
export function openSocket(
  url: string,
  credentials: string[],
  heard: (frame: Frame) => void,
  closed: (code: number) => void,
): Promise<Socket> {
  const ws = new WebSocket(url, ["askback.v1", ...credentials]);
  const calls = new Map<unknown, (frame: Frame | null) => void>();
  let last = 0;
  const call = <T>(op: string, args: Frame = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      last += 1;
      calls.set(last, (frame) => {
        if (frame && !("error" in frame)) resolve(frame.ok as T);
        else reject(new WireError((frame?.error as { status?: number } | undefined)?.status ?? 0, frame));
      });
      ws.send(JSON.stringify({ id: last, op, ...args }));
    });
  ws.onmessage = ({ data }) => {
    const frame: Frame = JSON.parse(String(data));
    const answered = calls.get(frame.id) ?? heard;
    calls.delete(frame.id);
    answered(frame);
  };
  return new Promise((resolve, reject) => {
    let lost = (code: number): void => reject(new WireError(code === UNAUTHORIZED ? 401 : 0));
    const end = (code = 0): void => {
      clearTimeout(patience);
      ws.onmessage = null;
      ws.onclose = null;
      for (const answered of calls.values()) answered(null);
      calls.clear();
      lost(code);
    };
    const close = (): void => {
      ws.close();
      end();
    };
    const patience = setTimeout(close, PATIENCE_MS);
    ws.onopen = () => {
      clearTimeout(patience);
      lost = closed;
      resolve({ call, close });
    };
    ws.onclose = ({ code }) => end(code);
  });
}
