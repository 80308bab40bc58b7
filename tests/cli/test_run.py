"""`askback run`: a command with secrets in its environment, and nowhere else."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from askback import AsyncClient
from tests.cli.conftest import Server, start, start_new_process
from tests.cli.scripts import complete, read_request_id
from tests.cli.terminals import run_on_terminal
from tests.forks.process import Process
from tests.requirements import requirement

CANARY = "canary-2f6a-c3d8"
PRINT = "import os; print(os.environ['A_KEY'])"


@pytest.fixture
async def agent(server: Server) -> AsyncIterator[AsyncClient]:
    """The agent of `askback run` by default."""
    async with AsyncClient(
        server.url, json.loads((server.data / "server.json").read_text())["run_token"]
    ) as client:
        yield client


def script(text: str) -> list[str]:
    """The command that runs a Python text."""
    return [sys.executable, "-c", text]


async def wait_for_exit(process: Process | subprocess.Popen[bytes], stdin: str = "") -> tuple[int, str, str]:
    return await anyio.to_thread.run_sync(complete, process, stdin)


async def first_line(process: Process | subprocess.Popen[bytes]) -> bytes:
    """Read the first line of a command's output, or kill it."""
    assert process.stdout is not None
    try:
        with anyio.fail_after(120):
            return await anyio.to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True)
    except TimeoutError:
        process.kill()
        raise


async def provide_secrets(agent: AsyncClient, person: AsyncClient, thread: str, **values: str) -> None:
    """Let the agent of a thread use these."""
    secrets = await agent.secrets.request(list(values), reason="To try it.", thread_id=thread, wait=False)
    assert secrets.request is not None
    await person.requests.submit(secrets.request, values)


@requirement("E17")
async def test_the_command_has_the_values_in_its_environment_and_nothing_of_askback(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY, B_KEY="other-value")
    text = (
        "import os, sys; keys = sorted(name for name in os.environ if name.startswith(('ASKBACK_', 'A_KEY', 'B_KEY')));"
        "print(keys, os.environ['LANG'], os.environ['A_KEY'] == sys.stdin.read())"
    )
    process = server.run(
        "run", "--secret", "A_KEY", "--secret", "B_KEY", "--thread", thread, "--", *script(text),
        ASKBACK_TOKEN="the-agents-own", LANG="C.UTF-8",
    )  # fmt: skip
    status, out, err = await wait_for_exit(process, stdin=CANARY)
    assert (status, out) == (0, "['A_KEY', 'B_KEY'] C.UTF-8 True\n"), err


@requirement("E17")
async def test_no_process_shows_a_value_among_its_arguments_and_only_the_command_in_its_environment(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    process = start_new_process(
        "run", "--secret", "A_KEY", "--thread", thread, "--", *script("print('up', flush=True); input()"),
        ASKBACK_DATA_DIR=str(server.data),
    )  # fmt: skip
    assert await first_line(process) == b"up\n"
    ours = Path("/proc") / str(process.pid)
    [child] = [one for task in (ours / "task").iterdir() for one in (task / "children").read_text().split()]
    assert CANARY.encode() in Path(f"/proc/{child}/environ").read_bytes()
    with suppress(PermissionError):  # only root may read it: `askback run` can be neither dumped nor traced
        assert CANARY.encode() not in (ours / "environ").read_bytes()
    for item in (ours, Path("/proc") / child):
        assert CANARY.encode() not in (item / "cmdline").read_bytes()
        assert "Max core file size        0 " in (item / "limits").read_text()
    status, _, err = await wait_for_exit(process, stdin="\n")
    assert status == 0, err


@requirement("E18")
async def test_the_output_of_the_command_is_scrubbed_while_it_streams(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    text = (
        "import base64, os, sys; key = os.environ['A_KEY']; out = sys.stdout\n"
        "print('first', flush=True); input()\n"
        "for part in (f'[{key[:8]}', f'{key[8:]}]'): out.write(part); out.flush()\n"
        "out.write(base64.b64encode(key.encode()).decode() + chr(10)); out.flush()\n"
        "os.write(2, key.encode() + bytes([195, 169]))\n"
    )
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "--", *script(text))
    assert await first_line(process) == b"first\n"  # while it still runs
    assert await wait_for_exit(process, stdin="\n") == (
        0,
        "[[secret:A_KEY]][secret:A_KEY]==\n",
        "[secret:A_KEY]é",
    )


async def test_unscrubbed_output_has_to_be_asked_for_on_a_terminal(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    command = ("run", "--no-redact", "--secret", "A_KEY", "--thread", thread, "--", *script(PRINT))
    status, out, err = await wait_for_exit(server.run(*command))
    assert (status, out) == (2, "")
    assert "--no-redact: The output must be a terminal" in err
    async with run_on_terminal(server.data, *command) as (screen, _):
        await screen.shows(CANARY)


async def test_a_value_that_is_too_short_to_be_found_is_named(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY="1234")
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "--", *script(PRINT))
    status, out, err = await wait_for_exit(process)
    assert (status, out) == (0, "1234\n")
    assert "A_KEY is too short to be found" in err


@requirement("E17")
async def test_only_missing_secrets_are_asked_for(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, B_KEY="other-value")
    process = server.run(
        "run", "--secret", "A_KEY", "--secret", "B_KEY", "--thread", thread, "--", *script(PRINT)
    )
    request = await person.requests.get(await read_request_id(process))
    assert request.secret is not None
    assert (request.secret.names, request.secret.reason) == (
        ["A_KEY"],
        f"To run: {shlex.join(script(PRINT))}",
    )
    assert request.agent is not None
    assert request.agent.name == "askback run"
    await person.requests.submit(request, {"A_KEY": CANARY})
    status, out, err = await wait_for_exit(process)
    assert (status, out) == (0, "[secret:A_KEY]\n"), err


async def test_it_is_a_separate_agent_unless_the_environment_names_one(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    names = dict[str, str]()
    named = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": server.tokens["requester"]}
    for case, environment in (("its own", dict[str, str]()), ("shared", named)):
        own = ("--thread", f"{thread}-{case}")
        process = server.run(
            "run", "--secret", "A_KEY", *own, "--", *script(PRINT), stdin=None, **environment
        )
        request = await person.requests.get(await read_request_id(process))
        assert request.requester is not None
        names[case] = request.requester.name
        await person.requests.submit(request, {"A_KEY": CANARY})
        status, out, err = await wait_for_exit(process)
        assert (status, out) == (0, "[secret:A_KEY]\n"), err
    assert names == {"its own": "askback run", "shared": "agent"}


async def test_a_missing_secret_is_reported_and_nothing_runs(
    server: Server, person: AsyncClient, thread: str, tmp_path: Path
) -> None:
    command = script(f"open({str(tmp_path / 'ran')!r}, 'w')\nprint('ran')")
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "--", *command)
    request = await person.requests.decline(await read_request_id(process))
    assert request.secret is not None
    assert (
        request.secret.reason == f"To run {Path(sys.executable).name}"
    )  # of several lines none would be shown
    status, out, err = await wait_for_exit(process)
    assert (status, out) == (125, "")
    assert "User dismissed the request for A_KEY." in " ".join(err.split())
    assert not (tmp_path / "ran").exists()


async def test_ctrl_c_while_waiting_withdraws_the_request(
    server: Server, person: AsyncClient, thread: str
) -> None:
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "--", *script(PRINT))
    request_id = await read_request_id(process)
    process.send_signal(signal.SIGINT)
    assert (await wait_for_exit(process))[0] == 125
    assert (await person.requests.get(request_id)).reason == "agent_aborted"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_reaches_the_command_and_its_status_comes_back(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str, number: signal.Signals
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    text = (
        "import signal, sys, time\n"
        "def stop(number, frame): print('got', number, flush=True); sys.exit(9)\n"
        f"signal.signal({number.value}, stop); print('up', flush=True); time.sleep(60)"
    )
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "--", *script(text))
    assert await first_line(process) == b"up\n"
    process.send_signal(number)
    assert await wait_for_exit(process) == (9, f"got {number.value}\n", "")


