"""Run a command only when exactly that command was approved: `python approve_a_command.py make install`."""

import secrets
import subprocess
import sys

from askback import Client

command = sys.argv[1:] or ["mkdir", "-p", "release"]

with Client() as ask:
    decision = ask.approve("bash", {"argv": command}, thread_id="commands", reason="The release needs it.")
    if not decision:
        sys.exit(decision.text)  # the sentence for the model: what happened, and what to do now
    run = ask.consume(decision, secrets.token_hex(8))  # once, and only what was approved
    done = subprocess.run(run.input["argv"], check=False)
    ask.report(decision, run.execution_id, "failed" if done.returncode else "succeeded")
    print(f"It ended with {done.returncode}.")
