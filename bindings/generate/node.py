"""Generates the parts of the Node.js package that follow from the table: C calls, tables, types, reference."""

from __future__ import annotations

from collections.abc import Iterator

from table import NOTICE, Row, Table, camel, error_type, main, meaning, result_of, wrapped

GENERATOR = "bindings/generate/node.py"
NOTE = NOTICE.format(generator=GENERATOR)
FOLDER = "bindings/node"

# Functions that can block without being a request.
SLOW = {"recto_client_new", "recto_local_start", "recto_local_start_logged", "recto_shutdown"}
# Handles whose free function can block.
SLOW_TO_FREE = {"recto_batch", "recto_client", "recto_local", "recto_operation"}
# What the addon does itself: threads, options as JSON, memory.
LEFT_OUT = ("recto_background_", "recto_task_", "recto_options_")
NUMBERS = {"int32_t", "uint32_t", "int64_t", "size_t", "ptrdiff_t"}
CALLBACKS = {
    "recto_read_fn": "READ",
    "recto_write_fn": "WRITE",
    "recto_progress_fn": "PROGRESS",
    "recto_log_fn": "LOG",
}


def functions_c(table: Table) -> str:
    """The functions and handle types of the library, for the addon."""
    functions = [one for one in table["functions"] if is_called(one["name"])]
    freed = [
        one["parameters"][0]["type"].removesuffix(" *") for one in table["functions"] if is_free(one["name"])
    ]
    freed = [name for name in freed if not (name + "_").startswith(LEFT_OUT)]
    lines = [f"/* The functions and handle types of recto.h. {NOTE} */", '#include "addon.h"', ""]
    for name in freed:
        slow = "true" if name in SLOW_TO_FREE else "false"
        lines += [f"static void free_{name}(void *pointer) {{", f"    {name}_free(pointer);", "}", ""]
        lines += [f'static const handle_type TYPE_{name} = {{"{name}", free_{name}, {slow}}};', ""]
    for function in functions:
        lines += [f"static void run_{function['name']}(slot *slots) {{", f"    {call_of(function)};", "}", ""]
    lines += ["const function FUNCTIONS[] = {"]
    for function in functions:
        slow = "true" if is_slow(function) else "false"
        lines.append(f'    {{"{function["name"]}", run_{function["name"]}, {slow}, {result_kind(function)},')
        kinds = [parameter_kind(one) for one in function["parameters"]]
        lines.append(f"     {{{', '.join(['{KIND_NONE, NULL}', *kinds])}}}}},")
    lines += ["};", "", "const size_t FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS;", ""]
    return "\n".join(lines)


def is_free(name: str) -> bool:
    """Whether the function frees a handle."""
    return name.endswith("_free") and name != "recto_free"


def is_called(name: str) -> bool:
    """Whether JavaScript can call the function by its name."""
    return not (name.startswith(LEFT_OUT) or name.endswith("_free"))


def is_slow(function: Row) -> bool:
    """Whether the function can block, and therefore runs on a thread."""
    takes_call = any(one["type"] == "const recto_call *" for one in function["parameters"])
    return function["name"] in SLOW or takes_call


def handle_name(kind: str) -> str:
    """`recto_client` for `const recto_client *`."""
    return kind.removeprefix("const ").rstrip("* ")


def parameter_kind(parameter: Row) -> str:
    """The kind of a parameter, for the addon."""
    kind, name = parameter["type"], parameter["name"]
    plain = {
        "const char *": "TEXT",
        "double": "FRACTION",
        "const void *": "DATA",
        "void *": "USERDATA",
        "recto_drop_fn": "DROP",
        "char **": "OUT_TEXT",
        "void **": "OUT_DATA",
        "size_t *": "OUT_LENGTH",
        "uint64_t *": "OUT_COUNT",
        **CALLBACKS,
    }
    if kind == "recto_error **":
        return "{KIND_ERROR, &TYPE_recto_error}"
    if kind.endswith("**") and kind not in plain:
        return f"{{KIND_OUT_HANDLE, &TYPE_{handle_name(kind)}}}"
    if kind in plain:
        return f"{{KIND_{plain[kind]}, NULL}}"
    if kind == "size_t" and name == "length":
        return "{KIND_LENGTH, NULL}"
    if kind in NUMBERS or kind == "recto_status":
        return "{KIND_NUMBER, NULL}"
    return f"{{KIND_HANDLE, &TYPE_{handle_name(kind)}}}"


