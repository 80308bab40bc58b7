import { wireError } from "./errors.ts";

interface Call {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const LOST = { error: { code: "network", message: "" } };

/** One open WebSocket: numbered calls and what comes unasked. */
export class Socket {
  private readonly calls = new Map<number, Call>();
  private last = 0;

  private constructor(
    private readonly ws: WebSocket,
    private readonly heard: (frame: Record<string, unknown>) => void,
    closed: (code: number) => void,
  ) {
    ws.onmessage = (event) => this.take(JSON.parse(String(event.data)));
    ws.onclose = (event) => {
      for (const call of this.calls.values()) call.reject(wireError(0, LOST));
      this.calls.clear();
      closed(event.code);
    };
  }

  /** Connect; rejects when the connection cannot be made. */
  static open(
    url: string,
    heard: (frame: Record<string, unknown>) => void,
    closed: (code: number) => void,
  ): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const ws = new WebSocket(url, "askback.v1");
      ws.onopen = () => resolve(new Socket(ws, heard, closed));
      ws.onclose = (event) => reject(wireError(event.code === 4401 ? 401 : 0, LOST));
    });
  }

  /** Do one operation of the wire; rejects with a `WireError`. */
  call<T>(op: string, args: Record<string, unknown> = {}): Promise<T> {
    this.last += 1;
    const id = this.last;
    return new Promise<T>((resolve, reject) => {
      this.calls.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.ws.send(JSON.stringify({ id, op, ...args }));
    });
  }

  close(): void {
    this.ws.close();
  }

  private take(frame: Record<string, unknown>): void {
    const call = this.calls.get(frame.id as number);
    this.calls.delete(frame.id as number);
    if (!call) this.heard(frame);
    else if ("error" in frame)
      call.reject(wireError((frame.error as { status?: number }).status ?? 500, frame));
    else call.resolve(frame.ok);
  }
}
