"""The guest's runner: reads the bridge, proves the sandbox, runs one program over typed functions.

It is started ahead of need, as `python3 -I -S runner.py`, with the bridge (formats.md 3) on
descriptors 0 and 1 and a second socket on 2.  The order of its life: probes, load, forecast, go,
the program, end.  Nothing here protects anybody: the program shares this process and can do
whatever the runner can, so the host trusts no line of it.  What the runner owes is a faithful
bridge for honest programs.

Invariants:
 - Descriptors 0, 1 and 2 of the program never lead to the bridge.
 - A line of the bridge is written whole, under `writing`.
 - At any time at most one thread reads the bridge (`leading`); it hands lines to the others.
 - Tools are built from data; no text of a server is ever compiled.
 - One helper thread (`watch`), which shows the live line and flushes late output.
"""

import sys

import _thread
import itertools
import os
import time

LINE_MAX = 1 << 20  # the bridge's own ceiling, unless load says otherwise
OUTPUT_DELAY_S = 0.02  # output that follows other output within this time is gathered
OUTPUT_RATE = 4000  # output lines a second, well below what the bridge takes
WATCH_S = 0.1
DEPTH_MAX = 60  # the strict reader takes 64 levels; the envelope has three
ERROR_MAX = 16384
SITES_MAX = 1000


class ToolRefused(Exception):
    """A call that was not allowed to run.  reason, by and final say why, who and for how long."""

    def __init__(self, reason="", by="", final=True):
        super().__init__(reason)
        self.reason = reason
        self.by = by
        self.final = final


class ToolDenied(ToolRefused):
    """The policy or a person said no."""


class BudgetExceeded(ToolRefused):
    """The call is past a limit of the budget."""


class ToolError(Exception):
    """The call could not be made, or the tool failed.  code is the bridge's, 0 for the runner's."""

    def __init__(self, message="", code=0):
        super().__init__(message)
        self.code = code


class ToolEdited(UserWarning):
    """A person changed the arguments of a call before it ran.  arguments: what it ran with."""

    def __init__(self, message="", arguments=None):
        super().__init__(message)
        self.arguments = arguments


EXCEPTIONS = (ToolRefused, ToolDenied, BudgetExceeded, ToolError, ToolEdited)
for _exception in EXCEPTIONS:
    _exception.__module__ = "builtins"


# JSON, without importing the json package where the C parts will do.


class _Plain:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = None
    memo = {}


def _no_json(value):
    raise ToolError("%s cannot be carried as JSON" % type(value).__name__)


try:
    from _json import encode_basestring_ascii as quote, make_encoder, make_scanner

    scan = make_scanner(_Plain)
    _encode = make_encoder(None, _no_json, quote, None, ":", ",", False, False, False)
except ImportError:
    import json

    quote = json.encoder.encode_basestring_ascii
    scan = json.JSONDecoder().scan_once

    def _encode(value, level):
        return (json.dumps(value, separators=(",", ":"), allow_nan=False, check_circular=False),)


SCALARS = frozenset((str, int, float, bool, type(None)))


def plain(value, depth, where):
    """The value as JSON carries it, or ToolError that says where it does not."""
    kind = type(value)
    if depth > DEPTH_MAX:
        raise ToolError("%s: more than %d levels" % (where, DEPTH_MAX))
    if kind is dict:
        return _plain_dict(value.items(), depth, where)
    if kind is list or kind is tuple:
        return [plain(v, depth + 1, "%s[%d]" % (where, i)) for i, v in enumerate(value)]
    if kind in SCALARS:
        return _plain_scalar(value, kind, where)
    return _plain_other(value, depth, where)


def _plain_scalar(value, kind, where):
    if kind is str and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ToolError("%s: text with a lone surrogate" % where) from None
    elif kind is float and (value != value or value in (float("inf"), float("-inf"))):
        raise ToolError("%s: %r cannot be carried as JSON" % (where, value))
    return value


def _plain_dict(items, depth, where):
    out = {}
    ascii_only = True
    for key, value in items:
        if not isinstance(key, str):
            raise ToolError("%s: the key %.60r is no text" % (where, key))
        key = _plain_scalar(str.__str__(key), str, where)
        ascii_only = ascii_only and key.isascii()
        out[key] = plain(value, depth + 1, "%s.%s" % (where, key))
    if not ascii_only:
        import unicodedata

        if len({unicodedata.normalize("NFC", key) for key in out}) < len(out):
            raise ToolError("%s: two keys that are one and the same letters" % where)
    return out


