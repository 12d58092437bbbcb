"""Holds a record against the format with nothing of the project's: hashlib and json alone."""
import base64
import hashlib
import json
import os
import struct
import subprocess
import sys

PROGRAM = os.path.join(os.environ.get("TEST_BUILDDIR", "."), "tests/record/print_sample")
count = 0


def check(held, what):
    global count
    count += 1
    print(f"{'ok' if held else 'not ok'} {count} - {what}")


def references(value):
    if isinstance(value, dict):
        if "$content" in value:
            yield value
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for element in value:
            yield from references(element)


def bind(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(struct.pack("<Q", len(part)) + part.encode())
    return digest.hexdigest()


record = subprocess.run([PROGRAM], check=True, capture_output=True).stdout
lines = record.split(b"\n")
check(lines.pop() == b"", "every line has its end")
check(all(0x20 <= byte <= 0x7E for line in lines for byte in line), "all bytes are printable")

head, seq, waiting, tools, session = "0" * 64, 0, [], {}, None
chain = commitments = order = keys = mono = binds = True
last_mono = 0
for line in lines:
    value = json.loads(line)
    if "content" in value:
        data = value["text"].encode() if "text" in value else base64.b64decode(value["base64"])
        made = hashlib.sha256(bytes.fromhex(value["salt"]) + data).hexdigest()
        commitments = commitments and made == value["content"]
        waiting.append((value["content"], len(data)))
        continue
    keys = keys and list(value) == ["v", "seq", "t", "mono", "type", "data", "prev"]
    keys = keys and json.dumps(value, separators=(",", ":")).encode() == line
    chain = chain and value["prev"] == head and value["seq"] == seq
    head, seq = hashlib.sha256(line + b"\n").hexdigest(), seq + 1
    mono, last_mono = mono and value["mono"] >= last_mono, value["mono"]
    named = [(ref["$content"], ref["bytes"]) for ref in references(value["data"])]
    order, waiting = order and named == waiting, []
    if value["type"] == "session.start":
        session = value["data"]["id"]
    if value["type"] == "tools":
        tools.update({tool["name"]: tool["tool_sha256"] for tool in value["data"]["added"]})
    if value["type"] == "call.request":
        call = value["data"]
        made = bind(session, str(call["call"]), call["tool"], tools.get(call["tool"], "0" * 64),
                    call["args"]["$content"])
        binds = binds and made == call["bind"]
check(seq == 41, "the sample has its 41 events")
check(keys, "event lines have their seven keys in order and no other spelling")
check(chain, "prev is the SHA-256 of the event line before, LF included; seq has no gaps")
check(mono, "mono never goes back")
check(commitments, "each content is SHA-256 of its salt and bytes")
check(order and not waiting, "contents stand directly before their event in order of reference")
check(binds, "binds are computed over lengths and texts")
print(f"1..{count}")
sys.exit(0)