def result_kind(function: Row) -> str:
    """The kind of a result, for the addon."""
    returns, name = function["returns"], function["name"]
    if returns == "void":
        return "{KIND_NONE, NULL}"
    # recto_error_status() returns the status of an error; it does not fail.
    if returns == "recto_status" and name != "recto_error_status":
        return "{KIND_STATUS, NULL}"
    if returns == "const char *":
        return "{KIND_TEXT, NULL}"
    if returns in NUMBERS or returns == "recto_status":
        return "{KIND_NUMBER, NULL}"
    return f"{{KIND_HANDLE, &TYPE_{handle_name(returns)}}}"


def call_of(function: Row) -> str:
    """The statement that calls the function with the slots of its arguments."""
    arguments = []
    for at, parameter in enumerate(function["parameters"], 1):
        kind, name, slot = parameter["type"], parameter["name"], f"slots[{at}]"
        if kind in CALLBACKS:
            arguments.append(f"{slot}.function == NULL ? NULL : callback_{CALLBACKS[kind].lower()}")
        elif kind == "recto_drop_fn":
            arguments.append(f"slots[{at - 1}].pointer == NULL ? NULL : callback_drop")
        elif kind == "size_t" and name == "length":
            arguments.append(f"{slot}.count")
        elif kind in NUMBERS or kind == "recto_status":
            arguments.append(f"({kind}){slot}.number")
        elif kind == "double":
            arguments.append(f"{slot}.fraction")
        elif kind == "const char *":
            arguments.append(f"{slot}.text")
        else:
            arguments.append(f"{slot}.pointer")
    call = f"{function['name']}({', '.join(arguments)})"
    kind = result_kind(function)
    if "NONE" in kind:
        return call
    if "TEXT" in kind:
        return f"slots[0].text = {call}"
    if "HANDLE" in kind:
        return f"slots[0].pointer = (void *){call}"
    return f"slots[0].number = {call}"


def tables_js(table: Table) -> str:
    """The names that the code in lib/ works with."""
    lines = [
        f"// The names of operations, settings, errors, phases and log levels. {NOTE}",
        "'use strict';",
        "",
    ]
    lines += [
        "/**",
        " * The methods of a client: the name of the operation, and the extensions that it takes.",
    ]
    lines += [" * @type {Record<string, { name: string, accepts: string[] }>}", " */"]
    lines += ["exports.OPERATIONS = {"]
    for operation in table["operations"]:
        accepts = ", ".join(f"'{extension}'" for extension in operation["accepts"])
        lines.append(f"  {method(operation)}: {{ name: '{operation['name']}', accepts: [{accepts}] }},")
    lines += ["};", ""]
    for name, key in (
        ("SETTINGS", "settings"),
        ("BATCH_SETTINGS", "batchSettings"),
        ("LOCAL_SETTINGS", "localSettings"),
    ):
        lines += ["/** @type {Record<string, string>} */", f"exports.{name} = {{"]
        lines += [f"  {camel(one['name'])}: '{one['name']}'," for one in table[key]]
        lines += ["};", ""]
    lines += ["/**", " * The class and the kind of errors, by the status of the C interface."]
    lines += [" * @type {Record<string, [string, string]>}", " */", "exports.ERRORS = {"]
    lines += [
        f"  '{one['status']}': ['{error_type(one['kind'])}', '{one['kind']}']," for one in table["errors"]
    ]
    lines += ["};", "", "/** @type {Record<string, number>} */", "exports.LOG_LEVELS = {"]
    lines += [f"  {one['name']}: {one['value']}," for one in table["logLevels"]]
    lines += ["};", "", "/** @type {Record<string, string>} */", "exports.PHASES = {"]
    lines += [f"  {one['value']}: '{one['name']}'," for one in table["phases"]]
    lines += ["};", ""]
    return "\n".join(lines)


def index_mjs(table: Table) -> str:
    """The package for `import`."""
    others = ["Client", "LocalService", "Operation", "RectoError", "Result", "hasFeature", "version"]
    names = sorted([*others, *(error_type(one["kind"]) for one in table["errors"])])
    lines = [f"// The package for `import`: the same objects as those of `require('recto')`. {NOTE}"]
    lines += [
        "import recto from './index.js';",
        "",
        "export const {",
        *(f"  {name}," for name in names),
        "} = recto;",
        "",
    ]
    return "\n".join(lines)


