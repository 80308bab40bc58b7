"""Show a tool call in the terminal: completely, with hidden and misleading characters escaped."""

from __future__ import annotations

import json

from askback.cli.language import language, sentences, text
from askback.cli.terminal import CALL, WORDS, Terminal, one_line
from askback.domain.approval import Preview, ShownApproval
from askback.messages import translate

DANGER_STYLE = "bold red"
VALUE_MARGIN = f"{CALL}  "
_HEADS = {"command": "Command", "file": "File", "plan": "Plan"}
_LINES = {"+": "green", "-": "red", "@": "cyan", " ": ""}


def show(terminal: Terminal, approval: ShownApproval) -> None:
    """Print the call, and separately the agent's text and the reasons for asking."""
    terminal.say(headline(approval), "bold")
    _show_words(terminal, approval)
    if approval.plan is None:
        terminal.say(f"Tool: {approval.tool}", "dim")
    if approval.preview is None:
        show_input(terminal, approval.input)
    else:
        _show_preview(terminal, approval.preview)
    if approval.risk.level == "danger":
        terminal.say(f"{translate('ui.approvals.danger', language())}!", DANGER_STYLE)
    risks = sentences(approval.risk.reasons, approval.risk_codes)
    for risk in risks:
        terminal.say(f"  {one_line(risk)}", "red")
    for reason in sentences(approval.reasons, approval.reason_codes):
        if reason not in risks:
            terminal.say(f"{translate('ui.approval.why', language())}: {one_line(reason)}", "dim")
    codes = [] if approval.only_once_code is None else [approval.only_once_code]
    for sentence in sentences([approval.only_once or ""], codes) if codes else ():
        terminal.say(one_line(sentence), "dim")


def headline(approval: ShownApproval) -> str:
    """Return the headline of a call in the language of the terminal, or the tool's name without a preview."""
    preview = approval.preview
    if preview is None:
        return approval.tool
    codes = [preview.headline_code] if preview.headline_code else []
    return sentences([preview.headline], codes, prefix="headline")[0]


def show_input(terminal: Terminal, call_input: object) -> None:
    """Print an input as JSON, behind a margin."""
    terminal.say("Input:", "dim")
    terminal.quote([pretty(call_input)])


def pretty(call_input: object) -> str:
    """Write an input as JSON for a person to read."""
    return json.dumps(call_input, indent=2, ensure_ascii=False)


def _show_words(terminal: Terminal, approval: ShownApproval) -> None:
    words = [text(item) for item in (approval.title, approval.reason) if item]
    if approval.agent_risk is not None:
        words.append(f"Risk: {' '.join([approval.agent_risk.level, *approval.agent_risk.reasons])}")
    if words:
        terminal.say("The agent says:", "dim")
    for word in words:
        terminal.quote([word], margin=WORDS)


def _show_preview(terminal: Terminal, preview: Preview) -> None:
    heading = "Arguments, quoted" if preview.argv else _HEADS.get(preview.type, "Input")
    terminal.say(f"{heading}:", "dim")
    if preview.path is not None:
        terminal.quote(preview.path, "bold")
    if preview.whole and any(line.op == " " for line in preview.diff or ()):
        terminal.say("Compared with the agent's copy of the file:", "dim")
    if preview.parts:
        terminal.quote(preview.parts, "bold" if preview.type == "command" else "")
    for line in preview.diff or ():
        terminal.quote([line.op, *line.parts], _LINES[line.op])
    if preview.folder:
        terminal.quote(["in ", *preview.folder])
    if preview.type in _HEADS and (preview.fields or preview.rest):
        terminal.say("And in the input:", "dim")
    for field in preview.fields:
        terminal.quote([*field.name, ": "], "dim")
        terminal.quote(field.parts, margin=VALUE_MARGIN)
    if preview.rest:
        terminal.quote(preview.rest)