def _plain_other(value, depth, where):
    """Subclasses, enumerations, dataclasses and mappings; everything else is refused."""
    kind = type(value)
    enum = sys.modules.get("enum")
    if enum and isinstance(value, enum.Enum):
        return plain(value.value, depth, where)
    if hasattr(kind, "__dataclass_fields__"):
        fields = [(name, getattr(value, name)) for name in kind.__dataclass_fields__]
        return _plain_dict(fields, depth, where)
    for base in (bool, int, float, str):
        if isinstance(value, base):
            return plain(base(value) if base is not str else str.__str__(value), depth, where)
    if isinstance(value, dict):
        return _plain_dict(value.items(), depth, where)
    if isinstance(value, (list, tuple)):
        return plain(list(value), depth, where)
    if hasattr(value, "item") and kind.__module__ == "numpy" and not getattr(value, "ndim", 1):
        return plain(value.item(), depth, where)
    raise ToolError("%s: %s cannot be carried as JSON" % (where, kind.__name__))


def encode_arguments(arguments):
    """The JSON text of a dict of arguments.  Scalars alone take the short way."""
    for value in arguments.values():
        if type(value) not in SCALARS:
            arguments = plain(arguments, 0, "arguments")
            break
    try:
        text = "".join(_encode(arguments, 0))
    except ValueError as error:
        plain(arguments, 0, "arguments")
        raise ToolError("arguments: %s" % error) from None
    if "\\u" in text:
        plain(arguments, 0, "arguments")
    return text


# The bridge.


class Bridge:
    """What the runner knows of its one line to the host."""

    def __init__(self):
        import fcntl

        try:
            import resource

            limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        except (ImportError, OSError):
            limit = 256
        top = 1024 if limit < 0 or limit > 1024 else limit
        self.fd = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, top - 1)
        os.set_blocking(self.fd, True)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0, inheritable=True)
        os.dup2(2, 1, inheritable=True)
        if null > 2:
            os.close(null)
        self.writing = _thread.RLock()
        self.leading = _thread.allocate_lock()
        self.leader = 0
        self.rest = bytearray()
        self.waiting = {}  # request id -> the lock its thread sleeps on
        self.arrived = {}  # request id -> response text
        self.forked = False
        self.line_max = LINE_MAX
        self.budget = {"used": 0, "limit": None}
        self.edits = {}  # thread -> what its latest call ran with, where a person had changed that
        self.filename = ""
        self.tail = ""  # end of the newest response: holds the budget, parsed when asked for
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.leave)

    def leave(self):
        """In a forked child: the bridge belongs to its parent."""
        self.forked = True
        os.close(self.fd)
        self.fd = -1

    def send(self, line):
        with self.writing:
            sent = os.write(self.fd, line)
            while sent < len(line):
                sent += os.write(self.fd, memoryview(line)[sent:])

    def note(self, method, params):
        """A notification; params is JSON text."""
        line = '{"jsonrpc":"2.0","method":"tollbridge/%s","params":%s}\n' % (method, params)
        self.send(line.encode())

    def more(self, data):
        """One line as text, given the bytes that just came; keeps what follows it."""
        rest = self.rest
        rest += data
        seen = 0
        while True:
            end = rest.find(b"\n", seen)
            if end >= 0:
                line = rest[:end].decode()
                del rest[: end + 1]
                return line
            seen = len(rest)
            data = os.read(self.fd, 65536)
            if not data:
                os._exit(1)  # the host has gone
            rest += data

    def line(self):
        """The next line as text.  For the one thread that leads."""
        rest = self.rest
        if rest:
            return self.more(b"")
        data = os.read(self.fd, 4096)
        if not data:
            os._exit(1)
        if data.find(b"\n") == len(data) - 1:
            return data.decode()
        return self.more(data)

    def lead(self, ident, head):
        """Read until the response to ident is there; others' are handed to them."""
        self.leader = _thread.get_ident()
        try:
            while True:
                if self.arrived:
                    text = self.arrived.pop(ident, None)
                    if text is not None:
                        return text
                text = self.line()
                if text.startswith(head):
                    return text
                self.deliver(text)
        finally:
            self.leader = 0
            self.leading.release()
            if self.waiting:
                self.hand_over()

    def deliver(self, text):
        message = scan(text, 0)[0]
        ident = message.get("id")
        if ident is None:
            if message.get("method") == "tollbridge/cancel":
                end_program("error", 130, "the run was cancelled", 0)
            return
        self.arrived[ident] = text
        sleeper = self.waiting.pop(ident, None)
        if sleeper:
            sleeper.release()

    def hand_over(self):
        """Nobody leads: wake one of those that wait, which will."""
        while self.waiting and not self.leading.locked():
            try:
                sleeper = self.waiting.popitem()[1]
            except KeyError:
                return
            sleeper.release()
            return

    def follow(self, ident, head):
        """Wait for the leader to bring the response, or to leave the lead."""
        if self.leader == _thread.get_ident():
            raise ToolError("a tool was called from a signal handler while another call waits")
        sleeper = _thread.allocate_lock()
        sleeper.acquire()
        try:
            while True:
                self.waiting[ident] = sleeper
                if ident in self.arrived:
                    return self.arrived.pop(ident)
                if self.leading.acquire(False):
                    self.waiting.pop(ident, None)
                    return self.lead(ident, head)
                sleeper.acquire()
        finally:
            self.waiting.pop(ident, None)
            if self.waiting:
                self.hand_over()

    def used(self):
        tail, self.tail = self.tail, ""
        if tail:
            try:
                meta = scan("{" + tail[1:], 0)[0].get("_meta") or {}
                self.budget = meta.get("tollbridge/budget") or self.budget
            except (StopIteration, ValueError):
                pass
        return self.budget


