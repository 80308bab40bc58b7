"""The agreed project: its settings, the names made from them, and its licence."""

from __future__ import annotations

import keyword
import sys
from dataclasses import dataclass
from datetime import date
from string import Template

_RUST_KEYWORDS = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn
for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct
super trait true try type typeof unsafe unsized use virtual where while yield
"""
RESERVED = frozenset({"alloc", "core", "proc-macro", "std", "tests", *_RUST_KEYWORDS.split()})
"""Names that Rust reserves, and the folder of the tests."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One project.

    `language` is python, javascript or rust; `features` are of cli, ci, docker and editorconfig.
    """

    name: str
    language: str
    features: frozenset[str]
    licence: str
    start: date
    description: str

    @property
    def package(self) -> str:
        """The name of the package: not a name that its language reserves."""
        return f"{self.name}-app" if _is_reserved(self.name) else self.name

    @property
    def module(self) -> str:
        """The package's name as an identifier of Python and Rust."""
        return self.package.replace("-", "_")

    @property
    def summary(self) -> str:
        """The description on one line."""
        return " ".join(self.description.split())


def _is_reserved(name: str) -> bool:
    return name in RESERVED or name in sys.stdlib_module_names or keyword.iskeyword(name)


SPDX = ("MIT", "Apache-2.0", "GPL-3.0-or-later")

_LICENCE_HEADER = Template(
    "Copyright (c) $year the $package authors\n\nSPDX-License-Identifier: $licence\n\n"
)

_MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

_APACHE = """\
Licensed under the Apache License, Version 2.0 (the "License"); you may not use these files except
in compliance with the License. Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS
OF ANY KIND, either express or implied. See the License for the specific language governing
permissions and limitations under the License.
"""

_GPL = """\
This program is free software: you can redistribute it and/or modify it under the terms of the GNU
General Public License as published by the Free Software Foundation, either version 3 of the
License, or (at your option) any later version. This program is distributed in the hope that it will
be useful, but WITHOUT ANY WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS
FOR A PARTICULAR PURPOSE. See the GNU General Public License for more details.
"""

_TEXTS = {"MIT": _MIT, "Apache-2.0": _APACHE, "GPL-3.0-or-later": _GPL}


def licence_text(plan: Plan) -> str:
    """Return the text of a known licence, or the name of the one that the person wrote."""
    if plan.licence in _TEXTS:
        names = {"year": plan.start.year, "package": plan.package, "licence": plan.licence}
        return _LICENCE_HEADER.substitute(names) + _TEXTS[plan.licence]
    return f"Copyright (c) {plan.start.year} the {plan.package} authors\n\nLicence: {plan.licence}\n"
