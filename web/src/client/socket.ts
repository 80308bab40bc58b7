import { WireError } from "./errors.ts";

type Frame = Record<string, unknown>;

/** One open WebSocket: numbered calls and what comes unasked. */
export interface Socket {
  /** Do one operation of the wire; rejects with a `WireError`. */
  call<T>(op: string, args?: Frame): Promise<T>;
  close(): void;
}

/** Connect; rejects when the connection cannot be made. */
export function openSocket(url: string, heard: (frame: Frame) => void, closed: () => void): Promise<Socket> {
  const ws = new WebSocket(url, "askback.v1");
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
    let lost = (code: number): void => reject(new WireError(code === 4401 ? 401 : 0));
    ws.onopen = () => {
      lost = closed;
      resolve({ call, close: () => ws.close() });
    };
    ws.onclose = ({ code }) => {
      for (const answered of calls.values()) answered(null);
      calls.clear();
      lost(code);
    };
  });
}
