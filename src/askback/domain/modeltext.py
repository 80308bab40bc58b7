"""The sentences about the outcome of a request that a model reads.

A model that only reads "no" tries again or tries another way, and one that reads nothing makes up an answer. So each
sentence says what happened, what did not happen, and what to do now.

A key of `TEXTS` has the kind (`form`, `approval`, `plan`, `secret`, `action`), the outcome, and details if they
matter. An outcome without a text uses the text of the key before its last dot. Words of a person or a
rule are filled in as data: they are not searched for placeholders, and they come last. Requirements M6, E8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from askback.domain import questiontext
from askback.domain.kinds import BUILT_IN, KINDS, PACKAGE
from askback.domain.lifecycle import Status
from askback.domain.questiontext import quote
from askback.domain.request import Answer, InputRequest

BRAND = "askback"
"""The name in texts about secrets, unless the client chooses another one."""

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        # a question
        "form.answered": "The person answered {question}: {answers}",
        "form.answered.empty": "The person submitted {question} without filling anything in.",
        "form.answered.default": "Nobody answered {question} in time, so its defaults count: {answers}",
        "form.answered.hook": "The person did not answer {question}. A check answered instead: {answers}",
        "form.declined": "The person did not answer {question}. Do not make up an answer, and do not ask it again.",
        "form.declined.skipped": (
            "The person skipped {question}. Make a reasonable assumption, continue, and state what you assumed."
        ),
        "form.declined.dismissed": (
            "The person closed {question} without answering. Do not ask it again right away: "
            "ask whether to continue without it, or turn to something else."
        ),
        "form.declined.refused": (
            "The person will not answer {question}. "
            "Do not ask it again in other words: continue without the answer, or stop."
        ),
        "form.repeated": (
            "The person already declined {question}, and was not asked again. Continue without the answer."
        ),
        "form.cancelled": "The question {question} was withdrawn before it was answered. Do not make up an answer.",
        "form.expired": (
            "Nobody answered {question} in time. "
            "That is not an answer: do not make one up, and do not ask again right away."
        ),
        "form.resolving": (
            "An answer to {question} waits for you to check it. Accept it, or ask again and say what is wrong; "
            "it does not count before. The person answered: {answers}"
        ),
        "form.resolving.decline": (
            "The person declined {question}, and you decide about that: accept it, or ask again once, and say why. "
            "Until then they had typed: {answers}"
        ),
        "form.resolving.timeout": (
            "Nobody answered {question} in time, and you decide about that: accept it, answer with values of your own, "
            "or ask again with a new deadline."
        ),
        "form.pending": (
            "The person has not answered {question} yet. Do not make up an answer, and do not ask it again."
        ),
        # whether a tool may run
        "approval.approve": (
            "The call of the tool {tool} with {asked} was approved. Run it once, exactly as it was asked."
        ),
        "approval.approve.edited": (
            "The call of the tool {tool} with {asked} was approved with a changed input, which replaces yours. "
            "Run it once, exactly with this input: {input}"
        ),
        "approval.deny": (
            "The person denied execution of the tool {tool} with {asked}: it was not run. "
            "Do not ask for it again and do not try to reach the same goal in another way."
        ),
        "approval.deny.policy": (
            "The policy denied execution of the tool {tool} with {asked}: it was not run. "
            "Do not ask for it again and do not try to get around the policy."
        ),
        "approval.revoked": (
            "The person approved the call of the tool {tool} with {asked} and then revoked the approval: "
            "it was not run. Do not run it, do not ask for it again and do not try another way."
        ),
        "approval.repeated": (
            "The person already denied this call of the tool {tool} with {asked}. Nobody was asked again, "
            "and it was not run. Do not ask for it again and do not try another way."
        ),
        "approval.declined": (
            "The person did not want to decide about the tool {tool} with {asked}. "
            "That is not permission: it was not run. Do not ask for it again; continue without it."
        ),
        "approval.declined.dismissed": (
            "The person closed the request to run the tool {tool} with {asked} without deciding. "
            "That is not permission: it was not run. Do not ask for it again right away."
        ),
        "approval.cancelled": (
            "The request to run the tool {tool} with {asked} was withdrawn before anybody decided. "
            "That is not permission: it was not run and must not be run."
        ),
        "approval.expired": (
            "Nobody decided in time whether the tool {tool} may run with {asked}. That is not permission: "
            "it was not run and must not be run. Continue without it, or say what you are waiting for."
        ),
        "approval.pending": (
            "Nobody has decided yet whether the tool {tool} may run with {asked}. "
            "Do not run it and do not ask again; continue with something else."
        ),
        # a plan
        "plan.approve": (
            "The person approved the plan {plan}. Carry it out; calls that need approval still need it."
        ),
        "plan.accept_edits": (
            "The person approved the plan {plan}. Carry it out; edits of files in the project need no approval."
        ),
        "plan.changes": (
            "The person did not approve the plan {plan} and wants it changed. "
            "Do not start on it: make the changes, and ask again."
        ),
        "plan.revoked": (
            "The person approved the plan {plan} and then revoked the approval. "
            "Do not start on it; ask what to do instead."
        ),
        "plan.declined": (
            "The person did not want to decide about the plan {plan}. Do not start on it; ask what to do instead."
        ),
        "plan.cancelled": "The plan {plan} was withdrawn before anybody decided about it. Do not start on it.",
        "plan.expired": (
            "Nobody decided about the plan {plan} in time. That is not an approval: do not start on it."
        ),
        "plan.pending": (
            "Nobody has decided about the plan {plan} yet. Do not start on it, and do not ask again."
        ),
        # secrets
        "secret.answered": (
            "[{brand}] User submitted {names} (scope: {scope}). "
            "You can now retry the operation that needed {it}."
        ),
        "secret.existing": "[{brand}] {names} {was} already configured. You can proceed.",
        "secret.declined": (
            "[{brand}] User declined the request for {names}. "
            "Do not ask for {it} again, nor in the conversation: proceed without, or stop."
        ),
        "secret.declined.dismissed": (
            "[{brand}] User dismissed the request for {names}. Do not re-request immediately — "
            "ask whether to proceed without, or move on to other work."
        ),
        "secret.cancelled": (
            "[{brand}] The request for {names} was withdrawn before User submitted {it}. Proceed without, or stop."
        ),
        "secret.expired": (
            "[{brand}] User did not submit {names} in time. Do not re-request immediately — "
            "proceed without, or say what you wait for."
        ),
        "secret.resolving": (
            "[{brand}] User submitted {names}: try {it} now, then accept {it}, or ask again and say what is wrong."
        ),
        "secret.pending": (
            "[{brand}] User was asked for {names} and has not submitted {it} yet. "
            "Do not re-request, and do not ask for {it} in the conversation; continue with something else."
        ),
        "secret.off": (
            "[{brand}] User cannot be asked for {names}, because this server keeps no secrets. "
            "Do not ask for {it} in the conversation: proceed without, or stop."
        ),
        "secret.unverified": "Not verified: {they} may not work.",
        # something to do elsewhere
        "action.done": "The person did what you asked for: {action}. Continue.",
        "action.done.connected": (
            "The person connected the account: {action}. Its tokens are the secrets {names}, which you may use now."
        ),
        "action.failed": "It did not work: {action}. Do not assume that it was done.",
        "action.declined": (
            "The person does not want to do this: {action}. Do not ask for it again: continue without it, or stop."
        ),
        "action.declined.dismissed": (
            "The person closed this without doing it: {action}. Do not ask for it again right away: "
            "ask whether to continue without it, or turn to something else."
        ),
        "action.repeated": (
            "The person already declined this, and was not asked again: {action}. Continue without it."
        ),
        "action.cancelled": "This was withdrawn before it was done: {action}. Do not assume that it was done.",
        "action.expired": (
            "Nobody did this in time: {action}. Do not assume that it was done, and do not ask again right away."
        ),
        "action.resolving": (
            "The person says that this is done: {action}. Check it, then accept it, or ask again and say what is wrong."
        ),
        "action.pending": "The person was asked to do this and has not done it yet: {action}. Do not ask again.",
        # a kind of a package
        "package.answered": "The person answered {summary}: {data}",
        "package.answered.text": "{text}",
        "package.declined": (
            "The person did not answer {summary}. Do not make up an answer, and do not ask again right away: "
            "ask whether to continue without it, or turn to something else."
        ),
        "package.repeated": (
            "The person already declined {summary}, and was not asked again. Continue without the answer."
        ),
        "package.cancelled": "{summary} was withdrawn before it was answered. Do not make up an answer.",
        "package.expired": "Nobody answered {summary} in time. Do not make up an answer, nor ask again right away.",
        "package.pending": "The person has not answered {summary} yet. Do not make up an answer, and do not ask again.",
        # the reason of a cancellation, after the sentence about it
        "cancelled.agent_aborted": "The agent that asked was stopped.",
        "cancelled.user_message": "The person wrote a message instead: go by that.",
        "cancelled.stopped": "The person stopped you.",
        "cancelled.superseded": "A newer question replaced it.",
        "cancelled.thread_archived": "The conversation was closed.",
        "cancelled.admin": "An administrator withdrew it.",
        "cancelled.shutdown": "The program that asked was shut down.",
        "cancelled.not_shown": "Nobody was there to see it.",
        "cancelled.timeout": "Nobody answered in time.",
        "cancelled.failed": "Something failed while it was open.",
        # what never became a request, or lost its way
        "hook": (
            "A check refused the tool {tool}: it was not run. "
            "Do not ask for it again and do not try to get around the check."
        ),
        "unavailable": (
            "Nobody could be asked whether the tool {tool} may run, because askback cannot be reached. "
            "That is not permission: it was not run and must not be run."
        ),
        # an approval that cannot be used
        "used": (
            "The call of the tool {tool} was approved and has been started before. It was not started again. "
            "Whether it was completed is not known: check that before you ask for it again."
        ),
        "lapsed": (
            "The call of the tool {tool} was approved, but the approval is no longer valid: it was not run. "
            "If it is still needed, ask for it again."
        ),
        # a request that the agent may read again
        "open": (
            "It stays open as {request}: end your turn or continue with other work, and call get_answer with this "
            "request_id to read the answer. The person can answer at {url}"
        ),
        # somebody's note, on a separate line
        "reasons": "Why: {reasons}",
        "failure": "What went wrong: {reason}",
        "note": "Their note: {note}",
        "result": "The result of the check: {result}",
        "message": "The person was told: {message}",
    }
)
"""The texts by key, in English.