def refusal(message):
    """The exception for a response that is an error."""
    error = message.get("error") or {}
    data = error.get("data") or {}
    code = error.get("code", 0)
    reason = data.get("reason") or error.get("message") or "no reason given"
    if code == -32001 or code == -32002:
        kind = ToolDenied if code == -32001 else BudgetExceeded
        return kind(reason, data.get("by", ""), data.get("final", True))
    return ToolError(reason, code)


# Typed functions.


def python_name(name, keywords):
    """A Python identifier from which the name can be told again; python_name.c does the same.

    Bytes other than letters, digits and "_" become _xHH, so does a first digit, a "_" at the start
    before another, and a "_" that would read as such an escape; a keyword gets a trailing "_".
    """
    raw = name.encode("utf-8", "surrogatepass")
    out = []
    for at, byte in enumerate(raw):
        char = chr(byte)
        escape = not (char.isalnum() and byte < 128 or char == "_") or at == 0 and char.isdigit()
        if char == "_":
            after = raw[at + 1 : at + 4]
            escape = at == 0 and after[:1] == b"_" or _is_escape(after)
        out.append("_x%02x" % byte if escape else char)
    text = "".join(out) or "_x"
    stem = text.rstrip("_")
    if stem in keywords:
        return text + "_" if stem == text else text[:-1] + "_x5f"
    return text


def _is_escape(after):
    return len(after) == 3 and after[:1] == b"x" and not after[1:].strip(b"0123456789abcdef")


class Shape:
    """The parameters of one tool, from its schema."""

    def __init__(self, schema, keywords):
        properties = schema.get("properties") or {}
        self.required = frozenset(schema.get("required") or ())
        self.open = schema.get("additionalProperties", False) is not False or not properties
        self.names = {python_name(name, keywords): name for name in properties}
        self.known = frozenset(self.names)
        self.needed = frozenset(p for p, name in self.names.items() if name in self.required)
        self.same = all(p == name for p, name in self.names.items())
        self.order = list(self.names)
        self.properties = properties

    def bind(self, title, args, kwargs):
        """The arguments under the server's names, or TypeError as Python itself words it."""
        if len(args) > len(self.order):
            raise TypeError(
                "%s() takes %d positional arguments but %d were given"
                % (title, len(self.order), len(args))
            )
        arguments = {}
        for name, value in zip(self.order, args):
            if name in kwargs:
                raise TypeError("%s() got multiple values for argument '%s'" % (title, name))
            arguments[self.names[name]] = value
        for name, value in kwargs.items():
            if name not in self.names and not self.open:
                raise TypeError("%s() got an unexpected keyword argument '%s'" % (title, name))
            arguments[self.names.get(name, name)] = value
        missing = [p for p in self.order if p in self.needed and self.names[p] not in arguments]
        if missing:
            raise TypeError(
                "%s() missing %d required argument%s: %s"
                % (title, len(missing), "s"[: len(missing) > 1], ", ".join(map(repr, missing)))
            )
        return arguments

    def signature(self):
        import inspect

        parameter = inspect.Parameter
        kind, out, optional = parameter.POSITIONAL_OR_KEYWORD, [], False
        for name in self.order:
            needed = name in self.needed
            if needed and optional:
                kind = parameter.KEYWORD_ONLY
            optional = optional or not needed
            default = self.properties[self.names[name]].get("default")
            hint = annotation(self.properties[self.names[name]])
            out.append(
                parameter(
                    name,
                    kind,
                    default=parameter.empty if needed else default,
                    annotation=hint or parameter.empty,
                )
            )
        if self.open:
            out.append(parameter("more", parameter.VAR_KEYWORD))
        return inspect.Signature(out)


