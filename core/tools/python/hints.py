"""What Python's type hints and docstrings say, in JSON Schema; and values from JSON to the hints.

Loaded by worker.py, from the supervisor's bytes.  Deterministic: the same file always gives the
same text, since definitions are hashed.
"""

import json


class Unfit(Exception):
    """The file cannot be offered as tools; the words name function and parameter."""


# JSON.


def _to_json(value):
    """What the JSON encoder does not know: dataclasses, enumerations, and a few containers."""
    import dataclasses
    import enum

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError("a value of type %s" % type(value).__name__)


def encode(value):
    """JSON text in ASCII without spaces, or ValueError, TypeError, RecursionError."""
    text = "".join(_encoder(value, 0))
    if "\\ud" in text:  # a letter beyond 16 bits, or half of one: only this tells them apart
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    return text


def make_encoder():
    c_make = json.encoder.c_make_encoder
    quote = json.encoder.encode_basestring_ascii
    if c_make:
        return c_make(None, _to_json, quote, None, ":", ",", False, False, False)
    fallback = json.JSONEncoder(
        separators=(",", ":"), allow_nan=False, check_circular=False, default=_to_json
    )
    return lambda value, level: (fallback.encode(value),)


_encoder = make_encoder()


# Type hints to JSON Schema, and values to hints.  Each hint gives (schema, convert); convert is
# None where the JSON value serves as it is.


def hint_schema(hint, where, within=()):
    import typing

    plain = {
        bool: "boolean", int: "integer", str: "string", type(None): "null", None: "null",
    }
    try:
        if hint in plain:
            return {"type": plain[hint]}, None
    except TypeError:
        pass
    if hint is float:
        return {"type": "number"}, _to_float
    if hint is typing.Any or hint is object:
        return {}, None
    if hasattr(hint, "__supertype__"):
        return hint_schema(hint.__supertype__, where, within)
    origin = typing.get_origin(hint)
    if origin is not None:
        return generic_schema(hint, origin, where, within)
    return class_schema(hint, where, within)


def _to_float(value):
    return float(value) if type(value) is int else value


def generic_schema(hint, origin, where, within):
    import collections.abc as abc
    import types
    import typing

    args = typing.get_args(hint)
    if origin is getattr(typing, "Annotated", None):
        return annotated_schema(args, where, within)
    if origin in (getattr(typing, "Required", 0), getattr(typing, "NotRequired", 0)):
        return hint_schema(args[0], where, within)
    if origin is typing.Union or origin is getattr(types, "UnionType", None):
        return union_schema(args, where, within)
    if origin is typing.Literal:
        return literal_schema(args, where), None
    if origin is tuple:
        return tuple_schema(args, where, within)
    if origin in (list, abc.Sequence, abc.Iterable, abc.Collection, abc.MutableSequence):
        return list_schema(args, where, within, None)
    if origin in (set, frozenset, abc.Set, abc.MutableSet):
        return list_schema(args, where, within, frozenset if origin is frozenset else set)
    if origin in (dict, abc.Mapping, abc.MutableMapping):
        return dict_schema(args, where, within)
    raise Unfit("%s: %s has no JSON form here; use %s" % (where, hint, KNOWN))


KNOWN = (
    "bool, int, float, str, None, Any, list, dict, tuple, set, Optional, Union, Literal, Enum, "
    "a dataclass or a TypedDict"
)


def annotated_schema(args, where, within):
    """Annotated[int, "what it is for"]."""
    schema, convert = hint_schema(args[0], where, within)
    for extra in args[1:]:
        text = extra if isinstance(extra, str) else getattr(extra, "description", None)
        if isinstance(text, str):
            schema = dict(schema, description=text)
    return schema, convert


def literal_schema(args, where):
    for value in args:
        if not isinstance(value, (str, int, bool, type(None))):
            raise Unfit("%s: Literal[%r] has no JSON form" % (where, value))
    return {"enum": list(args)}