`{question}` is a form's title or the labels of its fields, `{answers}` the values with their labels. `{tool}` is the
tool's name, `{asked}` the input that was asked about and `{input}` the changed one; `{plan}` is a plan's title or
first line, `{action}` an action's title, `{summary}` what a package's kind asks, `{data}` its answer and `{text}` the
package's sentence. `{names}` are the names of secrets, with `{it}`, `{they}` and `{was}` in the singular or plural.
"""

_MORE_PLACEHOLDERS = MappingProxyType({"form.answered": frozenset({"values"})})
"""Placeholders that only replacements use: `{values}` is the values as JSON."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def with_texts(changes: Mapping[str, str], *, brand: str | None = None) -> Mapping[str, str]:
    """Return `TEXTS` with some texts replaced, and with another name than `BRAND`.

    A text may use the placeholders of the one that it replaces. Raises ValueError for an unknown key or any other
    placeholder.
    """
    for key, text in changes.items():
        if key not in TEXTS:
            raise ValueError(
                f"There is no text {key!r}; see askback.domain.modeltext.TEXTS for those there are."
            )
        known_placeholders = {*_PLACEHOLDER.findall(TEXTS[key]), *_MORE_PLACEHOLDERS.get(key, ())}
        if unknown_placeholders := set(_PLACEHOLDER.findall(text)) - known_placeholders:
            known_list = ", ".join(f"{{{name}}}" for name in sorted(known_placeholders)) or "no placeholder"
            raise ValueError(f"The text {key!r} may use {known_list}, not {{{min(unknown_placeholders)}}}.")
    texts = {**TEXTS, **changes}
    if brand is not None:
        texts = {key: text.replace("{brand}", brand) for key, text in texts.items()}
    return MappingProxyType(texts)


