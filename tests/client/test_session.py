"""The client's session, without I/O: frames in, frames out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askback.client.session import FOREVER, Session
from askback.client.subscriptions import Listener
from askback.errors import AskbackError, ConnectionLost, Invalid, NotFound, Unavailable


class CallFuture:
    """The future of a caller."""

    def __init__(self, *, withdraw: bool = False) -> None:
        self.request_id: str | None = None
        self.withdraw = withdraw
        self.result: Any = None
        self.error: BaseException | None = None
        self.cancelled = False

    def done(self) -> bool:
        return self.cancelled or self.result is not None or self.error is not None

    def set_result(self, result: Any, /) -> None:
        self.result = result

    def set_exception(self, exception: BaseException, /) -> None:
        self.error = exception


class Reader:
    def __init__(self, cursor: int | None = None) -> None:
        self.events: list[int] = []
        self.errors: list[AskbackError] = []
        self.listener = Listener(lambda e: self.events.append(e["seq"]), self.errors.append, cursor)


def frame(text: str | None) -> dict[str, Any]:
    assert text is not None
    return json.loads(text)


def receive(session: Session, **message: Any):
    now = message.pop("now", 0.0)
    return session.handle(json.dumps(message), now=now)


def follow(session: Session, thread_id: str | None, reader: Reader) -> None:
    """Subscribe a reader, as a server would whose newest event has the number 0."""
    sent_frame = frame(session.subscriptions.listen(thread_id, reader.listener))
    receive(session, id=sent_frame["id"], ok={"cursor": sent_frame.get("cursor", 0)})


def create_request(session: Session, future: CallFuture) -> dict[str, Any]:
    text = session.call('"op":"create_request","wait":true', future, retry_for=FOREVER, now=0.0, watch=True)
    return frame(text)


PENDING = {"id": "req_1", "status": "pending"}
ANSWERED = {"id": "req_1", "status": "answered", "answer": {"values": {}}}


def test_answers_find_their_callers_in_any_order():
    session, future, two = Session(), CallFuture(), CallFuture()
    first_frame = frame(session.call('"op":"get_request"', future, retry_for=1, now=0))
    second_frame = frame(session.call('"op":"list_requests"', two, retry_for=1, now=0))
    receive(session, id=second_frame["id"], ok={"n": 2})
    receive(
        session,
        id=first_frame["id"],
        error={"code": "invalid", "message": "no", "status": 422, "field_errors": []},
    )
    assert two.result == {"n": 2}
    assert isinstance(future.error, Invalid)
    assert not session.busy()


def test_an_asked_request_resolves_its_ticket_only_when_it_settles():
    session, future = Session(), CallFuture()
    sent_request = create_request(session, future)
    receive(session, id=sent_request["id"], ok=PENDING)
    assert (future.done(), future.request_id) == (False, "req_1")
    receive(session, settled=ANSWERED)
    receive(session, settled=ANSWERED)
    assert future.result == ANSWERED
    assert not session.busy()


def test_a_repeated_request_with_an_answer_resolves_immediately():
    session, future = Session(), CallFuture()
    receive(session, id=create_request(session, future)["id"], ok=ANSWERED)
    assert future.result == ANSWERED


def test_a_new_connection_repeats_open_calls_and_asks_for_every_wait_and_subscription():
    session, reader = Session(), Reader(cursor=4)
    receive(session, id=create_request(session, CallFuture())["id"], ok=PENDING)
    session.wait("req_2", CallFuture())
    follow(session, "t1", reader)
    receive(session, event={"thread_id": "t1", "seq": 5, "position": 9})
    open_call = session.call('"op":"get_request","request_id":"req_3"', CallFuture(), retry_for=30, now=0)
    frames = [frame(text) for text in session.reconnect_frames()]
    assert [{k: v for k, v in f.items() if k != "id"} for f in frames] == [
        {"op": "get_request", "request_id": "req_3"},
        {"op": "wait", "request_ids": ["req_1", "req_2"]},
        {"op": "subscribe", "thread_id": "t1", "cursor": 5},
    ]
    assert frames[0] == frame(open_call)
    assert len({f["id"] for f in frames}) == 3


def test_an_outcome_missed_while_disconnected_arrives_after_reconnecting():
    session, settled_future, open_, unknown = Session(), CallFuture(), CallFuture(), CallFuture()
    for request_id, future in (("req_1", settled_future), ("req_2", open_), ("req_3", unknown)):
        session.wait(request_id, future)
    (wait,) = session.reconnect_frames()
    receive(session, id=frame(wait)["id"], ok={"settled": [ANSWERED], "unknown": ["req_3"]})
    assert settled_future.result == ANSWERED
    assert not open_.done()
    assert isinstance(unknown.error, NotFound)


def test_two_waits_for_one_request_are_one_wait_on_the_wire():
    session, future, two = Session(), CallFuture(), CallFuture()
    assert session.wait("req_1", future) is not None
    assert session.wait("req_1", two) is None
    assert session.abandon(future) is None
    assert session.awaits("req_1")
    receive(session, settled=ANSWERED)
    assert (future.result, two.result) == (None, ANSWERED)
    assert session.abandon(two) is None


def test_the_end_of_the_last_wait_is_reported_to_the_server():
    session, future, late_ticket = Session(), CallFuture(), CallFuture()
    session.wait("req_1", future)
    ended = frame(session.abandon(future))
    assert (ended["op"], ended["request_ids"]) == ("unwait", ["req_1"])
    assert not session.awaits("req_1")
    call = create_request(session, late_ticket)
    late_ticket.cancelled = True
    [ended] = map(frame, receive(session, id=call["id"], ok=PENDING).frames)
    assert (ended["op"], ended["request_ids"]) == ("unwait", ["req_1"])


def test_a_request_created_for_a_cancelled_caller_is_an_orphan():
    session, future, kept_ticket = Session(), CallFuture(withdraw=True), CallFuture(withdraw=False)
    first_request, second_request = create_request(session, future), create_request(session, kept_ticket)
    future.cancelled = kept_ticket.cancelled = True
    assert receive(session, id=first_request["id"], ok=PENDING).orphans == ["req_1"]
    assert receive(session, id=second_request["id"], ok=PENDING).orphans == []
    assert not session.has_pending_withdrawals()


def test_a_cancelled_caller_does_not_end_the_wait_of_another_caller():
    for withdraw in (False, True):
        session, asker, other_ticket = Session(), CallFuture(withdraw=withdraw), CallFuture()
        session.wait("req_1", other_ticket)
        sent_request = create_request(session, asker)
        asker.cancelled = True
        effects = receive(session, id=sent_request["id"], ok=PENDING)
        assert (effects.frames, effects.orphans) == ([], [])
        receive(session, settled=ANSWERED)
        assert other_ticket.result == ANSWERED


def test_a_wait_that_began_before_the_last_one_had_ended_is_asked_for_again():
    session, future, second_ticket = Session(), CallFuture(), CallFuture()
    session.wait("req_1", future)
    ended_frame = frame(session.abandon(future))
    session.wait("req_1", second_ticket)
    [wait] = map(frame, receive(session, id=ended_frame["id"], ok={}).frames)
    assert (wait["op"], wait["request_ids"]) == ("wait", ["req_1"])


def test_a_server_without_the_operation_for_ending_a_wait_gets_no_retry():
    session, future = Session(), CallFuture()
    session.wait("req_1", future)
    ended_frame = frame(session.abandon(future))
    error_members = {"code": "unknown_operation", "message": "no", "status": 422}
    assert not receive(session, id=ended_frame["id"], error=error_members).reset


def test_calls_time_out_and_waits_never_do():
    session, call, ask, wait = Session(), CallFuture(), CallFuture(), CallFuture()
    session.call('"op":"get_request"', call, retry_for=30, now=100.0)
    create_request(session, ask)
    session.wait("req_9", wait)
    assert session.next_timeout(110.0, 90.0) == 20.0
    assert session.take_overdue(129.0, 90.0) == []
    assert session.take_overdue(130.0, 90.0) == [call]
    assert session.take_overdue(1e9, 0.0) == []
    assert session.next_timeout(1e9, 0.0) == FOREVER


def test_the_timeout_counts_from_the_loss_of_the_connection():
    session, call = Session(), CallFuture()
    session.call('"op":"get_request"', call, retry_for=30, now=0.0)
    assert session.take_overdue(129.0, 100.0) == []
    assert session.take_overdue(130.0, 100.0) == [call]


LATER = {"code": "unavailable", "message": "later", "status": 503}


def test_a_call_is_retried_while_the_server_cannot_store():
    session, call = Session(), CallFuture()
    sent = session.call('"op":"answer_request"', call, retry_for=10, now=100.0)
    pauses = list[float]()
    for now in (100.0, 101.0, 102.0, 103.0, 104.0, 105.0):
        retry = receive(session, id=1, error=LATER, now=now).retry
        if retry is None:
            break
        assert session.retry(retry.number) == sent
        assert session.retry(retry.number) is None
        pauses.append(retry.seconds)
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0]
    assert isinstance(call.error, Unavailable)


def test_a_retry_waits_for_the_time_that_the_server_named():
    session, patient, hasty = Session(), CallFuture(), CallFuture()
    session.call('"op":"answer_request"', patient, retry_for=30, now=0.0)
    session.call('"op":"answer_request"', hasty, retry_for=30, now=0.0)
    assert receive(session, id=1, error={**LATER, "retry_after": 7}).retry == (1, 7.0)
    assert receive(session, id=2, error={**LATER, "retry_after": 31}).retry is None
    assert isinstance(hasty.error, Unavailable)
    assert hasty.error.retry_after == 31


def test_an_awaited_question_is_sent_until_it_is_accepted():
    session, ask = Session(), CallFuture()
    sent_request = create_request(session, ask)
    assert receive(session, id=sent_request["id"], error=LATER, now=1e9).retry is not None
    receive(session, id=sent_request["id"], ok=ANSWERED)
    assert ask.result == ANSWERED
    assert session.retry(sent_request["id"]) is None


def test_a_call_that_rests_is_sent_once_on_a_new_connection():
    session, call = Session(), CallFuture()
    sent = session.call('"op":"answer_request"', call, retry_for=30, now=0.0)
    assert receive(session, id=1, error=LATER).retry is not None
    assert session.reconnect_frames() == [sent]
    assert session.retry(1) is None


def test_an_abandoned_call_is_not_retried():
    session, call = Session(), CallFuture()
    session.call('"op":"answer_request"', call, retry_for=30, now=0.0)
    call.cancelled = True
    assert receive(session, id=1, error=LATER).retry is None
    assert not session.busy()


@pytest.mark.requirement("G5")
def test_a_reader_never_sees_an_event_twice_or_an_older_one():
    session, reader = Session(), Reader(cursor=2)
    follow(session, "t1", reader)
    for seq in (1, 2, 3, 3, 2, 4, 1, 5, 5):
        receive(session, event={"thread_id": "t1", "seq": seq, "position": 100 - seq})
    assert reader.events == [3, 4, 5]


def test_the_inbox_and_a_thread_have_separate_subscriptions():
    session, thread, inbox = Session(), Reader(cursor=0), Reader(cursor=0)
    follow(session, "t1", thread)
    follow(session, None, inbox)
    receive(session, event={"thread_id": "t1", "seq": 3, "position": 50})
    receive(session, event={"thread_id": "t1", "seq": 1, "position": 10}, inbox=True)
    receive(session, event={"thread_id": "t1", "seq": 3, "position": 50}, inbox=True)
    assert (thread.events, inbox.events) == ([3], [1, 3])


@pytest.mark.requirement("G5")
def test_a_second_reader_gets_earlier_events_before_the_events_of_the_first():
    session, first_reader, second_reader = Session(), Reader(cursor=0), Reader(cursor=0)
    follow(session, "t1", first_reader)
    receive(session, event={"thread_id": "t1", "seq": 1, "position": 1})
    sent_frame = frame(session.subscriptions.listen("t1", second_reader.listener))
    receive(session, event={"thread_id": "t1", "seq": 2, "position": 2})  # of the subscription of the first
    receive(session, id=sent_frame["id"], ok={"cursor": sent_frame["cursor"]})
    for seq in (1, 2, 3):
        receive(session, event={"thread_id": "t1", "seq": seq, "position": seq})
    assert (first_reader.events, second_reader.events) == ([1, 2, 3], [1, 2, 3])


def test_a_reader_without_a_cursor_gets_no_earlier_events_that_another_lacks():
    session, first_reader, second_reader = Session(), Reader(cursor=0), Reader()
    follow(session, "t1", first_reader)
    sent_frame = frame(session.subscriptions.listen("t1", second_reader.listener))
    assert "cursor" not in sent_frame
    receive(session, id=sent_frame["id"], ok={"cursor": 2})
    for seq in (1, 2, 3):
        receive(session, event={"thread_id": "t1", "seq": seq, "position": seq})
    assert (first_reader.events, second_reader.events) == ([1, 2, 3], [3])


def test_a_new_connection_subscribes_readers_with_and_without_a_cursor():
    session, first_reader, second_reader = Session(), Reader(cursor=4), Reader()
    follow(session, "t1", first_reader)
    session.subscriptions.listen("t1", second_reader.listener)
    frames = [frame(text) for text in session.reconnect_frames()]
    assert [item.get("cursor") for item in frames] == [4, None]


def test_after_a_resync_every_subscription_restarts_from_its_cursor():
    session, reader = Session(), Reader(cursor=7)
    session.subscriptions.listen(None, reader.listener)
    session.wait("req_1", CallFuture())
    frames = [frame(text) for text in receive(session, resync=True).frames]
    assert [(f["op"], f.get("request_ids"), f.get("cursor")) for f in frames] == [
        ("wait", ["req_1"], None),
        ("subscribe", None, 7),
    ]


def test_a_refused_subscription_fails_its_readers():
    session, reader = Session(), Reader()
    sent_frame = frame(session.subscriptions.listen(None, reader.listener))
    receive(session, id=sent_frame["id"], error={"code": "forbidden", "message": "no", "status": 403})
    assert [type(error).__name__ for error in reader.errors] == ["Forbidden"]
    assert not session.busy()


def test_the_last_reader_to_leave_ends_the_subscription():
    session, reader, two = Session(), Reader(), Reader()
    session.subscriptions.listen("t1", reader.listener)
    session.subscriptions.listen("t1", two.listener)
    assert session.subscriptions.leave("t1", reader.listener) is None
    assert frame(session.subscriptions.leave("t1", two.listener))["op"] == "unsubscribe"
    assert session.subscriptions.leave("t1", two.listener) is None


def test_a_refused_wait_means_a_new_connection():
    session = Session()
    sent_frame = frame(session.wait("req_1", CallFuture()))
    assert receive(
        session, id=sent_frame["id"], error={"code": "internal", "message": "?", "status": 500}
    ).reset


def test_closing_fails_whatever_is_open():
    session, call, wait, reader = Session(), CallFuture(), CallFuture(), Reader()
    session.call('"op":"get_request"', call, retry_for=30, now=0)
    session.wait("req_1", wait)
    session.subscriptions.listen("t1", reader.listener)
    session.fail_all(lambda: ConnectionLost("closed"))
    assert all(isinstance(t.error, ConnectionLost) for t in (call, wait))
    assert len(reader.errors) == 1
    assert not session.busy()


def test_many_waits_are_asked_for_in_frames_that_the_server_takes():
    session = Session()
    for n in range(10_001):
        session.wait(f"req_{n:026d}", CallFuture())
    frames = session.reconnect_frames()
    assert len(frames) == 6
    assert max(map(len, frames)) < 256 * 1024
    assert sum(len(frame(f)["request_ids"]) for f in frames) == 10_001