def union_schema(args, where, within):
    pairs = [hint_schema(arg, where, within) for arg in args]
    schemas = [schema for schema, _ in pairs]
    if any(schema == {} for schema in schemas):
        return {}, None
    if all(set(schema) == {"type"} and isinstance(schema["type"], str) for schema in schemas):
        schema = {"type": [schema["type"] for schema in schemas]}
    else:
        schema = {"anyOf": schemas}
    if all(convert is None for _, convert in pairs):
        return schema, None

    def convert(value):
        for each, to in pairs:
            if fits(each, value):
                return to(value) if to else value
        return value

    return schema, convert


JSON_TYPES = {
    "null": (type(None),), "boolean": (bool,), "integer": (int,), "number": (int, float),
    "string": (str,), "array": (list,), "object": (dict,),
}


def fits(schema, value):
    """Does the value look like this schema?  Enough to choose among a union's members."""
    if "anyOf" in schema:
        return any(fits(each, value) for each in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_type(kind, value) for kind in kinds):
        return False
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        closed = schema.get("additionalProperties") is False
        return all(key in value for key in schema.get("required", ())) and (
            not closed or all(key in known for key in value)
        ) and all(fits(known[key], each) for key, each in value.items() if key in known)
    if isinstance(value, list) and "items" in schema:
        return all(fits(schema["items"], each) for each in value)
    return True


def _is_type(kind, value):
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, JSON_TYPES[kind])


def list_schema(args, where, within, make):
    schema = {"type": "array"}
    convert = None
    if args:
        items, convert = hint_schema(args[0], "%s, its items" % where, within)
        if items:
            schema["items"] = items
    if convert is None:
        return schema, make
    return schema, lambda value: (make or list)(convert(each) for each in value)


def tuple_schema(args, where, within):
    if not args:
        return {"type": "array"}, tuple
    if len(args) == 2 and args[1] is Ellipsis:
        return list_schema(args[:1], where, within, tuple)
    if args == ((),):
        args = ()
    pairs = [hint_schema(arg, "%s, item %d" % (where, i), within) for i, arg in enumerate(args)]
    items = []
    for schema, _ in pairs:
        if schema not in items:
            items.append(schema)
    schema = {"type": "array"}
    if items:
        schema["items"] = items[0] if len(items) == 1 else {"anyOf": items}
    schema["minItems"] = schema["maxItems"] = len(args)

    def convert(value):
        return tuple(to(each) if to else each for each, (_, to) in zip(value, pairs))

    return schema, convert


def dict_schema(args, where, within):
    schema = {"type": "object"}
    if not args:
        return schema, None
    if args[0] is not str:
        raise Unfit("%s: the keys of a JSON object are str, not %s" % (where, _name(args[0])))
    values, convert = hint_schema(args[1], "%s, its values" % where, within)
    if values:
        schema["additionalProperties"] = values
    if convert is None:
        return schema, None
    return schema, lambda value: {key: convert(each) for key, each in value.items()}


def _name(hint):
    return getattr(hint, "__name__", None) or str(hint)


def class_schema(hint, where, within):
    import dataclasses
    import enum
    import typing

    bare = {list: "array", tuple: "array", set: "array", frozenset: "array", dict: "object"}
    if hint in bare:
        convert = hint if hint in (tuple, set, frozenset) else None
        return {"type": bare[hint]}, convert
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        values = [member.value for member in hint]
        return literal_schema(values, where), hint
    if hint in within:
        raise Unfit("%s: %s contains itself" % (where, _name(hint)))
    within = within + (hint,)
    if dataclasses.is_dataclass(hint):
        return dataclass_schema(hint, where, within)
    if typing.is_typeddict(hint) if hasattr(typing, "is_typeddict") else False:
        return typeddict_schema(hint, where, within)
    raise Unfit("%s: %s has no JSON form here; use %s" % (where, _name(hint), KNOWN))


def object_schema(fields, required):
    schema = {"type": "object", "properties": {name: pair[0] for name, pair in fields.items()}}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def dataclass_schema(hint, where, within):
    import dataclasses
    import typing

    hints = typing.get_type_hints(hint, include_extras=True)
    fields, required = {}, []
    for field in dataclasses.fields(hint):
        if not field.init:
            continue
        inner = "%s, field %s" % (where, field.name)
        fields[field.name] = hint_schema(hints[field.name], inner, within)
        if field.default is not dataclasses.MISSING:
            add_default(fields, field.name, field.default)
        elif field.default_factory is dataclasses.MISSING:
            required.append(field.name)

    def convert(value):
        return hint(**convert_fields(fields, value))

    return object_schema(fields, required), convert


