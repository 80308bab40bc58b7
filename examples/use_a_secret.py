"""Ask for a key, run a command that needs it, and print its output without the key."""

import subprocess
import sys

from askback import Client

COMMAND = ["sh", "-c", 'echo "Deploying with $DEPLOY_TOKEN."']  # a command that needs the key

with Client() as ask:
    secrets = ask.secrets.request(
        ["DEPLOY_TOKEN"],
        reason="To deploy the site.",
        instructions="Create a token in the console under **Tokens**, with write access.",
        thread_id="deploys",
    )
    if not secrets:
        sys.exit(secrets.text)  # the sentence for the model: what happened, and what to do now
    with ask.secrets.lease(secrets.names, thread_id="deploys") as lease:
        done = subprocess.run(COMMAND, env=lease.environ(), capture_output=True, text=True, check=False)
        print(lease.redact(done.stdout + done.stderr), end="")
