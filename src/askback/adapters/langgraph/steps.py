"""The steps of running a graph, in one order for graphs that block and for those that do not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import update_wrapper
from typing import Any, Generic, Literal, ParamSpec, cast, overload

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.pregel import Pregel
from langgraph.types import Command, GraphOutput, Interrupt, StateSnapshot

from askback.adapters.asking import AskOptions, PausePoint, supersede
from askback.adapters.asktools import AskOutcome, is_open
from askback.adapters.langgraph.questions import (
    Pause,
    Question,
    read_question,
    request_id_of,
)
from askback.adapters.openquestion import members_of
from askback.client.async_client import AsyncClient
from askback.client.gather import gather_all
from askback.client.methods import call_blocking
from askback.client.sync_client import Client
from askback.domain.decision import Decision

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Step:
    """The next step: read the `state` of a graph, `invoke` it with an input, `ask` about its pauses or `leave` them."""

    action: Literal["state", "invoke", "ask", "leave"]
    argument: Any = None


Steps = Generator[Step, Any, Any]
"""A generator of steps that receives the result of each step and returns the final result."""


@dataclass(frozen=True, slots=True)
class GraphRun:
    """A graph, how it is run and how it asks, and the steps to take."""

    graph: Pregel[Any, Any, Any, Any]
    config: RunnableConfig
    invoke: Mapping[str, Any]
    options: AskOptions
    steps: Steps | None = None

    def run_and_ask(self, graph_input: Any) -> GraphRun:
        """Run the graph, from its pause if the input is None, and ask, until it has ended or nobody has answered."""
        return replace(self, steps=self._run_and_ask(graph_input))

    def ask_about_pauses(self) -> GraphRun:
        """Ask about the pauses of the graph; the result is the command that continues it, or None."""
        return replace(self, steps=self._ask_about_pauses())

    def _run_and_ask(self, graph_input: Any) -> Steps:
        if graph_input is not None and not isinstance(graph_input, Command):
            yield from self._leave()
        output = (yield from self._stopped()) if graph_input is None else (yield Step("invoke", graph_input))
        while pauses := (yield from self._pauses(interrupts_in(output))):
            answers = yield Step("ask", pauses)
            if not answers:
                break
            output = yield Step("invoke", Command(resume=answers))
        return output

    def _ask_about_pauses(self) -> Steps:
        pauses = yield from self._pauses(interrupts_in((yield from self._stopped())))
        return Command(resume=(yield Step("ask", pauses))) if pauses else None

    def _leave(self) -> Generator[Step, Any, None]:
        """Leave the pauses behind that a new input ends."""
        if has_saver(self):
            state: StateSnapshot = yield Step("state")
            if state.interrupts:
                yield Step("leave", (yield from self._pauses(state.interrupts)))

    def _stopped(self) -> Steps:
        """Return the output of a graph that has stopped.

        One that died within a node is not started again: the node may have run a tool that a person approved once.
        """
        state: StateSnapshot = yield Step("state")
        if self.invoke.get("version") == "v2":
            return GraphOutput(state.values, tuple(state.interrupts))
        if not state.interrupts:
            return state.values
        return {**members_of(state.values), "__interrupt__": list(state.interrupts)}

    def _pauses(self, interrupts: Sequence[Interrupt]) -> Generator[Step, Any, Sequence[Pause]]:
        if not interrupts:
            return ()
        state: StateSnapshot = yield Step("state")
        run_id, name = self.config.get("run_id"), self.graph.get_name()
        point = PausePoint(
            id="",
            thread_id=str(self.config.get("configurable", {}).get("thread_id")),
            run_id=None if run_id is None else str(run_id),
            agent=None if name == "LangGraph" else name,
        )
        pauses_by_id = dict(_locate_interrupts(state, point))
        return [
            pauses_by_id.get(interrupt.id, Pause(interrupt, replace(point, id=f"langgraph:{interrupt.id}")))
            for interrupt in interrupts
        ]


class steps(Generic[P]):  # noqa: N801 - a decorator
    """Takes the steps of a run with a client, which it adds as the first argument; a blocking client blocks."""

    def __init__(self, planned: Callable[P, GraphRun]) -> None:
        self._planned = planned
        update_wrapper(self, planned)

    @overload
    def __call__(self, ask: Client, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    @overload
    def __call__(self, ask: AsyncClient, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, Any]: ...
    def __call__(self, ask: AsyncClient | Client, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Run it: a coroutine, or with the blocking client the result."""
        run = self._planned(*args, **kwargs)
        return _take_blocking(ask, run) if isinstance(ask, Client) else _take_steps(ask, run)


def _next(run: GraphRun, result: Any) -> tuple[Step | None, Any]:
    """Return the next step, or None and the result."""
    assert run.steps is not None
    try:
        return run.steps.send(result), None
    except StopIteration as error:
        return None, error.value


