"""Generates the parts of the Java package that follow from the table.

They are the operations, options, errors and settings, and the declarations of the C library for JNA and for the foreign
function and memory API.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from table import NOTICE, Row, Table, camel, main, meaning, pascal, result_of, snake, wrapped

MAIN = "bindings/java/src/generated/java/dev/recto"
JAVA_22 = "bindings/java/src/generated/java22/dev/recto"
WIDTH = 120

TYPES = {"text": "String", "secret": "String", "integer": "long", "number": "double", "bool": "boolean"}
SETTING_TYPES = {
    "text": "String",
    "secret": "String",
    "json": "String",
    "path": "Path",
    "bool": "boolean",
    "bytes": "long",
    "integer": "int",
    "integers": "List<Integer>",
    "limit": "Duration",
    "milliseconds": "Duration",
}


def file(path: str, package: str, imports: Iterable[str], body: str) -> tuple[str, str]:
    """A file of Java."""
    name = f"dev.recto.{package}" if package else "dev.recto"
    lines = "".join(f"import {name};\n" for name in sorted(set(imports)))
    notice = NOTICE.format(generator="bindings/generate/java.py")
    return path, f"// {notice}\npackage {name};\n\n{lines}{lines and chr(10)}{body}"


def prose(text: str) -> str:
    """A description as the text of a comment: no tags and no ends of comments, code between {@code}."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
    return re.sub(r"`([^`]*)`", r"{@code \1}", text).replace("*/", "*&#47;")


def comment(text: str, indent: str = "", tags: Iterable[str] = ()) -> str:
    """A documentation comment."""
    lines = wrapped(text, WIDTH - len(indent) - 3)
    lines += [line for tag in tags for line in wrapped(tag, WIDTH - len(indent) - 3)]
    if len(lines) == 1 and len(lines[0]) + len(indent) + 7 <= WIDTH:
        return f"{indent}/** {lines[0]} */\n"
    at = len(wrapped(text, WIDTH - len(indent) - 3))
    if len(lines) > at:
        lines.insert(at, "")
    return (
        f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"
    )


def constant(text: str) -> str:
    """`MINIMAL_FILE_SIZE` for `minimalFileSize`."""
    return snake(text).upper()


def exception(kind: str) -> str:
    """`ConfigException` for `ConfigError`, `NotFoundException` for `NotFound`."""
    return f"{kind.removesuffix('Error')}Exception"


def options_type(operation: Row) -> str:
    """The name of the class of the options of an operation."""
    return f"{operation['typeName']}Options"


# The C library


def c_type(text: str) -> str:
    """The type of Java for a type of C: an address is a long."""
    if text == "void":
        return "void"
    if text in ("int32_t", "uint32_t", "recto_status"):
        return "int"
    return "double" if text == "double" else "long"


def constants(table: Table) -> str:
    """The constants of the C interface that the package needs."""
    major, minor, _ = table["version"].split(".")
    number = int(major) << 16 | int(minor) << 8
    lines = [
        comment("The version of this package, which is that of the library.", "    "),
        f'    public static final String VERSION = "{table["version"]}";\n\n',
        comment("The number in the name of the installed library.", "    "),
        f'    public static final String ABI = "{major}.{minor}";\n\n',
        comment("The version as a number, without its last part.", "    "),
        f"    public static final int RECTO_VERSION_NUMBER = {number};\n\n",
        comment("A time in milliseconds without a limit.", "    "),
        "    public static final long RECTO_FOREVER = -1;\n",
    ]
    return "".join(lines)


def c_library_jna(table: Table) -> tuple[str, str]:
    """The class with the functions of the C library as native methods, which JNA binds."""
    about = (
        "The functions of recto.h, for JNA. Java 22 and later use the class of the same name that calls them with the "
        "foreign function and memory API. An address is a {@code long}. Internal: programs do not use this package."
    )
    body = comment(about) + "public final class CLibrary {\n" + constants(table)
    body += """
    static {
        Memory.bind(CLibrary.class);
        Library.check(recto_version_number());
    }

    private CLibrary() {}
"""
    for function in table["functions"]:
        parameters = ", ".join(
            f"{c_type(row['type'])} {camel(row['name'])}" for row in function["parameters"]
        )
        call = f"{c_type(function['returns'])} {function['name']}({parameters});"
        body += f"\n    /** See recto.h. */\n{declared('    public static native ', call)}"
    return file(f"{MAIN}/ffi/CLibrary.java", "ffi", [], body + "}\n")