async def test_ctrl_c_at_a_terminal_is_passed_to_the_command(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    text = (
        "import signal, sys\n"
        "signal.signal(2, lambda *_: print('interrupted', flush=True)); print('up', flush=True)\n"
        "input(); sys.exit(5)"
    )
    arguments = ["run", "--secret", "A_KEY", "--thread", thread, "--", *script(text)]
    async with run_on_terminal(server.data, *arguments) as (screen, process):
        await screen.shows("up")
        screen.type("\x03")
        await screen.shows("interrupted")
        screen.type("\n")
        await screen.rest()
        assert await anyio.to_thread.run_sync(process.wait, 20) == 5


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (script("import sys; sys.exit(3)"), 3),
        (script("import os; os.kill(os.getpid(), 9)"), 137),
        (["nothing-of-this-name"], 127),
        ([os.devnull], 126),
    ],
)
async def test_the_exit_code_is_that_of_the_command_as_in_a_shell(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str, command: list[str], status: int
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "--", *command)
    found, _, err = await wait_for_exit(process)
    assert (found, CANARY in err) == (status, False)


async def test_the_reason_why_a_command_cannot_be_run_is_one_line_as_it_is(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    arguments = ("run", "--secret", "A_KEY", "--thread", thread, "--", ":key: [red] nowhere")
    _, _, err = await wait_for_exit(server.run(*arguments, COLUMNS="40"))
    assert err == ":key: [red] nowhere cannot be run: No such file or directory.\n"


async def test_a_command_whose_reader_has_gone_ends_as_in_any_pipe(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY)
    process = server.run("run", "--secret", "A_KEY", "--thread", thread, "yes")
    assert await first_line(process) == b"y\n"
    assert process.stdout is not None
    process.stdout.close()
    assert await anyio.to_thread.run_sync(process.wait, 20) == 128 + signal.SIGPIPE


async def test_a_runner_runs_within_its_token_and_asks_nobody(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await provide_secrets(agent, person, thread, A_KEY=CANARY, B_KEY="other-value")
    runner_token = server.run(
        "token", "create", "--role", "runner", "--lease-name", "A_KEY", "--lease-thread", thread
    )
    _, token, err = await wait_for_exit(runner_token)
    assert token, err
    for name, status in (("A_KEY", 0), ("B_KEY", 125)):
        process = start(
            "run", "--secret", name, "--thread", thread, "--", *script("print('ran')"),
            ASKBACK_URL=server.url, ASKBACK_TOKEN=token.strip(), ASKBACK_DATA_DIR=os.devnull,
        )  # fmt: skip
        assert (await wait_for_exit(process))[:2] == (status, "ran\n" if status == 0 else "")


@requirement("E3")
@pytest.mark.parametrize("name", ["LD_PRELOAD", "ASKBACK_TOKEN", "PATH", "a-b"])
def test_a_name_that_decides_how_a_command_runs_is_refused_before_anything(tmp_path: Path, name: str) -> None:
    process = start("run", "--secret", name, "true", ASKBACK_DATA_DIR=str(tmp_path))
    status, _, err = complete(process)
    assert status == 2
    assert "cannot be a secret" in err


def test_without_a_server_nothing_runs(tmp_path: Path) -> None:
    status, out, err = complete(start("run", "--secret", "A_KEY", "true", ASKBACK_DATA_DIR=str(tmp_path)))
    assert (status, out) == (125, "")
    assert "askback serve" in err