TYPES = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def annotation(schema):
    kind = schema.get("type") if isinstance(schema, dict) else None
    return TYPES.get(kind) if isinstance(kind, str) else None


def make_function(bridge, tool, keywords, filename):
    """One tool as a function of the program.  Its body is the hot path of the whole product."""
    shape = Shape(tool.get("inputSchema") or {}, keywords)
    title = tool["python"]
    known, needed, same = shape.known, shape.needed, shape.same
    simple = same and not shape.open
    name = quote(tool["name"]).replace("%", "%%")
    template = (
        '{"jsonrpc":"2.0","id":%%d,"method":"tools/call","params":{"name":%s,'
        '"arguments":%%s,"_meta":{"tollbridge/line":%%d}}}\n' % name
    )
    here = sys._getframe
    next_id, send, leading = bridge.next_id, bridge.send, bridge.leading

    def call(*args, **kwargs):
        if not simple or args or not needed <= kwargs.keys() <= known:
            kwargs = shape.bind(title, args, kwargs)
        text = encode_arguments(kwargs)
        frame = here(1)
        while frame and frame.f_code.co_filename != filename:
            frame = frame.f_back
        ident = next_id()
        line = (template % (ident, text, frame.f_lineno if frame else 0)).encode()
        if len(line) > bridge.line_max:
            raise ToolError("arguments: %d bytes are more than the bridge takes" % len(line))
        if bridge.forked:
            raise ToolError("a forked process cannot call tools; its parent can")
        if stdio.pending:
            stdio.flush()
        head = '{"jsonrpc":"2.0","id":%d,"result":{"structuredContent":' % ident
        send(line)
        if leading.acquire(False):
            text = bridge.lead(ident, head)
        else:
            text = bridge.follow(ident, head)
        return take(bridge, text, head)

    call.__name__ = call.__qualname__ = title
    call.__doc__ = tool.get("description") or ""
    call.__module__ = "tollbridge"
    call.__signature__ = shape.signature()
    return call


def take(bridge, text, head):
    """The value of a response, or its exception."""
    try:
        if text.startswith(head):
            value, end = scan(text, len(head))
            if text.startswith(',"isError":false', end):
                bridge.tail = text[end:]
                if bridge.edits or text.startswith(EDITED, end):
                    note_edit(bridge, text[end:])
                return value
        message = scan(text, 0)[0]
    except (StopIteration, ValueError, RecursionError) as error:
        raise ToolError("the result cannot be read: %s" % error) from None
    result = message.get("result")
    if result is None:
        raise refusal(message)
    bridge.tail = ""
    bridge.budget = (result.get("_meta") or {}).get("tollbridge/budget") or bridge.budget
    if result.get("isError"):
        raise ToolError(str(result.get("structuredContent")))
    return result.get("structuredContent")


EDITED = ',"isError":false,"_meta":{"tollbridge/edited":'


def note_edit(bridge, tail):
    """Keep what this thread's latest call ran with, and warn, where a person had changed that."""
    thread = _thread.get_ident()
    bridge.edits.pop(thread, None)
    if not tail.startswith(EDITED):
        return
    arguments, end = scan(tail, len(EDITED))
    bridge.edits[thread] = arguments
    import warnings

    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename != bridge.filename:
        frame = frame.f_back
    said = tail[len(EDITED) : end]
    said = said if len(said) <= 500 else said[:500] + "..."
    warnings.warn_explicit(
        ToolEdited("a person changed the arguments of this call; it ran with %s" % said, arguments),
        None,
        bridge.filename,
        frame.f_lineno if frame else 0,
    )


class Tools:
    """tools.describe(), tools.budget(), tools.edited(): answered here, without the bridge."""

    def __init__(self, bridge, listed):
        self._bridge = bridge
        self._listed = listed

    def describe(self, name=None):
        """All tools, or the one of this name: name, python, description, schemas, effect."""
        text = "".join(_encode(self._listed, 0))
        copy = scan(text, 0)[0]
        if name is None:
            return copy
        name = getattr(name, "__name__", name)
        for tool in copy:
            if name in (tool["name"], tool["python"], tool["name"].split(".", 1)[-1]):
                return tool
        raise KeyError(name)

    def budget(self):
        """Calls used, the limit, and what is left."""
        budget = dict(self._bridge.used())
        limit = budget.get("limit")
        budget["left"] = None if limit is None else max(0, limit - budget.get("used", 0))
        return budget


    def edited(self):
        """What this thread's latest call ran with where a person had changed it, else None."""
        return self._bridge.edits.get(_thread.get_ident())


