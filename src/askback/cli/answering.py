"""Answer one request in the terminal, and stop when someone else answers it first."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from askback.cli import answering_reports, card
from askback.cli.action_prompt import ActionPrompt
from askback.cli.approval_prompt import ApprovalPrompt
from askback.cli.data_prompt import DataPrompt
from askback.cli.field_prompt import ExitWord, PromptExit
from askback.cli.form_prompt import FormPrompt
from askback.cli.language import broken_rule, language, reader_languages, text
from askback.cli.secret_prompt import SecretPrompt
from askback.cli.terminal import Terminal
from askback.cli.wording import (
    action_text,
    decision_text,
    ended_text,
    form_text,
    requester_text,
    secrets_text,
    title,
)
from askback.client import AsyncClient
from askback.domain.action import ShownAction
from askback.domain.approval import ShownApproval
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.secrets.request import ShownSecret
from askback.errors import Conflict, Forbidden, Invalid
from askback.messages import negotiate_locale, translate

MAX_NUMBERED_QUESTIONS = 50
"""The highest limit of questions that is shown to a person, as on the page."""

CHECK_S = 30
"""How long a person at a terminal waits for the check of their answer; a pipe does not wait."""

POLL_S = 0.5

REASON = {ExitWord.SKIP: "skipped", ExitWord.DISMISS: "dismissed"}


async def answer(client: AsyncClient, terminal: Terminal, request: InputRequest, *, note: str = "") -> bool:
    """Prompt for the answer to one request; return False when it was postponed.

    `note` says which of how many it is. Raises `PromptExit` if the person declines everything pending.
    """
    return await _AnswerSession(client, terminal, request, note).run()


async def stop(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait until it has ended."""
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


