"""Misuse by a caller: NULL arguments, invalid values, callbacks that stop and throw, threads, fork, dlclose."""

from __future__ import annotations

import shutil
import signal
import ssl
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from c.header import Function, Parameter, functions
from c.support import C11, CPP17, EXAMPLES, HERE, ROOT, SANITIZERS, Library, need, passes, run

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
    "late_settings",
    "copies",
    "newer",
    "batch_sources",
    "local_log",
]

# The arguments that may be NULL: "TYPE NAME" for all functions, or "NAME of FUNCTION" for one function.
MAY_BE_NULL = {
    *["const recto_call *call", "recto_error **err", "const char *options", "void *userdata"],
    *["drop of recto_config_set_log", "config of recto_client_new", "cancel of recto_call_set_cancel"],
    *["progress of recto_call_set_progress", "saved of recto_operation_save", "out of recto_file_delete"],
    *["length of recto_operation_stream", "value of recto_call_set_header"],
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
    "double": "1",
    "recto_status": "0",
    "recto_progress_fn": "on_progress",
    "recto_read_fn": "on_read",
    "recto_write_fn": "on_write",
    "recto_log_fn": "on_log",
    "recto_drop_fn": "on_drop",
}
HANDLES = ["client", "config", "call", "cancel", "operation", "local", "batch", "options", "task"]


@pytest.mark.parametrize("case", CASES)
def test_misuse_returns_an_error(case: str, library: Library, built: Path, tmp_path: Path) -> None:
    program = built / "misuse"
    if not program.exists():
        library.compile([HERE / "misuse/misuse.c"], program, [*C11, *SANITIZERS])
    assert passes(
        program, case, DOCUMENT, tmp_path, timeout=60, environment={"TMPDIR": str(tmp_path)}
    ).endswith("done\n")


@pytest.mark.parametrize("case", ["signals", "options", "tasks", "shutdown"])
def test_a_host_uses_the_library_as_the_header_promises(
    case: str, library: Library, built: Path, tmp_path: Path
) -> None:
    program = library.compile([HERE / f"misuse/{case}.c"], built / case, [*C11, *SANITIZERS])
    # The tasks process a small document many times.
    document = ROOT / "tests/recordings/bodies/one-page.pdf" if case == "tasks" else DOCUMENT
    environment = {"TMPDIR": str(tmp_path)}
    assert passes(program, document, tmp_path, timeout=120, environment=environment) == "done\n"


def _bomb(path: Path) -> Path:
    """A PDF of 3 kB, whose page decodes to a gigabyte."""
    inner = zlib.compressobj(9)
    deflated = b"".join(inner.compress(bytes(1 << 20)) for _ in range(1024)) + inner.flush()
    content = zlib.compress(deflated, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
        b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%s\nendstream" % (len(content), content),
    ]
    file, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(file)
    path.write_bytes(file + b"xref\n0 5\n0000000000 65535 f \n" + table + trailer)
    assert path.stat().st_size < 4096
    return path


@pytest.mark.parametrize("operation", ["optimize", "pdf-to-png"])
def test_a_small_document_cannot_take_the_memory_of_the_host(
    operation: str, library: Library, built: Path, tmp_path: Path
) -> None:
    program = library.compile([HERE / "misuse/memory.c"], built / "memory", [*C11, "-D_XOPEN_SOURCE=700"])
    bomb, results = _bomb(tmp_path / "bomb.pdf"), tmp_path / "results"
    results.mkdir()
    done = run(program, operation, bomb, results, environment={"TMPDIR": str(tmp_path)})
    assert "limit of decompressed size" in done.stderr
    assert int(done.stdout) < 400


class _Files(BaseHTTPRequestHandler):
    """A service that has no files."""

    def do_GET(self) -> None:
        body = b'{"files": []}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate with its key for localhost, and the authority that issued it."""
    openssl, key, bundle = need("openssl"), folder / "key.pem", folder / "bundle.pem"
    new: list[str | Path] = ["-newkey", "rsa:2048", "-nodes", "-keyout", key]
    subject = ["-subj", "/CN=test", "-addext", "basicConstraints=critical,CA:TRUE"]
    passes(openssl, "req", "-x509", *new, *subject, "-out", bundle, "-days", "2")
    (folder / "extensions").write_text("subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
    passes(openssl, "req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", folder / "request.pem")
    issued: list[str | Path] = [
        "-CA",
        bundle,
        "-CAkey",
        key,
        "-CAcreateserial",
        "-extfile",
        folder / "extensions",
        "-days",
        "2",
    ]
    passes(openssl, "x509", "-req", "-in", folder / "request.pem", *issued, "-out", folder / "leaf.pem")
    pair = folder / "pair.pem"
    pair.write_bytes((folder / "leaf.pem").read_bytes() + key.read_bytes())
    return pair, bundle


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_call_needs_64_kib_of_stack(scheme: str, library: Library, built: Path, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/stack.c"], built / "stack", C11)
    pair, bundle = _certificate(tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Files)
    if scheme == "https":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"{scheme}://localhost:{server.server_address[1]}"
    assert passes(program, str(64 << 10), url, bundle) == "done\n"
    server.shutdown()
    server.server_close()


def test_two_copies_in_one_process_can_be_unloaded(library: Library, built: Path, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/loading.c"], built / "loading", C11)
    copies = [Path(shutil.copy(library.shared, tmp_path / f"copy{number}.so")) for number in (1, 2)]
    assert passes(program, *copies, DOCUMENT, timeout=60) == "done\n"


def test_the_call_rethrows_the_exception_of_a_callback(library: Library, built: Path, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/exceptions.cpp"], built / "exceptions", [*CPP17, *SANITIZERS])
    printed = passes(program, DOCUMENT, timeout=60, environment={"TMPDIR": str(tmp_path)}, folder=tmp_path)
    assert printed == "done\n"


def test_a_task_in_cpp_returns_its_value_or_throws(library: Library, built: Path, tmp_path: Path) -> None:
    program = library.compile([HERE / "misuse/background.cpp"], built / "background", [*CPP17, *SANITIZERS])
    printed = passes(program, DOCUMENT, timeout=120, environment={"TMPDIR": str(tmp_path)}, folder=tmp_path)
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
    program = library.compile([source], built / "null", [*C11, "-DRECTO_NO_ATTRIBUTES", *SANITIZERS])
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
static recto_options *options; static recto_task *task;
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
        || recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, NULL) != RECTO_OK
        || recto_options_new(RECTO_OPTIMIZE, &options, NULL) != RECTO_OK
        || recto_background_wait(operation, NULL, &task, NULL) != RECTO_OK
        || recto_task_poll(task, RECTO_FOREVER, NULL) != RECTO_OK)
        return 1;
{chr(10).join(calls)}
    printf("{len(declared)} functions\\n");
    fflush(NULL);
    _Exit(0); /* The objects from these calls are not freed. */
}}
"""
