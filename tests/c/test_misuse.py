"""Misuse by a caller: NULL arguments, invalid values, callbacks that stop and throw, threads, fork, dlclose."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from c.header import Function, Parameter, functions
from c.support import C11, CPP17, EXAMPLES, HERE, SANITIZERS, Library, passes, run

DOCUMENT = EXAMPLES / "report.pdf"
CASES = [
    "bad_utf8",
    "invalid_values",
    "callbacks",
    "threads",
    "client_freed_first",
    "forked",
    "logging",
    "batch",
]

# The arguments that may be NULL: "TYPE NAME" for all functions, or "NAME of FUNCTION" for one function.
MAY_BE_NULL = {
    *["const recto_call *call", "recto_error **err", "const char *options", "void *userdata"],
    *["drop of recto_config_set_log", "config of recto_client_new", "cancel of recto_call_set_cancel"],
    *["progress of recto_call_set_progress", "saved of recto_operation_save", "out of recto_file_delete"],
    *["length of recto_operation_stream"],
}

# For each type of argument, a value that is not NULL. Handles are global variables of the generated program.
VALUES = {
    "const char *": '"x"',
    "const char *operation": "RECTO_OPTIMIZE",
    "const char *options": '"{}"',
    "const void *": '"x"',
    "void *": "buffer",
    "char **": "&text",
    "void **": "&memory",
    "size_t": "1",
    "size_t *": "&size",
    "uint64_t *": "&count",
    "int32_t": "1",
    "int64_t": "1",
    "recto_status": "0",
    "recto_progress_fn": "on_progress",
    "recto_read_fn": "on_read",
    "recto_write_fn": "on_write",
    "recto_log_fn": "on_log",
    "recto_drop_fn": "on_drop",
}
HANDLES = ["client", "config", "call", "cancel", "operation", "local", "batch"]


@pytest.mark.parametrize("case", CASES)
def test_misuse_returns_an_error(case: str, library: Library, built: Path, tmp_path: Path) -> None:
    program = built / "misuse"
    if not program.exists():
        library.compile([HERE / "misuse/misuse.c"], program, [*C11, *SANITIZERS])
    assert passes(
        program, case, DOCUMENT, tmp_path, timeout=60, environment={"TMPDIR": str(tmp_path)}
    ).endswith("done\n")


def test_two_copies_in_one_process_can_be_unloaded(library: Library, built: Path, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/loading.c"], built / "loading", C11)
    copies = [Path(shutil.copy(library.shared, tmp_path / f"copy{number}.so")) for number in (1, 2)]
    assert passes(program, *copies, DOCUMENT, timeout=60) == "done\n"


def test_the_call_rethrows_the_exception_of_a_callback(library: Library, built: Path, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/exceptions.cpp"], built / "exceptions", [*CPP17, *SANITIZERS])
    printed = passes(program, DOCUMENT, timeout=60, environment={"TMPDIR": str(tmp_path)}, folder=tmp_path)
    assert printed == "done\n"


def test_an_exception_through_the_c_interface_ends_the_process_with_a_message(
    library: Library, built: Path, tmp_path: Path
) -> None:
    program = library.compile([HERE / "misuse/exceptions.cpp"], built / "exceptions-plain", CPP17)
    done = run(program, DOCUMENT, "raw", timeout=60, environment={"TMPDIR": str(tmp_path)})
    assert done.returncode == -signal.SIGABRT
    assert "cannot catch foreign exceptions" in done.stderr


def test_null_for_each_argument_of_each_function(library: Library, built: Path, tmp_path: Path) -> None:
    """The program is generated from the header, so that it includes new functions."""
    source = built / "null.c"
    source.write_text(_program(functions()))
    program = library.compile([source], built / "null", [*C11, "-Wno-nonnull", *SANITIZERS])
    printed = passes(program, DOCUMENT, timeout=120, folder=tmp_path).splitlines()
    accepted = {line.removeprefix("accepted ") for line in printed if line.startswith("accepted ")}
    expected = {
        f"{parameter.name} of {function.name}"
        for function in functions()
        if function.may_fail
        for parameter in function.parameters
        if {parameter.text, f"{parameter.name} of {function.name}"} & MAY_BE_NULL
    }
    assert accepted == expected
    assert printed[-1] == f"{len(functions())} functions"


def _is_pointer(parameter: Parameter) -> bool:
    return parameter.type.endswith("*") or parameter.type.endswith("_fn")


def _value(parameter: Parameter) -> str:
    if (known := VALUES.get(parameter.text)) is not None:
        return known
    bare = parameter.type.removeprefix("const ")
    if bare.endswith("**") and bare not in VALUES:
        return f"({bare})&handle"
    if bare.startswith("recto_") and bare.endswith(" *"):
        name = bare.removeprefix("recto_").removesuffix(" *")
        return name if name in HANDLES else "NULL"
    return VALUES[parameter.type]


def _program(declared: list[Function]) -> str:
    calls = []
    for function in declared:
        pointers = [at for at, parameter in enumerate(function.parameters) if _is_pointer(parameter)]
        for null in pointers or [-1]:
            values = [
                "NULL" if at == null else _value(parameter)
                for at, parameter in enumerate(function.parameters)
            ]
            call = f"{function.name}({', '.join(values)})"
            if not function.may_fail:
                calls.append(f"    {'' if function.result == 'void' else '(void)'}{call};")
                continue
            what = f"{function.parameters[null].name} of {function.name}"
            calls.append(f'    note({call}, "{what}");')
    return f"""
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>

static recto_client *client; static recto_config *config; static recto_call *call; static recto_cancel *cancel;
static recto_operation *operation; static recto_local *local; static recto_batch *batch;
static char buffer[64]; static char *text; static void *memory, *handle; static size_t size; static uint64_t count;

static int32_t on_progress(int32_t phase, int64_t done, int64_t total, void *of) {{
    (void)phase; (void)done; (void)total; (void)of; return 0;
}}
static int64_t on_read(void *to, size_t most, void *of) {{ (void)to; (void)most; (void)of; return 0; }}
static int32_t on_write(const void *from, size_t length, void *of) {{ (void)from; (void)length; (void)of; return 0; }}
static void on_log(int32_t level, const char *line, void *of) {{ (void)level; (void)line; (void)of; }}
static void on_drop(void *of) {{ (void)of; }}

static void note(recto_status status, const char *what) {{
    if (status != RECTO_E_NULL) printf("accepted %s\\n", what);
}}

int main(int count_of, char **arguments) {{
    if (count_of != 2 || recto_client_new(NULL, &client, NULL) != RECTO_OK
        || recto_config_new(&config, NULL) != RECTO_OK
        || recto_call_new(&call, NULL) != RECTO_OK || recto_cancel_new(&cancel, NULL) != RECTO_OK
        || recto_start_path(client, RECTO_OPTIMIZE, arguments[1], NULL, NULL, &operation, NULL) != RECTO_OK
        || recto_local_start(NULL, &local, NULL) != RECTO_OK
        || recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, NULL) != RECTO_OK)
        return 1;
{chr(10).join(calls)}
    printf("{len(declared)} functions\\n");
    fflush(NULL);
    _Exit(0); /* The objects from these calls are not freed. */
}}
"""