def typeddict_schema(hint, where, within):
    import typing

    hints = typing.get_type_hints(hint, include_extras=True)
    fields = {}
    for name, inner in hints.items():
        fields[name] = hint_schema(inner, "%s, key %s" % (where, name), within)
    required = [name for name in fields if name in hint.__required_keys__]
    if all(pair[1] is None for pair in fields.values()):
        return object_schema(fields, required), None
    return object_schema(fields, required), lambda value: convert_fields(fields, value)


def convert_fields(fields, value):
    out = {}
    for name, each in value.items():
        convert = fields[name][1] if name in fields else None
        out[name] = convert(each) if convert else each
    return out


def add_default(fields, name, default):
    """Put a default into the schema where JSON can say it."""
    schema, convert = fields[name]
    try:
        value = json.loads(encode(default))
    except (TypeError, ValueError, RecursionError):
        return
    fields[name] = (dict(schema, default=value), convert)


# Docstrings.

PARAMETER_SECTIONS = ("args", "arguments", "parameters", "params", "keyword args")
OTHER_SECTIONS = (
    "returns", "return", "raises", "yields", "yield", "example", "examples", "note", "notes",
    "see also", "warning", "warnings", "attributes", "references", "todo",
)


def split_doc(text):
    """The description proper, and what is said of each parameter (Google, numpy, Sphinx)."""
    import inspect

    reader = DocReader(inspect.cleandoc(text or "").split("\n"))
    reader.read()
    params = {name: " ".join(" ".join(words).split()) for name, words in reader.params.items()}
    return "\n".join(reader.about).strip(), {k: v for k, v in params.items() if v}


class DocReader:
    """Goes through a docstring's lines; section is "", "google", "numpy", "sphinx" or "other"."""

    def __init__(self, lines):
        self.lines = lines
        self.about = []
        self.params = {}
        self.section = ""
        self.words = None  # of the parameter whose text goes on
        self.indent = None  # of Google's parameter names

    def read(self):
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            below = self.lines[at + 1].strip() if at + 1 < len(self.lines) else ""
            skip = self.heading(line, below)
            if not skip:
                self.line(line)
            at += skip or 1

    def heading(self, line, below):
        """Lines taken by a section's title: 0 when there is none."""
        word = line.strip().rstrip(":").lower()
        underlined = len(below) >= 3 and not below.strip("-")
        if line[:1].isspace() or word not in PARAMETER_SECTIONS + OTHER_SECTIONS:
            return 0
        if not underlined and not line.rstrip().endswith(":"):
            return 0
        style = "numpy" if underlined else "google"
        self.section = style if word in PARAMETER_SECTIONS else "other"
        self.words = self.indent = None
        return 2 if underlined else 1

    def line(self, line):
        import re

        sphinx = re.match(r":(\w+)\s*([^:]*):\s*(.*)", line)
        if sphinx:
            self.section, self.words = "sphinx", None
            if sphinx.group(1) in ("param", "parameter", "arg", "argument") and sphinx.group(2):
                self.begin(sphinx.group(2).split()[-1].lstrip("*"), sphinx.group(3))
        elif self.section == "google":
            self.google(line)
        elif self.section == "numpy":
            self.numpy(line)
        elif self.section == "sphinx":
            self.go_on(line)
        elif not self.section:
            self.about.append(line)

    def begin(self, name, text):
        self.words = self.params[name] = [text]

    def go_on(self, line):
        if self.words is not None and line[:1].isspace():
            self.words.append(line.strip())

    def google(self, line):
        import re

        if line.strip() and not line[:1].isspace():
            self.section = ""
            self.about.append(line)
            return
        indent = len(line) - len(line.lstrip())
        name = re.match(r"\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)", line)
        if name and self.indent in (None, indent):
            self.indent = indent
            self.begin(name.group(1), name.group(2))
        else:
            self.go_on(line)

    def numpy(self, line):
        import re

        name = re.match(r"\*{0,2}(\w+)\s*(?::.*)?$", line)
        if name:
            self.begin(name.group(1), "")
        else:
            self.go_on(line)