def method(operation: Row) -> str:
    """The name of the method of an operation."""
    return camel(operation["name"])


def comment(indent: str, *paragraphs: str) -> Iterator[str]:
    """A comment of TypeScript."""
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        lines += (
            ["", *wrapped(paragraph, 110 - len(indent))] if lines else wrapped(paragraph, 110 - len(indent))
        )
    if len(lines) == 1:
        yield f"{indent}/** {lines[0]} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}".rstrip() for line in lines)
    yield f"{indent} */"


def option_type(option: Row) -> str:
    """The type of an option in TypeScript."""
    plain = {"text": "string", "secret": "string", "bool": "boolean", "integer": "number", "number": "number"}
    kind: str = plain.get(option["type"]) or option.get("enum") or option["object"]
    return f"{kind} | string" if option["length"] else kind


def members(options: list[Row]) -> Iterator[str]:
    """The options as members of an interface."""
    for option in options:
        yield from comment("  ", meaning(option))
        optional = "" if option["required"] else "?"
        yield f"  {option['name']}{optional}: {option_type(option)};"


SETTING_TYPES = {
    "text": "string",
    "secret": "string",
    "path": "string",
    "limit": "number",
    "milliseconds": "number",
    "bytes": "number",
    "integer": "number",
    "integers": "number[]",
    "json": "object",
    "bool": "boolean",
}


def in_javascript(text: str, table: Table) -> str:
    """A description with the names of settings and errors as in JavaScript."""
    for name in {
        one["name"] for one in [*table["settings"], *table["batchSettings"], *table["localSettings"]]
    }:
        text = text.replace(f"`{name}`", f"`{camel(name)}`")
    for one in table["errors"]:
        text = text.replace(f"with {one['kind']}", f"with {error_type(one['kind'])}")
    return text.replace("; -1 for no limit", "; `Infinity` for no limit")


def setting_members(settings: list[Row], table: Table) -> Iterator[str]:
    """The settings as members of an interface."""
    for setting in settings:
        default = f"Default: {setting['default']}." if setting["default"] else ""
        yield from comment("  ", in_javascript(f"{setting['about']} {default}".strip(), table))
        yield f"  {camel(setting['name'])}?: {SETTING_TYPES[setting['type']]};"


def settings_type(name: str, about: str, settings: list[Row], table: Table) -> list[str]:
    """An interface of settings."""
    return [*comment("", about), f"export interface {name} {{", *setting_members(settings, table), "}", ""]


def types_ts(table: Table) -> str:
    """The types of options, settings and errors, and the methods of the operations."""
    lines = [f"// The types that follow from the table of operations. {NOTE}", ""]
    lines += [
        "import { type CallSettings, RectoError, type Source, type StartedOperation } from './index';",
        "",
    ]
    for one in table["enums"]:
        values = [f"`{value['text']}`: {value['about']}" for value in one["values"]]
        texts = " | ".join(f"'{value['text']}'" for value in one["values"])
        lines += [*comment("", one["about"], *values), f"export type {one['name']} = {texts};", ""]
    for one in table["objects"]:
        lines += [
            *comment("", one["about"]),
            f"export interface {one['name']} {{",
            *members(one["fields"]),
            "}",
            "",
        ]
    for operation in table["operations"]:
        name = f"{operation['typeName']}Options"
        lines += [*comment("", f"The options of `{method(operation)}`. {operation['about']}")]
        if operation["options"]:
            lines += [f"export interface {name} {{", *members(operation["options"]), "}", ""]
        else:
            lines += [f"export type {name} = Record<string, never>;", ""]
    lines += [
        *comment("", "The options of each operation, by the name of the operation."),
        "export interface OptionsOf {",
    ]
    lines += [f"  '{one['name']}': {one['typeName']}Options;" for one in table["operations"]]
    lines += [
        "}",
        "",
        *comment("", "A method for each operation: it uploads the document and starts the operation."),
    ]
    lines += ["export interface Operations {"]
    for operation in table["operations"]:
        needed = any(option["required"] for option in operation["options"])
        lines += comment("  ", operation["about"], result_of(operation))
        options = f"options{'' if needed else '?'}: {operation['typeName']}Options"
        lines.append(
            f"  {method(operation)}(source: Source, {options}, call?: CallSettings): StartedOperation;"
        )
    lines += ["}", ""]
    copies = [one for one in table["settings"] if one["ofCopies"]]
    rest = [one for one in table["settings"] if not one["ofCopies"]]
    lines += settings_type(
        "CopySettings", "The settings that a copy of a client can have otherwise.", copies, table
    )
    lines += settings_type("OwnSettings", "The settings that a client and its copies share.", rest, table)
    lines += settings_type("BatchSettings", "The settings of a batch.", table["batchSettings"], table)
    lines += settings_type("LocalSettings", "The settings of a local service.", table["localSettings"], table)
    levels = " | ".join(f"'{one['name']}'" for one in table["logLevels"])
    abouts = [f"`{one['name']}`: {one['about']}" for one in table["logLevels"]]
    lines += [*comment("", "How much is logged.", *abouts), f"export type LogLevel = {levels};", ""]
    phases = " | ".join(f"'{one['name']}'" for one in table["phases"])
    abouts = [f"`{one['name']}`: {one['about']}" for one in table["phases"]]
    lines += [*comment("", "A phase of a call.", *abouts), f"export type Phase = {phases};", ""]
    lines += [*comment("", "The kinds of errors. `Other` is an error of the library itself.")]
    kinds = " | ".join(f"'{one['kind']}'" for one in table["errors"])
    lines += [f"export type ErrorKind = {kinds} | 'Other';", ""]
    for one in table["errors"]:
        lines += [
            *comment("", one["about"]),
            f"export class {error_type(one['kind'])} extends RectoError {{}}",
            "",
        ]
    return "\n".join(lines)