def model_text(request: InputRequest, texts: Mapping[str, str] = TEXTS) -> str:
    """Return the sentence about the outcome or the current status of a request; `texts` may be incomplete."""
    answer = request.answer
    lines = [_outcome(request, texts)]
    if answer is not None and request.source == "policy" and answer.decision == "deny" and answer.reasons:
        lines.append(_fill_text("reasons", texts, reasons=" ".join(answer.reasons)))
    if answer is not None and answer.outcome == "failed" and answer.reason:
        lines.append(_fill_text("failure", texts, reason=answer.reason))
    if answer is not None and answer.verified is False:
        lines.append(_fill_text("secret.unverified", texts, **_words_for_names(answer.names)))
    if answer is not None and answer.result is not None:
        lines.append(_fill_text("result", texts, result=questiontext.shorten(quote(answer.result))))
    if answer is not None and answer.message is not None:
        lines.append(_fill_text("message", texts, message=quote(answer.message)))
    if note := request.note if answer is None else answer.note:
        lines.append(_fill_text("note", texts, note=note))
    return "\n".join(lines)


def open_text(request: InputRequest, *, url: str) -> str:
    """Return the sentences about an open request for an agent that can read it again by its id."""
    return f"{model_text(request)} {_fill_text('open', TEXTS, request=request.id, url=url)}"


