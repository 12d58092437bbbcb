"""The host-side worker: one file of Python tools in a process of its own.

Started by tool_python.c with python_boot.c's program for -c, which reads this source, hints.py, the
decorator module and the user's file from descriptor 3 and runs them: the tool's user need not be
able to read our files, and what runs is what was hashed.

On descriptor 3, one line each (JSON in ASCII, so a line break never stands within):
    worker   tools [DEFINITION, ...]            or    failed "WORDS"
    host     ID NAME ARGUMENTS                        a call
    worker   ID ok VALUE                        or    ID error "WORDS"

Invariants: descriptor 3 is moved out of the way of tools; a forked child of a tool never speaks on
it; whatever a tool raises, SystemExit too, becomes an answer.
"""

import _thread
import json
import os
import sys

from tollbridge_hints import Unfit, add_default, encode, hint_schema, object_schema, split_doc

MARKS = "__tollbridge__"
WORDS_MAX = 4096
THREADS_MAX = 32

# Tools.


class Tool:
    """One function or object as it is offered: definition, and call(arguments)."""

    def __init__(self, name, definition, call):
        self.name = name
        self.definition = definition
        self.call = call


def parameter_schema(function, name):
    """(schema, converters, positional names) of a function's parameters."""
    import inspect
    import typing

    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception as error:
        raise Unfit("%s: its type hints cannot be read: %s" % (name, error)) from None
    fields, required, positional = {}, [], []
    more = False
    for parameter in inspect.signature(function).parameters.values():
        where = "%s, parameter %s" % (name, parameter.name)
        hint = hints.get(parameter.name, typing.Any)
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise Unfit("%s: *%s has no name a call could use" % (name, parameter.name))
        if parameter.kind is parameter.VAR_KEYWORD:
            more = hint_schema(hint, where)[0] or True
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(parameter.name)
        fields[parameter.name] = hint_schema(hint, where)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        else:
            add_default(fields, parameter.name, parameter.default)
    schema = object_schema(fields, required)
    schema["additionalProperties"] = more
    converters = {key: pair[1] for key, pair in fields.items() if pair[1]}
    return schema, converters, positional, hints.get("return", typing.Any)


def output_schema(hint, name):
    """What a return hint promises; a hint without a JSON form promises nothing."""
    try:
        return hint_schema(hint, name)[0]
    except Unfit:
        return {}


def function_tool(function, name, marks):
    import inspect

    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise Unfit("%s is a generator; a tool returns one value" % name)
    schema, converters, positional, returned = parameter_schema(function, name)
    about, params = split_doc(function.__doc__)
    for key, text in params.items():
        if key in schema["properties"]:
            schema["properties"][key].setdefault("description", text)
    call = bind_call(function, converters, positional)
    definition = make_definition(name, marks, about, schema, output_schema(returned, name))
    return Tool(name, definition, call)


def bind_call(function, converters, positional):
    """A function of the arguments alone; the common case adds nothing."""
    import inspect

    if inspect.iscoroutinefunction(function):
        plain = function

        def function(**kwargs):
            return loops.run(plain(**kwargs))

        if positional:
            def function(*args, **kwargs):
                return loops.run(plain(*args, **kwargs))

    if not converters and not positional:
        return lambda arguments: function(**arguments)

    def call(arguments):
        for key, convert in converters.items():
            if key in arguments:
                arguments[key] = convert(arguments[key])
        args = []
        for key in positional:
            if key not in arguments:
                break
            args.append(arguments.pop(key))
        return function(*args, **arguments)

    return call


def make_definition(name, marks, about, schema, output):
    definition = {"name": name}
    if marks.get("title"):
        definition["title"] = marks["title"]
    definition["description"] = marks.get("description", about)
    definition["inputSchema"] = schema
    if output:
        definition["outputSchema"] = output
    hints = {key: value for key, value in marks.items() if key.endswith("Hint")}
    if hints:
        definition["annotations"] = hints
    return definition