def declared(start: str, call: str, indent: str = " " * 12) -> str:
    """A declaration or a call, with its parameters on a second line if it is long."""
    if len(start + call) <= WIDTH:
        return f"{start}{call}\n"
    head, parameters = call.split("(", 1)
    return f"{start}{head}(\n" + "".join(
        f"{indent}{line}\n" for line in wrapped(parameters, WIDTH - len(indent))
    )


def c_library_ffm(table: Table) -> tuple[str, str]:
    """The class with the functions of the C library as method handles."""
    about = (
        "The functions of recto.h, for the foreign function and memory API. An address is a {@code long}. Internal: "
        "programs do not use this package."
    )
    body = comment(about) + "public final class CLibrary {\n" + constants(table)
    body += """
    static {
        Library.check(recto_version_number());
    }

    private CLibrary() {}
"""
    for function in table["functions"]:
        body += ffm_function(function)
    return file(f"{JAVA_22}/ffi/CLibrary.java", "ffi", ["java.lang.invoke.MethodHandle"], body + "}\n")


def ffm_function(function: Row) -> str:
    """A method, and a class for its handle, which is created at the first call."""
    name, returns = function["name"], c_type(function["returns"])
    types = [c_type(row["type"]) for row in function["parameters"]]
    names = [camel(row["name"]) for row in function["parameters"]]
    parameters = ", ".join(f"{kind} {name}" for kind, name in zip(types, names, strict=True))
    shape = ", ".join([f'"{name}"', f"{returns}.class", *(f"{kind}.class" for kind in types)])
    handle = pascal(name.removeprefix("recto_"))
    cast = "" if returns == "void" else f"return ({returns}) "
    call = declared(f"            {cast}", f"{handle}.HANDLE.invokeExact({', '.join(names)});", " " * 20)
    method = declared("    public static ", f"{returns} {name}({parameters}) {{")
    return f"""
    private static final class {handle} {{
        static final MethodHandle HANDLE = Memory.function(
                {f"{chr(10)}                ".join(wrapped(shape + ");", WIDTH - 16))}
    }}

    /** See recto.h. */
{method}        try {{
{call}        }} catch (Throwable throwable) {{
            throw Memory.unexpected(throwable);
        }}
    }}
"""


# Errors and phases


def errors(table: Table) -> Iterator[tuple[str, str]]:
    """The exceptions, and the class that creates them."""
    for row in table["errors"]:
        name = exception(row["kind"])
        body = comment(prose(row["about"])) + f"public class {name} extends RectoException {{\n"
        body += "    private static final long serialVersionUID = 1;\n\n"
        body += comment("Creates an exception.", "    ", ["@param details the fields"])
        body += f"    public {name}(ErrorDetails details) {{\n        super(details);\n    }}\n}}\n"
        yield file(f"{MAIN}/errors/{name}.java", "errors", [], body)
    cases = ""
    for row in table["errors"]:
        statuses = [row["status"]] + [
            status["value"]
            for status in table["statuses"]
            if row["kind"] == "InvalidRequest" and status["constant"] == "RECTO_E_NULL"
        ]
        labels = ", ".join(map(str, statuses))
        cases += f"            case {labels} -> new {exception(row['kind'])}(details);\n"
    body = f"""/** The exceptions for the statuses of the C interface. */
public final class ErrorKinds {{
    private ErrorKinds() {{}}

    /**
     * The exception for a status.
     *
     * @param status the status
     * @param details the fields
     * @return an exception of the class for the status; a RectoException if it has none
     */
    public static RectoException exception(int status, ErrorDetails details) {{
        return switch (status) {{
{cases}            default -> new RectoException(details);
        }};
    }}
}}
"""
    yield file(f"{MAIN}/errors/ErrorKinds.java", "errors", [], body)


def phases(table: Table) -> tuple[str, str]:
    """The enum of the phases of a call."""
    values = ",\n\n".join(
        comment(prose(row["about"]), "    ") + f'    {constant(row["name"])}({row["value"]}, "{row["name"]}")'
        for row in table["phases"]
    )
    body = f"""/** A phase of a call. */
public enum Phase {{
{values};

    private final int value;
    private final String text;

    Phase(int value, String text) {{
        this.value = value;
        this.text = text;
    }}

    /** The phase of a RECTO_PHASE_ value; null if it is not known. */
    static Phase of(int value) {{
        for (Phase phase : values()) {{
            if (phase.value == value) {{
                return phase;
            }}
        }}
        return null;
    }}

    /** The name of the phase, such as "upload". */
    @Override
    public String toString() {{
        return text;
    }}
}}
"""
    return file(f"{MAIN}/Phase.java", "", [], body)