def build_tools(bridge, listed, filename):
    """The program's names: bare functions, one namespace a server, and what resolves to a tool."""
    from types import ModuleType

    import keyword

    keywords = frozenset(keyword.kwlist)
    names, spaces = {}, {}
    for tool in listed:
        function = make_function(bridge, tool, keywords, filename)
        space = tool["space"]
        if space not in spaces:
            spaces[space] = ModuleType(space, "The tools of %s." % tool["server"])
        setattr(spaces[space], tool["python"], function)
        if tool.get("bare"):
            names[tool["python"]] = function
    for space, module in spaces.items():
        if space in names:  # a server and its tool share the name: the function serves as both
            names[space].__dict__.update(
                (k, v) for k, v in vars(module).items() if not k.startswith("__")
            )
        else:
            names[space] = module
    names["tools"] = Tools(bridge, listed)
    for exception in EXCEPTIONS:
        names[exception.__name__] = exception
    return names, spaces


def offer_modules(names, spaces):
    """`import payroll` and `from tollbridge import ToolDenied` work too."""
    from types import ModuleType

    own = ModuleType("tollbridge", "The tools of this run.")
    own.__dict__.update(names)
    sys.modules["tollbridge"] = own
    for space in spaces:
        if space not in sys.modules and space not in sys.stdlib_module_names:
            sys.modules[space] = names[space]


# The program's output.