def object_tool(value, marks):
    """An object with name, description, args_schema and invoke(arguments)."""
    name = marks.get("name") or value.name
    schema = value.args_schema
    if hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    elif hasattr(schema, "schema") and callable(schema.schema):
        schema = schema.schema()
    if not isinstance(schema, dict):
        raise Unfit("%s: its args_schema is neither a dict nor a model" % name)
    definition = make_definition(name, marks, str(value.description or ""), schema, {})
    invoke = value.invoke

    def call(arguments):
        result = invoke(arguments)
        return loops.run(result) if hasattr(result, "__await__") else result

    return Tool(name, definition, call)


def is_object_tool(value):
    if isinstance(value, type):
        return False
    parts = ("name", "description", "args_schema", "invoke")
    return all(hasattr(value, part) for part in parts) and isinstance(value.name, str)


def find_tools(module):
    import types

    public = getattr(module, "__all__", None)
    names = list(public) if public is not None else list(vars(module))
    tools = []
    for name in names:
        if not hasattr(module, name):
            raise Unfit("__all__ names %s, which is not there" % name)
        value = getattr(module, name)
        marks = getattr(value, MARKS, None) or {}
        if is_object_tool(value):
            tools.append(object_tool(value, marks))
        elif public is None and (
            name.startswith("_") or getattr(value, "__module__", None) != module.__name__
        ):
            continue
        elif isinstance(value, types.FunctionType):
            tools.append(function_tool(value, marks.get("name") or name, marks))
        elif public is not None:
            raise Unfit("__all__ names %s, which is no function" % name)
    check_names(tools)
    return tools


def check_names(tools):
    import re

    if not tools:
        raise Unfit("it defines no public function")
    seen = set()
    for tool in tools:
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", tool.name):
            raise Unfit(
                "%r: a tool's name is made of letters, digits, '_', '-' and '.'" % tool.name
            )
        if tool.name in seen:
            raise Unfit("two tools are named %s" % tool.name)
        seen.add(tool.name)


class Loops:
    """One event loop for all async tools, in a thread of its own once calls run in parallel."""

    def __init__(self):
        self.loop = None
        self.threaded = False
        self.starting = _thread.allocate_lock()

    def run(self, coroutine):
        import asyncio

        if self.threaded:
            return asyncio.run_coroutine_threadsafe(self._await(coroutine), self.start()).result()
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(coroutine)

    async def _await(self, coroutine):
        return await coroutine

    def start(self):
        import asyncio
        import threading

        with self.starting:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                threading.Thread(target=self.loop.run_forever, daemon=True).start()
        return self.loop


loops = Loops()


# Serving.


class Line:
    """Descriptor 3, moved out of the way."""

    def __init__(self, path, most):
        self.path, self.most = path, most
        import fcntl
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        top = 4096 if limit < 0 or limit > 4096 else limit
        self.fd = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, top - 1)
        os.close(3)
        self.rest = b""
        self.child = False
        os.register_at_fork(after_in_child=self.leave)

    def leave(self):
        self.child = True
        os.close(self.fd)

    def read(self):
        """The next line with its line feed; leaves at the end."""
        data = os.read(self.fd, 4096) if not self.rest else b""
        if data.find(b"\n") == len(data) - 1 and data:
            return data
        return self.more(data)

    def more(self, data):
        parts = [self.rest + data]
        while b"\n" not in parts[-1]:
            data = os.read(self.fd, 65536)
            if not data:
                os._exit(0)
            parts.append(data)
        line, self.rest = b"".join(parts).split(b"\n", 1)
        return line + b"\n"

    def write(self, line):
        sent = os.write(self.fd, line)
        while sent < len(line):
            sent += os.write(self.fd, memoryview(line)[sent:])


