#!/usr/bin/env python3
"""The manual names every command with its options, every option, every setting with its default,
and nothing else, in the words of the tables that the programs are made from."""
import os
import re
import sys

SOURCE = os.environ.get("TEST_SRCDIR", ".")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def table(path, macro):
    """The arguments of each use of macro, strings without their quotes."""
    text = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
    string = r"\"(?:[^\"\\]|\\.)*\""
    rows = []
    for use in re.finditer(r"\b%s\(((?:%s|'[^']*'|\([^()]*\)|[^()\"'])*)\)" % (macro, string), text):
        cells = re.findall(r"(?:%s|'[^']*'|\([^()]*\)|[^,\"'()])+" % string, use.group(1))
        cells = [cell.strip() for cell in cells]
        rows.append([re.sub(r"\\(.)", r"\1", cell[1:-1]) if cell[0] == '"' else cell
                     for cell in cells])
    return rows


def sentence(help_text):
    return help_text[0].upper() + help_text[1:] + "."


def plain(text):
    return text.replace("\\-", "-").replace("\\e", "\\").replace("\\(dq", "\"")


MANUAL = plain(read("docs/tollbridge.1")).split("\n")
OPTIONS = table("tui/cmd/options.def", "OPTION")
COMMANDS = table("tui/cmd/commands.def", "COMMAND")
SETTINGS = table("core/run/settings.def", "SETTING")


def section(name):
    start = MANUAL.index(".Sh " + name)
    end = next((i for i in range(start + 1, len(MANUAL)) if MANUAL[i].startswith(".Sh ")),
               len(MANUAL))
    return MANUAL[start:end]


def items(lines):
    """Each .It line of the list with the lines up to the next one."""
    found = {}
    for line in lines:
        if line.startswith(".It "):
            found[line] = []
            last = found[line]
        elif line == ".El":
            last = []
        elif found:
            last.append(line)
    return found


def commands():
    names = {row[0]: row[1] for row in OPTIONS}
    wanted = {}
    for _, name, words, options, help_text, example in COMMANDS:
        taken = [names[word] for word in re.findall(r"TAKES\((\w+)\)", options)]
        head = ".It Ic " + name + (" " + words if words else "")
        wanted[head] = (sentence(help_text), taken, ".Dl " + example)
    found = items(section("COMMANDS"))
    assert list(found) == list(wanted), set(found) ^ set(wanted)
    for head, (help_text, taken, example) in wanted.items():
        assert found[head][0] == help_text, head
        assert re.findall(r"^\.Fl Fl (\S+)", "\n".join(found[head]), re.M) == taken, head
        assert example in found[head], head


def options():
    wanted = {}
    for _, name, letter, value, help_text in OPTIONS:
        head = ".It " + ("" if letter == "0" else "Fl %s , " % letter.strip("'")) + "Fl Fl " + name
        wanted[head + ("" if value == "NULL" else " Ar " + value)] = sentence(help_text)
    found = {head: text[0] for head, text in items(section("OPTIONS")).items()}
    assert found == wanted, set(found.items()) ^ set(wanted.items())


def settings():
    wanted = {}
    for _, path, kind, _, _, otherwise, _, help_text in SETTINGS:
        if kind == "CHOICE":
            otherwise = otherwise.replace("|", " or ")
        wanted[".It Ic %s Pq %s" % (path, otherwise)] = sentence(help_text)
    found = {head: text[0] for head, text in items(section("CONFIGURATION")).items()}
    assert found == wanted, set(found.items()) ^ set(wanted.items())


def exit_codes():
    codes = set(re.findall(r"EXIT_\w+ = (\d+)", read("tui/cmd/cmd.h"))) | {"130, 143"}
    found = {head[len(".It "):] for head in items(section("EXIT STATUS"))}
    assert found == codes, found ^ codes


def main():
    tests = [
        (commands, "the manual has each command with its options and example"),
        (options, "the manual has each option with its help"),
        (settings, "the manual has each setting with its default and help"),
        (exit_codes, "the manual has each exit code"),
    ]
    print("1..%d" % len(tests))
    for number, (test, name) in enumerate(tests, 1):
        try:
            test()
            print("ok %d - %s" % (number, name))
        except (AssertionError, KeyError, ValueError, IndexError) as failure:
            print("# %r" % (failure,))
            print("not ok %d - %s" % (number, name))


if __name__ == "__main__":
    sys.exit(main())