# Options


def enums(table: Table) -> Iterator[tuple[str, str]]:
    """The enums of the options."""
    for row in table["enums"]:
        values = ",\n\n".join(
            comment(prose(value["about"]), "    ") + f'    {constant(value["text"])}("{value["text"]}")'
            for value in row["values"]
        )
        body = (
            comment(prose(row["about"]))
            + f"""public enum {row["name"]} {{
{values};

    private final String text;

    {row["name"]}(String text) {{
        this.text = text;
    }}

    /** The value as the service spells it. */
    @Override
    public String toString() {{
        return text;
    }}
}}
"""
        )
        yield file(f"{MAIN}/options/{row['name']}.java", "options", [], body)


def option_type(option: Row) -> str:
    """The type of an option in Java."""
    if option["type"] in ("enum", "object"):
        name: str = option[option["type"]]
        return name
    return TYPES[option["type"]]


def setter(option: Row) -> str:
    """A method of a builder."""
    name = option["name"]
    text = prose(meaning({**option, "length": False}))
    text += " Required." if option["required"] else ""
    value = {
        "enum": f"{name}.toString()",
        "integer": f"Long.valueOf({name})",
        "number": f"Double.valueOf({name})",
    }
    tags = [f"@param {name} the value", "@return this"]
    return f"""
{comment(text, "        ", tags)}        public Builder {name}({option_type(option)} {name}) {{
            put("{option["path"]}", {value.get(option["type"], name)});
            return this;
        }}
"""


def values_class(name: str, about: str, rows: list[Row], parent: str, arguments: str) -> str:
    """An immutable class of values with its builder."""
    setters = "".join(setter(row) for row in rows)
    required = [row for row in rows if row["required"]]
    body = f"{comment(about)}public final class {name} extends {parent} {{\n"
    body += f"    private {name}(Builder builder) {{\n        super({arguments});\n    }}\n\n"
    if required:
        parameters = ", ".join(f"{option_type(row)} {row['name']}" for row in required)
        calls = "".join(f".{row['name']}({row['name']})" for row in required)
        tags = [f"@param {row['name']} {prose(row['about'])}" for row in required]
        text = "Values of which only the required ones are set."
        body += comment(text, "    ", [*tags, "@return the values"])
        body += f"    public static {name} of({parameters}) {{\n        return builder(){calls}.build();\n    }}\n\n"
    body += comment("A builder, in which nothing is set.", "    ", ["@return the builder"])
    body += "    public static Builder builder() {\n        return new Builder();\n    }\n\n"
    body += (
        f"    /** Builds {name}. */\n    public static final class Builder extends OptionValues.Builder {{\n"
    )
    body += f"        private Builder() {{}}\n{setters}\n"
    body += comment("The values, which can no longer be changed.", "        ", ["@return the values"])
    body += (
        f"        public {name} build() {{\n            return new {name}(this);\n        }}\n    }}\n}}\n"
    )
    return body


def options(table: Table) -> Iterator[tuple[str, str]]:
    """The classes of the options, and of the objects in them."""
    for row in table["objects"]:
        body = values_class(row["name"], prose(row["about"]), row["fields"], "OptionValues", "builder.values")
        yield file(f"{MAIN}/options/{row['name']}.java", "options", [], body)
    for row in table["operations"]:
        name = options_type(row)
        about = f"The options of {row['name']}. {prose(row['about'])}"
        arguments = f'"{row["name"]}", builder.values'
        body = values_class(name, about, row["options"], "OperationOptions", arguments)
        yield file(f"{MAIN}/options/{name}.java", "options", [], body)
    rows = [option for row in table["operations"] for option in row["options"]]
    rows += [field for row in table["objects"] for field in row["fields"]]
    secrets = ", ".join(f'"{path}"' for path in sorted({row["path"] for row in rows if row["secret"]}))
    body = "/** The options whose values are secrets. */\nfinal class Secrets {\n"
    body += f"    static final List<String> NAMES = List.of({secrets});\n\n    private Secrets() {{}}\n}}\n"
    yield file(f"{MAIN}/options/Secrets.java", "options", ["java.util.List"], body)