def own_text(request: InputRequest) -> str | None:
    """Return the agent's own sentence for this outcome, before placeholders are filled in."""
    if request.texts is None:
        return None
    return {Status.ANSWERED: request.texts.answered, Status.DECLINED: request.texts.declined}.get(
        request.status
    )


def refusal_text(
    key: Literal["hook", "unavailable", "used", "lapsed"],
    texts: Mapping[str, str] = TEXTS,
    *,
    tool: str,
    reasons: tuple[str, ...] = (),
) -> str:
    """Return the sentence for a call that nobody decided about, or whose approval cannot be used."""
    lines = [_fill_text(key, texts, tool=quote(tool))]
    if reasons:
        lines.append(_fill_text("reasons", texts, reasons=" ".join(reasons)))
    return "\n".join(lines)


def secrets_off_text(names: Sequence[str], texts: Mapping[str, str] = TEXTS) -> str:
    """Return the sentence for secrets that were not requested because no server stores any."""
    return _fill_text("secret.off", texts, **_words_for_names(names))


def _outcome(request: InputRequest, texts: Mapping[str, str]) -> str:
    own_sentence = own_text(request)
    answer = request.answer or (request.submitted if request.status is Status.RESOLVING else None) or Answer()
    if own_sentence is not None:
        return _fill(own_sentence, _data(request, answer, own_sentence))
    kind = KINDS[request.kind] if request.kind in BUILT_IN else PACKAGE
    text = _find_text(kind.outcome_key(request, answer), texts)
    if answer.note and text == TEXTS["approval.deny"]:
        text = f"{text[:-1]}, unless their note says so."
    sentence = _fill(text, {"brand": BRAND, **_data(request, answer, text)})
    status_reason = f"{request.status}.{request.reason}"
    return f"{sentence} {_fill_text(status_reason, texts)}" if status_reason in TEXTS else sentence


def _data(request: InputRequest, answer: Answer, text: str) -> dict[str, str]:
    """Return what fills in the placeholders of a text; the rest is not made, because quoting an answer takes time."""
    names_text = _words_for_names(request.secret.names if request.secret else answer.names)
    return names_text | {
        name: _PARTS[name](request, answer) for name in _PLACEHOLDER.findall(text) if name in _PARTS
    }


_PARTS: Mapping[str, Callable[[InputRequest, Answer], str]] = {
    "question": lambda request, _: questiontext.question_text(request),
    "answers": questiontext.answer_text,
    "labels": questiontext.chosen_labels,
    "values": lambda _, answer: quote(answer.values),
    "tool": lambda request, _: quote(request.approval.tool if request.approval else ""),
    "asked": lambda request, _: questiontext.call_text(request),
    "input": lambda _, answer: quote(answer.edited_input),
    "plan": lambda request, _: questiontext.plan_title(request),
    "scope": lambda _, answer: answer.scope or "",
    "action": lambda request, _: questiontext.action_title(request),
    "summary": lambda request, _: questiontext.shorten(quote(request.summary or request.kind)),
    "data": lambda _, answer: questiontext.shorten(quote(answer.data)),
    "text": lambda _, answer: answer.text or "",
}
"""What fills in the placeholders of a text."""


def _words_for_names(names: Sequence[str]) -> dict[str, str]:
    is_plural = len(names) > 1
    return {
        "names": ", ".join(names),
        "it": "them" if is_plural else "it",
        "they": "they" if is_plural else "it",
        "was": "were" if is_plural else "was",
    }


def _fill_text(key: str, texts: Mapping[str, str], **data: str) -> str:
    """Fill in the most specific text for a key. One pass, so that filled-in text is not searched again."""
    return _fill(_find_text(key, texts), {"brand": BRAND, **data})


def _find_text(key: str, texts: Mapping[str, str]) -> str:
    """Return the most specific text for a key."""
    while key not in TEXTS and "." in key:
        key = key.rpartition(".")[0]
    return texts.get(key, TEXTS[key])


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
