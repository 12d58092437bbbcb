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
        wanted[".It Ic %s Pq %s" % (path, otherwise or "null")] = sentence(help_text)
    found = {head: text[0] for head, text in items(section("CONFIGURATION")).items()}
    assert found == wanted, set(found.items()) ^ set(wanted.items())


def exit_codes():
    codes = set(re.findall(r"EXIT_\w+ = (\d+)", read("tui/cmd/cmd.h"))) | {"130, 143"}
    found = {head[len(".It "):] for head in items(section("EXIT STATUS"))}
    assert found == codes, found ^ codes


# The sections KEYS and THEMES end in a list that is made from tables, from this line on.
MADE = '.\\" From the tables, by check_manual.py:'


def quoted(key):
    """A key as an argument of mdoc, in which punctuation by itself means something."""
    return "\\&" + key.replace("\\", "\\e") if not key[0].isalnum() else key


def keys_made():
    names = {row[0]: (row[1], row[3]) for row in table("tui/commands.def", "COMMAND")}
    bindings = table("tui/bindings.def", "BIND")
    lines = []
    for map_id, name, _, help_text in table("tui/maps.def", "MAP"):
        bound = {}
        for where, key, command in bindings:
            if where == map_id:
                bound.setdefault(command, []).append(key)
        if not bound:
            continue
        lines.append(".Ss \\&%s (%s)" % (help_text[0].upper() + help_text[1:], name))
        lines.append(".Bl -tag -width Ds -compact")
        for command, keys in bound.items():
            lines.append(".It " + " , ".join("Ic " + quoted(key) for key in keys) +
                         " Pq " + names[command][0])
            lines.append(sentence(names[command][1]))
        lines.append(".El")
    return lines


def themes_made():
    lines = [".Bl -tag -width Ds -compact"]
    for _, name, help_text in table("tui/styles.def", "STYLE"):
        lines += [".It Ic " + name, sentence(help_text)]
    return lines + [".El"]


def made_lists():
    """Both lists as the tables make them; TOLLBRIDGE_GOLDEN=write puts them into the manual."""
    raw = read("docs/tollbridge.1").split("\n")
    for name, wanted in (("KEYS", keys_made()), ("THEMES", themes_made())):
        start = raw.index(MADE, raw.index(".Sh " + name)) + 1
        end = next(i for i in range(start, len(raw)) if raw[i].startswith(".Sh "))
        if os.environ.get("TOLLBRIDGE_GOLDEN") == "write":
            raw[start:end] = wanted
            end = start + len(wanted)
        found = raw[start:end]
        assert found == wanted, (name, set(found) ^ set(wanted))
    if os.environ.get("TOLLBRIDGE_GOLDEN") == "write":
        with open(os.path.join(SOURCE, "docs/tollbridge.1"), "w", encoding="utf-8") as file:
            file.write("\n".join(raw))


def themes():
    """Each theme that comes along is named in the manual and names every style once."""
    styles = [row[1] for row in table("tui/styles.def", "STYLE")]
    folder = os.path.join(SOURCE, "themes")
    names = sorted(name[:-len(".theme")] for name in os.listdir(folder)
                   if name.endswith(".theme"))
    text = " ".join(section("THEMES"))
    for name in names:
        assert re.search(r"\.Ic %s\b" % re.escape(name), text), name
        given = re.findall(r"^(\w+) *=", read("themes/%s.theme" % name), re.M)
        assert sorted(given) == sorted(styles), name


def main():
    tests = [
        (commands, "the manual has each command with its options and example"),
        (options, "the manual has each option with its help"),
        (settings, "the manual has each setting with its default and help"),
        (exit_codes, "the manual has each exit code"),
        (made_lists, "the manual has each key and each style, as the tables have them"),
        (themes, "the manual names each theme, and each theme each style"),
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
