import type { Operation } from "../core/generated/wire.ts";
import { WireError } from "./errors.ts";

type Frame = Record<string, unknown>;

/** One open WebSocket: numbered calls, and frames that the server sends by itself. */
export interface Socket {
  /** Run one operation; rejects with a `WireError`. */
  call<T>(op: Operation, args?: Frame): Promise<T>;
  /** Close immediately; on a dead network the browser reports the end only after a minute. */
  close(): void;
}

/** How long connecting may take: on a dead network the browser reports no failure. */
const TIMEOUT_MS = 15_000;

/** The close code for an unknown or expired session or token. */
export const UNAUTHORIZED = 4401;

/** Connect, with `credentials` as further subprotocols; rejects if connecting fails. */
export function openSocket(
  url: string,
  credentials: string[],
  onFrame: (frame: Frame) => void,
  onClose: (code: number) => void,
): Promise<Socket> {
  const ws = new WebSocket(url, ["askback.v1", ...credentials]);
  const calls = new Map<unknown, (frame: Frame | null) => void>();
  let lastId = 0;
  const call = <T>(op: Operation, args: Frame = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      calls.set(lastId, (frame) => {
        if (frame && !("error" in frame)) resolve(frame.ok as T);
        else reject(new WireError((frame?.error as { status?: number } | undefined)?.status ?? 0, frame));
      });
      ws.send(JSON.stringify({ id: lastId, op, ...args }));
    });
  ws.onmessage = ({ data }) => {
    const frame: Frame = JSON.parse(String(data));
    const resolveCall = calls.get(frame.id) ?? onFrame;
    calls.delete(frame.id);
    resolveCall(frame);
  };
  return new Promise((resolve, reject) => {
    let settle = (code: number): void => reject(new WireError(code === UNAUTHORIZED ? 401 : 0));
    const end = (code = 0): void => {
      clearTimeout(timeout);
      ws.onmessage = null;
      ws.onclose = null;
      for (const resolveCall of calls.values()) resolveCall(null);
      calls.clear();
      settle(code);
    };
    const close = (): void => {
      ws.close();
      end();
    };
    const timeout = setTimeout(close, TIMEOUT_MS);
    ws.onopen = () => {
      clearTimeout(timeout);
      settle = onClose;
      resolve({ call, close });
    };
    ws.onclose = ({ code }) => end(code);
  });
}
