"""A small JavaScript package for Node: it says how old the project is in days, with a test and optionally a command."""

from __future__ import annotations

import json
from string import Template
from typing import Any

from askback.demo.project.plan import SPDX, Plan

TEST_COMMAND = "node --test"
RUN_COMMAND = "node bin/{package}.js"

_MODULE = Template("""\
/** $package: knows when it began. */

export const description = $summary;
export const started = "$start";

const DAY = 24 * 60 * 60 * 1000;

/** How many days the project has existed on `today` (YYYY-MM-DD); 0 on its first day. */
export function ageInDays(today) {
  const days = Math.round((Date.parse(today) - Date.parse(started)) / DAY);
  if (!(days >= 0)) throw new RangeError(`the project starts on $${started}`);
  return days;
}
""")

_COMMAND = Template("""\
#!/usr/bin/env node
import { ageInDays, description, started } from "../src/index.js";

const today = new Date().toISOString().slice(0, 10);
const age = today >= started ? `$${ageInDays(today)} days old` : `starts on $${started}`;
console.log(`$package: $${description} ($${age})`);
""")

_TEST = Template("""\
import assert from "node:assert/strict";
import { test } from "node:test";
import { ageInDays, started } from "../src/index.js";

const later = (days) => new Date(Date.parse(started) + days * 86_400_000).toISOString().slice(0, 10);

test("the first day is day zero", () => assert.equal(ageInDays(started), 0));
test("a week later it is seven days old", () => assert.equal(ageInDays(later(7)), 7));
test("before the start there is no age", () => assert.throws(() => ageInDays(later(-1)), RangeError));
""")


def files(plan: Plan) -> dict[str, str]:
    """Return the package's files by path."""
    names = {
        "package": plan.package,
        "summary": json.dumps(plan.summary, ensure_ascii=False),
        "start": plan.start.isoformat(),
    }
    texts_by_path = {
        "package.json": json.dumps(_manifest(plan), indent=2, ensure_ascii=False) + "\n",
        "src/index.js": _MODULE.substitute(names),
        "test/age.test.js": _TEST.substitute(names),
    }
    if "cli" in plan.features:
        texts_by_path[f"bin/{plan.package}.js"] = _COMMAND.substitute(names)
    return texts_by_path


def _manifest(plan: Plan) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "name": plan.package,
        "version": "0.1.0",
        "private": True,
        "description": plan.summary,
        "license": plan.licence if plan.licence in SPDX else "SEE LICENSE IN LICENSE",
        "type": "module",
        "exports": "./src/index.js",
        "engines": {"node": ">=20"},
        "scripts": {"test": TEST_COMMAND},
    }
    if "cli" in plan.features:
        manifest["bin"] = {plan.package: f"bin/{plan.package}.js"}
    return manifest
