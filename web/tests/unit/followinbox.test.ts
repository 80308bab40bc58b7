import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { Follower } from "../../src/client/connection.ts";
import { followInbox } from "../../src/client/follow-inbox.ts";
import type { Socket } from "../../src/client/socket.ts";
import type { InputRequest, RequestEvent } from "../../src/core/generated/wire.ts";
import type { Inbox } from "../../src/core/inbox.ts";

const AT = "2026-11-20T10:00:00Z";

function requestEvent(seq: number, id: string, status: InputRequest["status"] = "pending"): RequestEvent {
  const request: InputRequest = { id, kind: "form", thread_id: "t", created_at: AT, status, revision: 1 };
  const type = status === "pending" ? "request.created" : "request.answered";
  return { type, seq, position: seq, thread_id: "t", at: AT, request };
}

test("what has ended is forgotten when the inbox is read again", async () => {
  let follower: Follower | undefined;
  const client = {
    follow(given: Follower) {
      follower = given;
      return () => {};
    },
  };
  const open = requestEvent(1, "r1").request;
  const socket = {
    call: async (_: string, { status }: { status?: string }) => ({
      requests: status === "pending" ? [open] : [],
      next_cursor: null,
    }),
  };
  let shown: Inbox | undefined;
  followInbox(client as unknown as Client, (inbox) => {
    shown = inbox;
  });
  await follower?.sync(socket as unknown as Socket);
  follower?.event(requestEvent(2, "r2"));
  follower?.event(requestEvent(3, "r2", "answered"));
  expect([...(shown?.byId.keys() ?? [])]).toEqual(["r1", "r2"]);
  await follower?.sync(socket as unknown as Socket);
  expect([...(shown?.byId.keys() ?? [])]).toEqual(["r1"]);
});
