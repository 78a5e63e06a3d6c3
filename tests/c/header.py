"""Reads the functions that `recto.h` declares."""

from __future__ import annotations

import re
from dataclasses import dataclass

from c.support import INCLUDE

_TYPE = r"(?:const )?\w+ \**"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function."""

    type: str
    name: str

    @property
    def text(self) -> str:
        """The declaration: `const recto_call *call`."""
        return f"{self.type}{'' if self.type.endswith('*') else ' '}{self.name}"


@dataclass(frozen=True)
class Function:
    """A function: `recto_status recto_resume(const recto_client *client, …)`."""

    result: str
    name: str
    parameters: tuple[Parameter, ...]

    @property
    def may_fail(self) -> bool:
        """Whether it returns a status and an error object."""
        return any(parameter.type == "recto_error **" for parameter in self.parameters)


def functions() -> list[Function]:
    """Every function that the header declares, in the order of the header."""
    code = re.sub(r"/\*.*?\*/|#.*?$", "", (INCLUDE / "recto.h").read_text(), flags=re.DOTALL | re.MULTILINE)
    code = " ".join(code.split())
    found = re.findall(rf"({_TYPE})(recto_\w+)\(([^()]*)\);", code)
    return [
        Function(result.strip(), name, tuple(_parameter(text) for text in given.split(",") if text != "void"))
        for result, name, given in found
    ]


def _parameter(text: str) -> Parameter:
    declared = re.fullmatch(r"\s*(.*?)(\w+)\s*", text)
    assert declared, text
    return Parameter(declared[1].strip(), declared[2])