def operations(table: Table) -> tuple[str, str]:
    """The interface with a method for each operation."""
    body = """/** The operations of the service: each method starts one, and first uploads the document if necessary. */
public interface Operations {
    /**
     * Starts an operation.
     *
     * @param source the document
     * @param options the options, whose class determines the operation
     * @param settings settings of this call
     * @return the started operation
     */
    Operation start(Source source, OperationOptions options, CallOption... settings);

    /**
     * {@link #start} in the background.
     *
     * @param source the document
     * @param options the options, whose class determines the operation
     * @param settings settings of this call
     * @return a future of the started operation
     */
    CompletableFuture<Operation> startAsync(Source source, OperationOptions options, CallOption... settings);
"""
    imports = [
        "java.nio.file.Path",
        "java.util.concurrent.CompletableFuture",
        "dev.recto.options.OperationOptions",
    ]
    for row in table["operations"]:
        imports.append(f"dev.recto.options.{options_type(row)}")
        body += "".join(operation_methods(row))
    return file(f"{MAIN}/Operations.java", "", imports, body + "}\n")


def operation_methods(row: Row) -> Iterator[str]:
    """The methods of an operation: for a path and any source, without options, and in the background."""
    name, kind = camel(row["name"]), options_type(row)
    about = prose(f"{row['about']} {result_of(row)}")
    with_options = [True, False] if row["options"] else [False]
    if any(option["required"] for option in row["options"]):
        with_options = [True]
    for is_async in (False, True):
        for has_options in with_options:
            for source, document in (("Path", "a local file"), ("Source", "the document")):
                tags = [f"@param source {document}"]
                tags += ["@param options the options"] if has_options else []
                tags += ["@param settings settings of this call"]
                tags += ["@return a future of the operation" if is_async else "@return the started operation"]
                suffix, returns = ("Async", "CompletableFuture<Operation>") if is_async else ("", "Operation")
                text = f"Starts {row['name']} in the background. {about}" if is_async else about
                given = f"{kind} options, " if has_options else ""
                options = "options" if has_options else f"{kind}.builder().build()"
                argument = "Source.of(source)" if source == "Path" else "source"
                head = f"{returns} {name}{suffix}({source} source, {given}CallOption... settings) {{"
                yield "\n" + comment(text, "    ", tags) + declared("    default ", head)
                yield f"        return start{suffix}({argument}, {options}, settings);\n    }}\n"


# Settings


def settings(table: Table) -> Iterator[tuple[str, str]]:
    """The settings of clients, batches and services."""
    groups = (
        ("ClientSettings", "settings", "The settings of a client."),
        ("BatchSettings", "batchSettings", "The settings of a batch."),
        ("LocalSettings", "localSettings", "The settings of a service on this machine."),
    )
    for name, key, about in groups:
        body = comment(about, tags=["@param <B> the class of the builder"])
        body += f"public abstract class {name}<B extends {name}<B>> extends Settings {{\n    {name}() {{}}\n"
        body += "".join(setting_method(row) for row in table[key])
        body += """
    @SuppressWarnings("unchecked")
    private B self() {
        return (B) this;
    }
}
"""
        used = {"Duration": "java.time.Duration", "Path": "java.nio.file.Path", "List": "java.util.List"}
        imports = [full for short, full in used.items() if re.search(rf"\({short}[< ]", body)]
        yield file(f"{MAIN}/{name}.java", "", imports, body)


def setting_name(name: str) -> str:
    """The name of the method that sets a setting."""
    return camel(name.removesuffix("_ms"))


def setting_method(row: Row) -> str:
    """The method that sets a setting."""
    name, kind = setting_name(row["name"]), row["type"]
    text = row["about"].replace("-1 for no limit", "null for no limit")
    if row["default"] is not None:
        unit = " ms" if kind == "milliseconds" and row["default"].isdigit() else ""
        text += f" Default: {row['default']}{unit}."
    text = re.sub(r"`([a-z]+_[a-z_]+)`", lambda match: f"`{setting_name(match[1])}`", text)
    value = {
        "limit": f"{name} == null ? -1L : {name}.toMillis()",
        "milliseconds": f"{name}.toMillis()",
        "integers": f"List.copyOf({name})",
    }.get(kind, name)
    tags = [f"@param {name} the value", "@return this"]
    return f"""
{comment(prose(text), "    ", tags)}    public B {name}({SETTING_TYPES[kind]} {name}) {{
        set("{row["name"]}", {value});
        return self();
    }}
"""


def generate(table: Table) -> Iterator[tuple[str, str]]:
    """The files of the package."""
    yield c_library_jna(table)
    yield c_library_ffm(table)
    yield from errors(table)
    yield phases(table)
    yield from enums(table)
    yield from options(table)
    yield operations(table)
    yield from settings(table)


if __name__ == "__main__":
    main("bindings/generate/java.py", generate)
