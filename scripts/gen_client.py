"""Write the generated files of the TypeScript client from the table of operations, or check that they are current.

python scripts/gen_client.py            writes web/src/agent/generated
python scripts/gen_client.py --check    exits 1 if a file differs

`operations.ts` has the routes and types of the operations of an agent, `bodies.ts` the types of its bodies,
`replies.ts` those of its replies beyond the types of the pages, and `texts.ts` the sentences that the client
itself returns.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from askback.domain import fields
from askback.domain.lifecycle import Status
from askback.domain.modeltext import BRAND, TEXTS
from askback.wire import openapi
from askback.wire.operation import BYTES, PNG, REQUESTER, STREAM, Operation, Parameter
from askback.wire.operations import OPERATIONS
from gen_web import HEADER, NAMED_TYPES, WIRE, Types

FOLDER = WIRE.parents[2] / "agent" / "generated"
GENERATED_NOTE = "made by scripts/gen_client.py"
OWN_TEXTS = ("unavailable", "used", "lapsed", "hook", "reasons", "secret.off")
"""The sentences about outcomes that the server does not know; it returns all others."""
LEASE = "SecretLease"
TYPES = {"text": "string", "integer": "number", "number": "number", "flag": "boolean", "texts": "string[]"}


def agent_operations() -> Sequence[Operation]:
    """Return the operations that an agent calls with JSON and that have a reply in JSON."""
    bytes_of = {BYTES, PNG, STREAM}
    return [
        item
        for item in OPERATIONS.values()
        if item.roles >= REQUESTER
        and "http" in item.transports
        and not bytes_of & {item.body, *item.replies.values()}
    ]


def operations() -> str:
    """Return `operations.ts`."""
    rows = [_row(agent) for agent in agent_operations()]
    routes = [f'  {agent.name}: "{agent.route}",' for agent in agent_operations()]
    return "\n".join(
        [
            f"/** The operations of an agent, {GENERATED_NOTE} from the table of operations. */\n",
            'import type * as sent from "./bodies.ts";',
            'import type * as read from "./replies.ts";\n',
            "/** By operation: what stands in the path and the query, the body, and the reply. */",
            "export interface Operations {",
            *rows,
            "}\n",
            "export const ROUTES: { readonly [name in keyof Operations]: string } = {",
            *routes,
            "};\n",
        ]
    )


def _row(operation: Operation) -> str:
    args = [f"{name}: string" for name in operation.path_parameters]
    args += [
        f"{parameter.name}?: {_type(parameter)}"
        for parameter in operation.parameters
        if "http" in parameter.transports
    ]
    args_type = f"{{ {'; '.join(args)} }}" if args else "{}"
    body = " | ".join(f"sent.{item.__name__}" for item in _bodies(operation)) or "undefined"
    names = dict.fromkeys(None if name in {None, "Nothing"} else name for name in operation.replies.values())
    reply = " | ".join("null" if name is None else f"read.{name}" for name in names)
    return f"  /** {operation.summary} */\n  {operation.name}: {{ args: {args_type}; body: {body}; reply: {reply} }};"


def _type(parameter: Parameter) -> str:
    return " | ".join(map(json.dumps, Status)) if parameter.type == "statuses" else TYPES[parameter.type]


def _bodies(operation: Operation) -> Sequence[type[BaseModel]]:
    return openapi.models(operation.body) if operation.body else ()


def bodies() -> str:
    """Return `bodies.ts`."""
    types = Types("validation")
    named_types = {name: NAMED_TYPES[name] for name in ("Scope", "SecretScope")}
    types.add(
        {"Field": fields.AnyField, **named_types},
        [body for one in agent_operations() for body in _bodies(one)],
    )
    header = f"/** What an agent sends, {GENERATED_NOTE} from the models of the server. */\n"
    return types.module(
        f"{header}\nexport type Json = null | boolean | number | string | Json[] | {{ [key: string]: Json }};\n"
    )


def replies() -> str:
    """Return `replies.ts`: the types of the pages, and those that only agents read."""
    wire_types, types = Types(), Types()
    pages = wire_types.text()
    assert pages.startswith(HEADER)
    names = {
        name
        for operation in agent_operations()
        for name in operation.replies.values()
        if name not in {None, "Nothing"}
    }
    schemas = {str(name): openapi.models(str(name))[0] for name in names}
    lease = Types("validation")  # the server never writes a secret with its model
    lease.add({}, [schemas.pop(LEASE)])
    types.add(NAMED_TYPES, [schemas[name] for name in sorted(schemas)])
    types.written |= lease.written
    further_types = {name: text for name, text in types.written.items() if name not in wire_types.written}
    words = set(re.findall(r"\w+", re.sub(r"/\*\*.*?\*/", "", " ".join(further_types.values()))))
    shared_types = sorted({"Json", *wire_types.written} & words)
    types.written = further_types
    header = f"/** What an agent reads beyond `wire.ts`, {GENERATED_NOTE} from the models of the server. */\n"
    imports = f'import type {{ {", ".join(shared_types)} }} from "../../core/generated/wire.ts";\n'
    return types.module(f'{header}\n{imports}\nexport type * from "../../core/generated/wire.ts";\n')


def texts() -> str:
    """Return `texts.ts`."""
    texts_by_key = {key: TEXTS[key].replace("{brand}", BRAND) for key in OWN_TEXTS}
    header = f"/** Sentences for a model, {GENERATED_NOTE} from askback.domain.modeltext. */\n"
    return f"{header}\nexport const TEXTS = {json.dumps(texts_by_key, indent=2, ensure_ascii=False)};\n"


FILES: Mapping[str, str] = {
    "operations.ts": operations(),
    "bodies.ts": bodies(),
    "replies.ts": replies(),
    "texts.ts": texts(),
}


def main(argv: list[str]) -> int:
    """Write or check the files; return the exit status."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = [name for name, text in FILES.items() if _current(FOLDER / name) != text]
    if "--check" not in argv:
        for name in stale:
            (FOLDER / name).write_text(FILES[name], encoding="utf-8")
    elif stale:
        print(f"not current: {', '.join(stale)}. Run `make gen`.", file=sys.stderr)
        return 1
    return 0


def _current(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
