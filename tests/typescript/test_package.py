"""The npm package: its contents, and the compiler's refusals."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from tests.typescript.package import PACKAGE, ROOT, Project


def test_the_package_has_the_module_its_types_and_nothing_else(project: Project) -> None:
    names = {file["path"] for file in project.contents["files"]}
    assert {"LICENSE", "README.md", "dist/index.js", "dist/types/agent/index.d.ts", "package.json"} <= names
    rest = {name for name in names if not name.endswith(".d.ts")}
    assert rest == {"LICENSE", "README.md", "dist/index.js", "package.json"}


def test_the_package_needs_no_other_and_has_the_version_of_the_server() -> None:
    described = json.loads((PACKAGE / "package.json").read_text("utf-8"))
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & described.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert described["version"] == project["version"]


def test_the_compiler_refuses_to_run_a_call_that_was_not_approved(project: Project, tmp_path: Path) -> None:
    careless = tmp_path / "careless.ts"
    careless.write_text(
        'import { Client } from "@askback/client";\n'
        'const decision = await new Client().tryApprove("deploy", { to: "prod" });\n'
        "console.log(decision.input.to);\n"
    )
    compiler_output = project.check_types(careless, expect=2)
    assert "careless.ts(3," in compiler_output
    assert "Property 'input' does not exist on type" in compiler_output