def _take_blocking(ask: Client, run: GraphRun) -> Any:
    step, result = _next(run, None)
    while step is not None:
        if step.action == "ask":
            result = call_blocking(ask, _answers, step.argument, run.options)
        elif step.action == "leave":
            result = call_blocking(ask, supersede, [item.point for item in step.argument])
        else:
            result = _run_step(run, step)
        step, result = _next(run, result)
    return result


async def _take_steps(ask: AsyncClient, run: GraphRun) -> Any:
    step, result = _next(run, None)
    while step is not None:
        if step.action == "ask":
            result = await _answers(ask, step.argument, run.options)
        elif step.action == "leave":
            result = await supersede(ask, [item.point for item in step.argument])
        elif await _is_blocking(run):
            result = await asyncio.to_thread(_run_step, run, step)
        elif step.action == "state":
            result = await run.graph.aget_state(run.config, subgraphs=True)
        else:
            graph: Any = run.graph  # the type of its result depends on the options
            result = await graph.ainvoke(step.argument, run.config, **run.invoke)
        step, result = _next(run, result)
    return result


def _run_step(run: GraphRun, step: Step) -> Any:
    if step.action == "state":
        return run.graph.get_state(run.config, subgraphs=True)
    graph: Any = run.graph  # as in `_take_steps`
    return graph.invoke(step.argument, run.config, **run.invoke)


def has_saver(run: GraphRun) -> bool:
    """Return whether the graph has its own checkpointer, and the thread is known."""
    return isinstance(_saver(run), BaseCheckpointSaver) and "configurable" in run.config


def _saver(run: GraphRun) -> Any:
    return getattr(run.graph, "checkpointer", None)  # a graph of another server has none


async def _is_blocking(run: GraphRun) -> bool:
    """Return whether the checkpointer has only blocking methods, as SqliteSaver: then the graph runs in a thread."""
    if not has_saver(run):
        return False
    try:
        await _saver(run).aget_tuple(run.config)
    except NotImplementedError:
        return True
    return False


def interrupts_in(out: Any) -> Sequence[Interrupt]:
    """Return the interrupts of an output, in the shape of either version, or of a stream."""
    if isinstance(out, Mapping):
        return cast("Mapping[str, Any]", out).get("__interrupt__") or ()
    interrupts = getattr(out, "interrupts", ())
    return cast("Sequence[Interrupt]", interrupts) if isinstance(interrupts, Sequence) else ()


async def _answers(ask: AsyncClient, pauses: Sequence[Pause], options: AskOptions) -> Mapping[str, Any]:
    """Ask about interrupts, and return the values of those that are answered, by the id of the interrupt."""
    read = [read_question(pause) for pause in pauses]
    all_answers = await gather_all(_outcomes(ask, item, options) for item in read)
    answers = dict[str, Any]()
    for pause, question, outcomes in zip(pauses, read, all_answers, strict=True):
        if not any(map(is_open, outcomes)):
            # Only when the graph continues: an approval used earlier would be lost if the program died in between.
            final_outcomes = [
                await ask.use(outcome) if isinstance(outcome, Decision) else outcome for outcome in outcomes
            ]
            answers[pause.interrupt.id] = question.value(final_outcomes)
    return answers


async def _outcomes(ask: AsyncClient, question: Question, options: AskOptions) -> Sequence[AskOutcome]:
    return await gather_all(ask_part(ask, options) for ask_part in question.asks)


async def park_pauses(
    ask: AsyncClient, pauses: Sequence[Pause], options: AskOptions
) -> Mapping[str, Sequence[str]]:
    """Ask about pauses; returns the ids of the requests by the id of the interrupt."""
    parked = await gather_all(_outcomes(ask, read_question(pause), options) for pause in pauses)
    return {
        pause.interrupt.id: [id_ for outcome in outcomes if (id_ := request_id_of(outcome)) is not None]
        for pause, outcomes in zip(pauses, parked, strict=True)
    }


def _locate_interrupts(state: StateSnapshot, point: PausePoint) -> Iterator[tuple[str, Pause]]:
    """Yield each interrupt of a state with its pause point; the node of a subgraph is the name of its agent."""
    messages: Sequence[object] = members_of(state.values).get("messages", ())
    last_message = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
    for task in state.tasks:
        for interrupt in task.interrupts:
            yield (
                interrupt.id,
                Pause(
                    interrupt,
                    replace(point, id=f"langgraph:{interrupt.id}"),
                    last_message.tool_calls if last_message else (),
                ),
            )
        if isinstance(task.state, StateSnapshot):
            yield from _locate_interrupts(task.state, replace(point, agent=task.name))
