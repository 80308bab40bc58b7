"""A small Python package: it says how old the project is in days, with a test and optionally a command."""

from __future__ import annotations

import json
from string import Template

from askback.demo.project.plan import SPDX, Plan

TEST_COMMAND = "python -m unittest"
RUN_COMMAND = "python -m {module}"

_PYPROJECT = Template("""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$package"
version = "0.1.0"
description = $summary
readme = "README.md"
requires-python = ">=3.10"
license = $licence
$scripts
[tool.setuptools]
packages = ["$module"]
""")

_MODULE = Template('''\
"""$package: knows when it began."""

from datetime import date

DESCRIPTION = $summary
STARTED = date($year, $month, $day)


def age_in_days(today):
    """Return how many days the project has existed on `today`; 0 on its first day."""
    if today < STARTED:
        raise ValueError(f"the project starts on {STARTED}")
    return (today - STARTED).days
''')

_MAIN = Template('''\
"""Say what the project is and how old it is."""

from datetime import date

from $module import DESCRIPTION, STARTED, age_in_days


def main():
    """Print one line."""
    today = date.today()
    age = f"{age_in_days(today)} days old" if today >= STARTED else f"starts on {STARTED}"
    print(f"$package: {DESCRIPTION} ({age})")


if __name__ == "__main__":
    main()
''')

_TEST = Template('''\
"""The project counts its days from the first one."""

import unittest
from datetime import timedelta

from $module import STARTED, age_in_days


class AgeTest(unittest.TestCase):
    def test_first_day_is_day_zero(self):
        self.assertEqual(age_in_days(STARTED), 0)

    def test_a_week_later_it_is_seven_days_old(self):
        self.assertEqual(age_in_days(STARTED + timedelta(days=7)), 7)

    def test_before_the_start_there_is_no_age(self):
        with self.assertRaises(ValueError):
            age_in_days(STARTED - timedelta(days=1))


if __name__ == "__main__":
    unittest.main()
''')


def files(plan: Plan) -> dict[str, str]:
    """Return the package's files by path."""
    names = {
        "package": plan.package,
        "module": plan.module,
        "summary": toml_string(plan.summary),
        "year": plan.start.year,
        "month": plan.start.month,
        "day": plan.start.day,
    }
    command = "cli" in plan.features
    scripts = f'\n[project.scripts]\n{plan.package} = "{plan.module}.__main__:main"\n' if command else ""
    has_spdx_id = plan.licence in SPDX
    licence = toml_string(plan.licence) if has_spdx_id else f"{{text = {toml_string(plan.licence)}}}"
    texts_by_path = {
        "pyproject.toml": _PYPROJECT.substitute(names, scripts=scripts, licence=licence),
        f"{plan.module}/__init__.py": _MODULE.substitute(names),
        "tests/__init__.py": "",
        "tests/test_age.py": _TEST.substitute(names),
    }
    if command:
        texts_by_path[f"{plan.module}/__main__.py"] = _MAIN.substitute(names)
    return texts_by_path


def toml_string(text: str) -> str:
    """Quote a line of text so that Python, TOML and JSON all parse it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