def words_of(error, path):
    """One line for the program: what was raised, and where in the user's file."""
    where = None
    tb = error.__traceback__
    while tb:
        if tb.tb_frame.f_code.co_filename == path:
            where = tb.tb_lineno
        tb = tb.tb_next
    try:
        said = str(error)
    except BaseException:
        said = ""
    if isinstance(error, SystemExit):
        text = "the tool called sys.exit(%s)" % said
    else:
        text = "%s: %s" % (type(error).__name__, said) if said else type(error).__name__
    if len(text) > WORDS_MAX:
        text = text[:WORDS_MAX] + " [...]"
    place = " (%s:%d)" % (os.path.basename(path), where) if where else ""
    return text.encode("utf-8", "backslashreplace").decode() + place


def log_error(error):
    """The whole traceback goes to standard error, for the tool's owner."""
    try:
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)
        sys.stderr.flush()
    except BaseException:
        pass


def answer(line, tool, ident, arguments):
    """Run one call and give its line."""
    try:
        value = tool.call(arguments)
    except BaseException as error:
        if line.child:
            os._exit(1)
        log_error(error)
        return b"%s error %s\n" % (ident, encode(words_of(error, line.path)).encode())
    if line.child:  # a child that the tool forked came back instead of ending
        os._exit(0)
    try:
        text = encode(value)
        if len(text) > line.most:
            raise ValueError("%d bytes, more than %d" % (len(text), line.most))
        return b"%s ok %s\n" % (ident, text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        words = "%s returned what JSON cannot carry: %s" % (tool.name, why)
        return b"%s error %s\n" % (ident, encode(words[:WORDS_MAX]).encode())


def serve(line, tools):
    """One call at a time."""
    scan = json.JSONDecoder().scan_once
    while True:
        ident, name, text = line.read().split(b" ", 2)
        arguments = scan(text.decode(), 0)[0]
        line.write(answer(line, tools[name], ident, arguments))


def serve_parallel(line, tools):
    """Calls in threads; answers come in any order."""
    import concurrent.futures
    import threading

    writing = threading.Lock()
    loops.threaded = True

    def one(ident, tool, arguments):
        reply = answer(line, tool, ident, arguments)
        with writing:
            line.write(reply)

    scan = json.JSONDecoder().scan_once
    pool = concurrent.futures.ThreadPoolExecutor(THREADS_MAX)
    while True:
        ident, name, text = line.read().split(b" ", 2)
        pool.submit(one, ident, tools[name], scan(text.decode(), 0)[0])


def import_file(path, source):
    """The user's file as a module, from the bytes that were hashed; its folder is importable."""
    from types import ModuleType

    name = os.path.splitext(os.path.basename(path))[0]
    if name in sys.modules or name in getattr(sys, "stdlib_module_names", ()):
        name = "tools_of_" + name
    sys.path.insert(0, os.path.dirname(path))
    sys.argv[:] = [path]
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    return module


def failure(error, path):
    """Why the file cannot be offered, in one line."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return "%s (%s:%s)" % (error.msg, os.path.basename(path), error.lineno)
    if isinstance(error, Unfit):
        return str(error)
    log_error(error)
    return words_of(error, path)


def main(source, path, parallel, most):
    """Everything: take over descriptor 3, load the file, say what it offers, serve."""
    line = Line(path, most)
    os.dup2(2, 1)
    sys.stdout = open(1, "w", buffering=1, errors="backslashreplace", closefd=False)
    # What was accepted is source text: no compiled file beside it may run in its place.
    sys.dont_write_bytecode = True
    sys.pycache_prefix = "/dev/null/none"
    try:
        tools = find_tools(import_file(path, source))
        hello = "tools %s\n" % encode([tool.definition for tool in tools])
    except BaseException as error:
        if line.child:
            os._exit(0)
        line.write(("failed %s\n" % encode(failure(error, path)[:WORDS_MAX])).encode())
        os._exit(1)
    line.write(hello.encode())
    (serve_parallel if parallel else serve)(line, {tool.name.encode(): tool for tool in tools})