class _AnswerSession:
    """The prompts of one request; `sending` during a call, which is not interrupted."""

    def __init__(self, client: AsyncClient, terminal: Terminal, request: InputRequest, note: str) -> None:
        self._client = client
        self._terminal = terminal
        self._request = request
        self._progress_text = note
        self._sending = False
        self._form_prompt: FormPrompt | None = None

    async def run(self) -> bool:
        self._terminal.drop_typed()
        wait_task = asyncio.create_task(self._client.wait(self._request.id))
        prompting = asyncio.create_task(self._prompt())
        try:
            async with answering_reports.answering(self._client, self._terminal, self._request):
                await asyncio.wait({wait_task, prompting}, return_when=asyncio.FIRST_COMPLETED)
                if prompting.done() or self._sending:
                    return await prompting
                await stop(prompting)
            self._terminal.say()
            self._terminal.say(ended_text(wait_task.result()), "yellow")
            await self._terminal.settle()
            return True
        finally:
            await stop(wait_task)
            await stop(prompting)

    async def _prompt(self) -> bool:
        self._show_heading()
        try:
            if self._request.approval is not None:
                return await self._decide(self._request.approval)
            if self._request.secret is not None:
                return await self._submit_secrets(self._request.secret)
            if self._request.action is not None:
                return await self._finish_action(self._request.action)
            if self._request.data is not None:
                return await self._answer_data()
            if self._request.form is not None:
                return await self._fill_form(self._request.form)
        except PromptExit as error:
            return await self._handle_exit(error)
        except Conflict as exception:
            return self._report_conflict(exception)
        except Forbidden as forbidden:
            self._terminal.say(forbidden.message, "yellow")
            return False
        self._terminal.say(f"This version cannot show a request of kind {self._request.kind}.", "yellow")
        return False

    @property
    def _languages(self) -> list[str] | None:
        """The languages to send, so that the answer records the shown texts; None for a request in one language."""
        view = self._request.view
        return reader_languages() or None if view and view.languages else None

    @property
    def _sends_on_decline(self) -> bool:
        """Whether a decline includes the typed values; the person reads a note about it."""
        return "decline" in self._request.hooks and not self._request.declined_once

    # --- a form ------------------------------------------------------------------------------

    async def _fill_form(self, form: Form, typed: dict[str, Any] | None = None) -> bool:
        """Submit until the server accepts; it enforces every rule."""
        if (question_count := self._request.of) and question_count <= MAX_NUMBERED_QUESTIONS:
            number = {"n": self._request.ordinal, "of": question_count}
            self._terminal.say(translate("ui.question_number", language(), **number), "dim")
        if form.title:
            self._terminal.say(text(form.title), "bold underline")
        if form.description:
            self._terminal.say(text(form.description))
        if self._sends_on_decline:
            self._terminal.say(translate("ui.decline_sends", negotiate_locale(language())), "dim")
        self._terminal.say("(:help lists the commands; :later leaves it open)", "dim")
        submitted = self._request.submitted
        answers = self._form_prompt = FormPrompt(
            self._terminal,
            form,
            negotiate_locale(form.locale or language()),
            values=typed or dict(submitted.values if submitted else {}),
            errors=self._request.field_errors,
            upload=self._upload,
            search=partial(self._client.options.search, self._request),
        )
        if self._request.error_summary:
            self._terminal.say(self._request.error_summary, "red")
        await answers.fill()
        sentence = ""
        try:
            now = await self._submit_form(answers)
        except Conflict as error:
            if error.code != "stale_revision" or not error.request:
                raise
            now, sentence = (
                InputRequest.model_validate(error.request),
                translate("ui.changed", answers.locale),
            )
        if now.form is not None and now.status is Status.PENDING:
            self._show_again(now, sentence)
            return await self._fill_form(now.form, answers.values)
        self._terminal.say(form_text(now), "green")
        return True

    def _show_again(self, current_request: InputRequest, sentence: str = "") -> None:
        """Take the request as it is now and say why; only what was typed before that is no answer to it."""
        self._request, self._sending = current_request, False
        self._terminal.drop_typed()
        if sentence:
            self._terminal.say(sentence, "yellow")

    async def _await_check(self, current_request: InputRequest) -> InputRequest:
        """Return a request once its answer has been checked; it is pending if the person is asked again."""
        if current_request.status is not Status.RESOLVING or not self._terminal.interactive:
            return current_request
        self._terminal.say(translate("ui.checking", negotiate_locale(language())), "dim")
        with suppress(TimeoutError):
            async with asyncio.timeout(CHECK_S):
                while current_request.status is Status.RESOLVING:
                    await asyncio.sleep(POLL_S)
                    current_request = await self._client.requests.get(current_request.id)
        return current_request

    async def _upload(self, field: str, content: bytes, name: str) -> dict[str, Any]:
        return (await self._client.files.upload(self._request, field, content, name=name)).model_dump()

    async def _submit_form(self, answers: FormPrompt) -> InputRequest:
        """Submit until the server accepts; return the request once the values have been checked."""
        while True:
            if faults := answers.check():
                await answers.correct([(fault.path, broken_rule(fault, answers.locale)) for fault in faults])
                continue
            try:
                is_sent = await self._send(
                    self._client.requests.answer(
                        self._request,
                        answers.shown_values,
                        skipped=answers.skipped,
                        control=answers.control,
                        revision=self._request.revision,
                        languages=self._languages,
                    )
                )
            except Invalid as error:
                await answers.correct(_faults(error))
            else:
                return await self._await_check(is_sent)

    # --- secrets -----------------------------------------------------------------------------

    async def _submit_secrets(self, secret: ShownSecret) -> bool:
        """Submit until the server accepts; rejected values are typed again."""
        saved_scopes = await self._client.secrets.saved_scopes(self._request)
        secret = secret.model_copy(update={"present": saved_scopes})
        values_prompt = SecretPrompt(self._terminal, self._request, secret)
        submission = await values_prompt.ask()
        while True:
            try:
                now = await self._send(
                    self._client.requests.submit(
                        self._request,
                        submission.values,
                        use_existing=submission.existing,
                        scope=submission.scope,
                        languages=self._languages,
                    )
                )
            except Invalid as error:
                submission = await values_prompt.correct(_faults(error))
                continue
            self._terminal.say(secrets_text(now), "green")
            return True

    # --- an action ---------------------------------------------------------------------------

    async def _finish_action(self, action: ShownAction) -> bool:
        reply = await ActionPrompt(self._terminal, self._request, action).ask()
        now = await self._send(
            self._client.requests.finish(
                self._request,
                reply.outcome,
                reason=reply.reason,
                revision=self._request.revision,
                languages=self._languages,
            )
        )
        self._terminal.say(action_text(now), "green")
        return True

    # --- a kind of a package -----------------------------------------------------------------

    async def _answer_data(self) -> bool:
        prompt = DataPrompt(self._terminal, self._request)
        while True:
            data = await prompt.ask()
            try:
                await self._send(
                    self._client.requests.answer_data(self._request, data, revision=self._request.revision)
                )
            except Invalid as error:
                for path, sentence in _faults(error):
                    self._terminal.say(f"{path}: {sentence}", "red")
                continue
            self._terminal.say(f"{title(self._request)}: answered.", "green")
            return True

    # --- a tool call -------------------------------------------------------------------------

    async def _decide(self, approval: ShownApproval) -> bool:
        card.show(self._terminal, approval)
        decision_prompt = ApprovalPrompt(self._terminal, approval)
        while True:
            reply = await decision_prompt.decide()
            try:
                now = await self._send(
                    self._client.requests.decide(
                        self._request.id,
                        reply.decision,
                        scope=reply.scope,
                        note=reply.note,
                        edited_input=reply.edited_input,
                        rule=reply.rule,
                        script_may_change=reply.scope not in {"once", "thread"} or None,
                        mode=reply.mode,
                        revision=self._request.revision,
                        digest=approval.digest or None,
                        languages=self._languages,
                    )
                )
            except Invalid as error:
                for fault in error.field_errors:
                    self._terminal.say(str(fault["message"]), "red")
                continue
            self._terminal.say(decision_text(now), "green")
            return now.settled

    # --- both --------------------------------------------------------------------------------

    async def _send(self, call: Coroutine[Any, Any, InputRequest]) -> InputRequest:
        """Submit; when the server rejects it, the person is prompted again."""
        self._sending = True
        try:
            return await call
        except Invalid:
            self._sending = False
            raise

    async def _handle_exit(self, prompt_exit: PromptExit) -> bool:
        if prompt_exit.how is ExitWord.ALL:
            raise prompt_exit
        if prompt_exit.how is ExitWord.LATER:
            self._terminal.say("Left open.", "dim")
            return False
        reason, typed_values = REASON[prompt_exit.how], None
        if self._form_prompt is not None and self._sends_on_decline:
            typed_values = self._form_prompt.values
        try:
            current_request = await self._await_check(
                await self._send(
                    self._client.requests.decline(self._request.id, reason=reason, values=typed_values)
                )
            )
        except Conflict as error:
            return self._report_conflict(error)
        if current_request.status is Status.PENDING:
            self._show_again(current_request)
            return await self._prompt()
        self._terminal.say(f"{title(self._request)}: {reason}.", "green")
        return True

    def _report_conflict(self, conflict: Conflict) -> bool:
        """Report what happened first; return whether to offer the request again."""
        latest = InputRequest.model_validate(conflict.request) if conflict.request else None
        self._terminal.say(
            ended_text(latest) if latest is not None and latest.settled else conflict.message, "yellow"
        )
        return conflict.code != "already_voted"

    def _show_heading(self) -> None:
        self._terminal.say()
        self._terminal.say(f"── {self._progress_text}{requester_text(self._request)}", "cyan")


def _faults(error: Invalid) -> list[tuple[str, str]]:
    return [(str(fault["path"]), str(fault["message"])) for fault in error.field_errors]