class Stdio:
    """Gathers what the program prints and sends it in order, in bounded pieces."""

    def __init__(self, bridge):
        self.bridge = bridge
        self.pending = []  # [stream, text], oldest first
        self.size = 0
        self.sent_at = 0.0
        self.second = 0.0
        self.in_second = 0

    def add(self, stream, text):
        bridge = self.bridge
        if bridge.forked:
            os.write(2, text.encode("utf-8", "backslashreplace"))
            return
        with bridge.writing:
            self.pending.append((stream, text))
            self.size += len(text)
            if self.size >= 8192 or (
                "\n" in text and time.monotonic() - self.sent_at >= OUTPUT_DELAY_S
            ):
                self.flush()

    def flush(self):
        if self.bridge.forked:
            return
        with self.bridge.writing:
            pending, self.pending, self.size = self.pending, [], 0
            for stream, parts in itertools.groupby(pending, lambda piece: piece[0]):
                self.send(stream, "".join(part[1] for part in parts))
            self.sent_at = time.monotonic()

    def send(self, stream, text):
        if not text.isascii():
            text = text.encode("utf-8", "backslashreplace").decode()
        room = max(64, self.bridge.line_max // 13)  # a character takes 12 bytes at most
        for at in range(0, len(text), room):
            self.pace()
            piece = quote(text[at : at + room])
            self.bridge.note("output", '{"stream":"%s","text":%s}' % (stream, piece))

    def pace(self):
        now = time.monotonic()
        if now - self.second >= 1:
            self.second, self.in_second = now, 0
        self.in_second += 1
        if self.in_second > OUTPUT_RATE:
            time.sleep(max(0.0, 1 - (now - self.second)))


stdio = None


def make_stream(name, fd):
    """sys.stdout or sys.stderr of the program."""
    import codecs
    import io

    class Raw(io.RawIOBase):
        def __init__(self):
            self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

        def writable(self):
            return True

        def fileno(self):
            return fd

        def write(self, data):
            stdio.add(name, self.decoder.decode(bytes(data)))
            return len(data)

        def flush(self):
            stdio.flush()

    class Text(io.TextIOBase):
        encoding = "utf-8"
        errors = "backslashreplace"
        newlines = None
        line_buffering = True
        mode = "w"

        def __init__(self):
            self.name = "<%s>" % name
            self.buffer = Raw()

        def writable(self):
            return True

        def fileno(self):
            return fd

        def write(self, text):
            if not isinstance(text, str):
                raise TypeError("write() argument must be str, not %s" % type(text).__name__)
            if text:
                stdio.add(name, str.__str__(text))
            return len(text)

        def flush(self):
            stdio.flush()

        def reconfigure(self, **options):
            pass

        def close(self):
            stdio.flush()

    return Text()


# Probes: what the sandbox looks like from inside.


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(65536)
    except OSError:
        return ""


def probe_user_ns(status):
    ids = read_text("/proc/self/uid_map").split()
    detail = "uid %d, map %s" % (os.getuid(), " ".join(ids) or "unreadable")
    return bool(ids) and ids != ["0", "0", "4294967295"] and os.getuid() != 0, detail


def probe_mount_ns(status):
    lines = read_text("/proc/self/mountinfo").splitlines()
    root = [line.split(" - ")[-1].split()[0] for line in lines if line.split()[4] == "/"]
    seen = [path for path in ("/home", "/root", "/var", "/boot") if os.path.exists(path)]
    detail = "root is %s, %d mounts" % (root[-1] if root else "unknown", len(lines))
    return not seen, detail if not seen else "%s can be seen" % seen[0]


def probe_pid_ns(status):
    pids = []
    try:
        pids = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    except OSError:
        pass
    detail = "pid %d of parent %d, %d processes" % (os.getpid(), os.getppid(), len(pids))
    return os.getppid() <= 1 and os.getpid() < 64 and 0 < len(pids) <= 4, detail


def probe_net_ns(status):
    refused = []
    try:
        import _socket

        for name in ("AF_INET", "AF_UNIX"):
            try:
                _socket.socket(getattr(_socket, name), _socket.SOCK_STREAM).close()
            except OSError:
                refused.append(name)
    except ImportError:
        pass
    rows = read_text("/proc/self/net/dev").splitlines()[2:]
    names = [row.split(":")[0].strip() for row in rows]
    words = ["interfaces: %s" % (" ".join(names) or ("none" if rows else "unreadable"))]
    words += ["%s refused" % name for name in refused]
    alone = bool(names) and names == ["lo"] or not rows and "AF_INET" in refused
    return alone, ", ".join(words)


def probe_ipc_uts_cgroup_ns(status):
    host = os.uname().nodename
    groups = {line.split(":", 2)[-1] for line in read_text("/proc/self/cgroup").splitlines()}
    return host == "sandbox" and groups <= {"/"}, "host name %s, cgroup %s" % (
        host,
        " ".join(sorted(groups)) or "unreadable",
    )


def probe_read_only_root(status):
    for folder in ("/", "/usr", "/usr/lib"):
        path = os.path.join(folder, "tollbridge-probe")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError:
            continue
        os.unlink(path)
        return False, "%s can be written" % folder
    return True, "/, /usr and /usr/lib refuse a new file"


def probe_seccomp(status):
    mode = status.get("Seccomp", "?")
    return mode == "2", "mode %s, filters %s" % (mode, status.get("Seccomp_filters", "?"))


def probe_landlock(status):
    """Landlock shows nothing of itself; what it refuses, while the mode bits allow it, does."""
    path = "/usr/bin/true"
    if not os.access(path, os.X_OK):
        return False, "%s is not there to be refused" % path
    try:
        pid = os.posix_spawn(path, [path], {})
    except OSError as error:
        return error.errno == 13, "%s: %s" % (path, error.strerror)
    os.waitpid(pid, 0)
    return False, "%s can be executed" % path


def probe_no_capabilities(status):
    names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    sets = {name: status.get(name, "?") for name in names}
    left = [name for name, value in sets.items() if value.strip("0")]
    return not left, "all sets empty" if not left else "%s %s" % (left[0], sets[left[0]])


def probe_no_new_privs(status):
    return status.get("NoNewPrivs") == "1", "NoNewPrivs %s" % status.get("NoNewPrivs", "?")


def _limit(name):
    try:
        import resource

        soft = resource.getrlimit(getattr(resource, name))[0]
        return None if soft == resource.RLIM_INFINITY else soft
    except (ImportError, OSError):
        return None


def probe_memory(status):
    limit = _limit("RLIMIT_AS")
    if limit is None:
        return False, "address space unlimited"
    return True, "rlimit: address space %d MiB" % (limit >> 20)


def probe_pids(status):
    limit = _limit("RLIMIT_NPROC")
    return limit is not None, "rlimit: processes %s" % ("unlimited" if limit is None else limit)


def probe_cpu(status):
    limit = _limit("RLIMIT_CPU")
    cpus = len(os.sched_getaffinity(0))
    time_words = "time unlimited" if limit is None else "time %d s" % limit
    return limit is not None, "rlimit: %s, processors %d" % (time_words, cpus)


LAYERS = (
    ("user_ns", probe_user_ns),
    ("mount_ns", probe_mount_ns),
    ("pid_ns", probe_pid_ns),
    ("net_ns", probe_net_ns),
    ("ipc_uts_cgroup_ns", probe_ipc_uts_cgroup_ns),
    ("read_only_root", probe_read_only_root),
    ("seccomp", probe_seccomp),
    ("landlock", probe_landlock),
    ("no_capabilities", probe_no_capabilities),
    ("no_new_privs", probe_no_new_privs),
    ("memory", probe_memory),
    ("pids", probe_pids),
    ("cpu", probe_cpu),
)


def send_probes(bridge):
    rows = (line.split(":", 1) for line in read_text("/proc/self/status").splitlines())
    status = {row[0]: row[1].strip() for row in rows if len(row) == 2}
    for layer, probe in LAYERS:
        try:
            proved, detail = probe(status)
        except Exception as error:
            proved, detail = False, "%s: %s" % (type(error).__name__, error)
        words = '{"layer":"%s","proved":%s,"detail":%s}'
        bridge.note("probe", words % (layer, "true" if proved else "false", quote(detail[:120])))


# The program.


def forecast(tree, names, spaces):
    """Calls that name a tool, with whether they stand in a loop or a function."""
    import _ast

    loops = tuple(
        getattr(_ast, name)
        for name in "For AsyncFor While ListComp SetComp DictComp GeneratorExp FunctionDef "
        "AsyncFunctionDef Lambda".split()
    )
    sites = []
    todo = [(tree, False)]
    while todo:
        node, within = todo.pop()
        if isinstance(node, _ast.Call):
            full = site_name(node.func, names, spaces, _ast)
            if full:
                sites.append((node.lineno, full, within))
        inside = within or isinstance(node, loops)
        once = ("iter",) if isinstance(node, (_ast.For, _ast.AsyncFor)) else ()
        for field in node._fields:
            child = getattr(node, field, None)
            for one in child if isinstance(child, list) else (child,):
                if isinstance(one, _ast.AST):
                    todo.append((one, within if field in once else inside))
    sites.sort()
    words = '{"line":%d,"tool":%s,"loop":%s}'
    rows = [words % (at, quote(full), "true" if loop else "false") for at, full, loop in sites]
    return "{\"sites\":[%s]}" % ",".join(rows[:SITES_MAX])


def site_name(func, names, spaces, _ast):
    if isinstance(func, _ast.Name):
        return names.get(func.id)
    if isinstance(func, _ast.Attribute) and isinstance(func.value, _ast.Name):
        return spaces.get((func.value.id, func.attr))
    return None


def watch(bridge, thread, filename):
    """The helper thread: the line the program is on, and output that no newline has sent."""
    shown = 0
    frames, sleep = sys._current_frames, time.sleep
    while True:
        sleep(WATCH_S)
        if bridge.forked or bridge.fd < 0:
            return
        frame = frames().get(thread)
        while frame and frame.f_code.co_filename != filename:
            frame = frame.f_back
        line = frame.f_lineno if frame else None
        frame = None
        if stdio.pending:
            stdio.flush()
        if line and line != shown:
            shown = line
            bridge.note("line", '{"line":%d}' % line)


def frames_of(error, filename):
    """The program's own entries of an exception's traceback."""
    found = []
    tb = error.__traceback__
    while tb:
        if tb.tb_frame.f_code.co_filename == filename:
            found.append(tb)
        tb = tb.tb_next
    return found


def trim(parts, filename, seen):
    """The same for a TracebackException and all that it is chained to."""
    if parts is None or id(parts) in seen:
        return
    seen.add(id(parts))
    parts.stack[:] = [row for row in parts.stack if row.filename == filename]
    trim(parts.__cause__, filename, seen)
    trim(parts.__context__, filename, seen)
    for one in getattr(parts, "exceptions", None) or ():
        trim(one, filename, seen)


def describe_error(error, filename, source):
    try:
        import traceback

        parts = traceback.TracebackException.from_exception(error)
        trim(parts, filename, set())
        text = "".join(parts.format())
    except BaseException:
        text = short_traceback(error, filename, source)
    text = text.rstrip("\n")
    if len(text) > ERROR_MAX:
        half = ERROR_MAX // 2
        text = "%s\n[...]\n%s" % (text[:half], text[-half:])
    return text


def short_traceback(error, filename, source):
    """Where the traceback module cannot be had: no memory, no descriptors, stack used up."""
    lines = source.split("\n")
    rows = ["Traceback (most recent call last):"]
    for tb in frames_of(error, filename)[-20:]:
        code, at = tb.tb_frame.f_code, tb.tb_lineno
        rows.append('  File "%s", line %d, in %s' % (filename, at, code.co_name))
        if 0 < at <= len(lines):
            rows.append("    " + lines[at - 1].strip())
    try:
        said = str(error)
    except BaseException:
        said = "<its text cannot be made>"
    name = type(error).__name__
    rows.append("%s: %s" % (name, said) if said else name)
    return "\n".join(rows)


class Source:
    """Lets linecache find the program's text."""

    def __init__(self, text):
        self.text = text

    def get_source(self, name):
        return self.text


def end_program(outcome, code, error, line):
    """The last word, and the end of the process."""
    try:
        stdio.flush()
        safe = error.encode("utf-8", "backslashreplace").decode()
        end = '{"outcome":"%s","exit":%d,"error":%s,"line":%d}'
        bridge.note("end", end % (outcome, code, quote(safe) if safe else "null", line))
    finally:
        os._exit(code)


def wait_for_threads():
    """What the interpreter does at its end: join threads, run atexit handlers."""
    import atexit

    threading = sys.modules.get("threading")
    if threading:
        threading._shutdown()
    atexit._run_exitfuncs()


def exit_code(error):
    """The process status a SystemExit asks for."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    sys.stderr.write("%s\n" % (code,))
    return 1


def leave(error, filename, source):
    """Tell the host how the program ended."""
    try:
        wait_for_threads()
    except BaseException as late:
        error = error or late
    if bridge.forked:
        code = 1 if error else 0
        os._exit(exit_code(error) if isinstance(error, SystemExit) else code)
    if error is None:
        end_program("ok", 0, "", 0)
    found = frames_of(error, filename)
    line = found[-1].tb_lineno if found else 0
    if isinstance(error, SystemExit):
        code = exit_code(error)
        end_program("error" if code else "ok", code, "exit status %d" % code if code else "", line)
    outcome = "error"
    if isinstance(error, ToolDenied):
        outcome = "denied"
    elif isinstance(error, BudgetExceeded):
        outcome = "budget"
    end_program(outcome, 1, describe_error(error, filename, source), line)


def make_main(names, filename, source):
    """The program's own module, __main__."""
    import builtins
    from types import ModuleType

    main = ModuleType("__main__")
    main.__file__ = filename
    main.__loader__ = Source(source)
    main.__builtins__ = builtins
    main.__dict__.update(names)
    for exception in EXCEPTIONS:
        setattr(builtins, exception.__name__, exception)
    if not hasattr(builtins, "exit"):
        builtins.exit = builtins.quit = sys.exit
    sys.modules["__main__"] = main
    sys.argv[:] = [filename]
    return main


def add_packages():
    """Under -S the system's packages are not on the path yet."""
    short = "%d.%d" % sys.version_info[:2]
    for folder in (
        "/usr/local/lib/python%s/dist-packages" % short,
        "/usr/lib/python3/dist-packages",
        "%s/lib/python%s/site-packages" % (sys.prefix, short),
    ):
        if folder not in sys.path and os.path.isdir(folder):
            sys.path.append(folder)


def load(bridge, params):
    """Compile the program and build its names.  A program that does not compile ends here."""
    filename, source = params["name"], params["program"]
    listed = params.get("tools") or []
    bridge.filename = filename
    bridge.budget = params.get("budget") or bridge.budget
    bridge.line_max = params.get("line") or LINE_MAX
    try:
        tree = compile(source, filename, "exec", 0x400, dont_inherit=True)  # PyCF_ONLY_AST
        code = compile(tree, filename, "exec", dont_inherit=True)
    except BaseException as error:
        end_program("syntax", 1, syntax_error(error, filename), getattr(error, "lineno", 0) or 0)
    names, spaces = build_tools(bridge, listed, filename)
    bare = {tool["python"]: tool["name"] for tool in listed if tool.get("bare")}
    dotted = {}
    for tool in listed:
        dotted[tool["space"], tool["python"]] = tool["name"]
    bridge.note("forecast", forecast(tree, bare, dotted))
    offer_modules(names, spaces)
    return code, make_main(names, filename, source), filename, source


def syntax_error(error, filename):
    try:
        import traceback

        return "".join(traceback.format_exception_only(type(error), error)).rstrip("\n")
    except BaseException:
        return "%s: %s" % (type(error).__name__, error)


def await_method(bridge, *wanted):
    while True:
        message = scan(bridge.line(), 0)[0]
        method = message.get("method")
        if method in wanted:
            return method, message.get("params") or {}
        if method == "tollbridge/cancel":
            os._exit(130)


def await_program(bridge):
    """What load() gives of the text that is let go; before that, others may take its place."""
    loaded = None
    while True:
        method, params = await_method(bridge, "tollbridge/load", "tollbridge/go")
        if method == "tollbridge/load":
            loaded = load(bridge, params)
        elif loaded:
            return loaded


def run():
    add_packages()
    import inspect  # for signatures, while there is nothing else to do
    import warnings

    warnings.simplefilter("always", ToolEdited)
    code, main, filename, source = await_program(bridge)
    sys.stdout = sys.__stdout__ = make_stream("stdout", 1)
    sys.stderr = sys.__stderr__ = make_stream("stderr", 2)
    _thread.start_new_thread(watch, (bridge, _thread.get_ident(), filename))
    error = None
    try:
        exec(code, main.__dict__)
    except BaseException as raised:
        error = raised
    leave(error, filename, source)


bridge = Bridge()
bridge.next_id = itertools.count(1).__next__
stdio = Stdio(bridge)
send_probes(bridge)
run()
