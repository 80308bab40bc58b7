"""Measure round trips of one version of askback: a case for each line of input, a line of figures for each.

`bench.compare` runs this file by its path, with the source tree of a version as the working folder and on `PYTHONPATH`:
server, client and persons are all of that version.
"""

from __future__ import annotations

import json
import sys
from itertools import count

import uvloop

from askback import Form
from bench import roundtrip
from bench.payload import questionnaire
from bench.servers import STORES, Databases, serve

_numbers = count()


def with_new_labels(i: int) -> Form:
    """Return the form of the benchmark with new labels."""
    form, number = questionnaire(i), next(_numbers)
    fields = [field.model_copy(update={"label": f"{field.label} {number}"}) for field in form.fields or ()]
    return form.model_copy(update={"fields": fields})


FORMS = {"repeated": questionnaire, "new": with_new_labels}


def main() -> None:
    """Measure `{"backend", "fields", "at_once", "total"}` until the input ends."""
    with Databases() as databases:
        for line in sys.stdin:
            case = json.loads(line)
            roundtrip.questionnaire = FORMS[case["fields"]]
            backend = case["backend"]
            with databases.new(backend) as url, serve(url, servers=STORES[backend]) as site:
                figures = uvloop.run(roundtrip.case(site, databases, case["at_once"], case["total"]))
            print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