def reference_md(table: Table) -> str:
    """The reference of the package."""
    lines = ["# Node.js: operations, settings, errors", "", f"<!-- {NOTE} -->", ""]
    lines += [
        "## Operations",
        "",
        "Each is a method of a client: `client.optimize(source, options, call)`. The names of the",
    ]
    lines += ["options are those of the specification.", ""]
    for operation in table["operations"]:
        lines += [
            f"### {method(operation)}",
            "",
            *wrapped(f"{operation['about']} {result_of(operation)}", 118),
            "",
        ]
        lines += option_rows(operation["options"], table)
    for title, key in (
        ("Settings of a client", "settings"),
        ("Settings of a batch", "batchSettings"),
        ("Settings of a local service", "localSettings"),
    ):
        lines += [f"## {title}", "", "| Setting | Type | Meaning | Default |", "|---|---|---|---|"]
        for one in table[key]:
            default = in_javascript(one["default"] or "", table)
            about = in_javascript(one["about"], table)
            lines.append(f"| `{camel(one['name'])}` | {SETTING_TYPES[one['type']]} | {about} | {default} |")
        lines.append("")
    lines += ["## Errors", "", "| Class | Meaning |", "|---|---|"]
    lines += [f"| `{error_type(one['kind'])}` | {one['about']} |" for one in table["errors"]]
    return "\n".join([*lines, ""])


def option_rows(options: list[Row], table: Table) -> list[str]:
    """The table of the options in the reference."""
    if not options:
        return ["It has no options.", ""]
    objects = {one["name"]: one["fields"] for one in table["objects"]}
    enums = {one["name"]: one["values"] for one in table["enums"]}
    lines = ["| Option | Type | Meaning |", "|---|---|---|"]
    for option in options:
        for one in [option, *objects.get(option.get("object", ""), [])]:
            kind = " or ".join(f"`{value['text']}`" for value in enums.get(one.get("enum", ""), []))
            required = "Required. " if option["required"] else ""
            lines.append(
                f"| `{one['path']}` | {kind or option_type(one).replace('|', 'or')} | {required}{meaning(one)} |"
            )
    return [*lines, ""]


def files(table: Table) -> Iterator[tuple[str, str]]:
    """Every generated file of the package."""
    yield f"{FOLDER}/src/functions.c", functions_c(table)
    yield f"{FOLDER}/lib/tables.js", tables_js(table)
    yield f"{FOLDER}/lib/types.d.ts", types_ts(table)
    yield f"{FOLDER}/lib/index.mjs", index_mjs(table)
    yield f"{FOLDER}/REFERENCE.md", reference_md(table)


if __name__ == "__main__":
    main(GENERATOR, files)
