#!/usr/bin/env bash
# Checks that no argument uses what a call in another argument of the same list is given the address
# of: the order in which arguments are evaluated is unspecified, so f(g(&x), x) may see the old x.
#
#   check_arguments.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1

mapfile -t files < <("$here/list_files.sh" "$root" 'api/*.[ch]' 'models/*.[ch]' 'service/*.[ch]' \
    'workers/*.[ch]' 'tests/*.[ch]' 'deploy/*.[ch]')
[ ${#files[@]} -gt 0 ] || {
    echo "check_arguments: no sources below $root" >&2
    exit 1
}
cd "$root"
python3 - "${files[@]}" <<'PYTHON'
import re
import sys

# Text that is no code, then what opens and closes a list, names with their members, and the rest.
SKIPPED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|&&|->|\d[\w.]*|\S")
NO_CALL = {"if", "while", "for", "switch", "return", "sizeof", "case", "do", "else"}
DECLARATION = re.compile(r"^[A-Za-z_][\w \t\n*]*?\b(\w+)\(([^;{}]*?)\)\s*[;{]", re.M)
calls = 0
bad = False
constant = set()  # (function, number of a parameter that it only reads through)


class Argument:
    """Addresses that it hands on, to read and to write; what its own calls may change; what it uses."""

    def __init__(self):
        self.read, self.written, self.changed, self.used = set(), set(), set(), set()

    def add(self, inner, is_call):
        """inner: an argument of a call within this one, or something in brackets."""
        self.changed |= inner.changed
        self.used |= inner.used
        if is_call:
            self.changed |= inner.written
            self.used |= inner.read
        else:
            self.written |= inner.written
            self.read |= inner.read


def code_of(path):
    text = SKIPPED.sub(blank, open(path, encoding="utf-8", errors="replace").read())
    return re.sub(r"^[ \t]*#.*?(?<!\\)$", blank, text, flags=re.M | re.S)


def note_declarations(text):
    for name, parameters in DECLARATION.findall(text):
        for k, parameter in enumerate(parameters.split(",")):
            if parameter.split()[:1] == ["const"]:
                constant.add((name, k))


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def name_at(tokens, at):
    """The object that begins at a token, such as row->due or list[k].x, and where it ends."""
    end = at + 1
    while end + 1 < len(tokens) and tokens[end][0] in ("->", "."):
        end += 2
    return "".join(t[0] for t in tokens[at:end]), end


def is_address(tokens, at):
    """Whether the & at this place takes an address: nothing stands before it that has a value."""
    before = tokens[at - 1][0]
    return not (re.match(r"\w", before) and before not in NO_CALL) and before not in (")", "]")


def look_at(name, arguments, line, path):
    global bad
    for k, one in enumerate(arguments):
        for j, other in enumerate(arguments):
            for thing in sorted(one.changed & other.used) if j != k else ():
                print(f"{path}:{line}: {name}(): one argument may change {thing}, another uses it")
                bad = True


def read(path):
    global calls
    tokens = []
    for number, line in enumerate(code_of(path).split("\n"), 1):
        tokens += [(match, number) for match in TOKEN.findall(line)]
    lists = []  # of those that are open: name or None, line, arguments, brackets inside
    at = 1
    while at < len(tokens):
        token, number = tokens[at]
        before = tokens[at - 1][0]
        if token == "(":
            is_call = re.match(r"[a-z_]", before) and before not in NO_CALL  # no macro
            lists.append([before if is_call else None, number, [Argument()], 0])
            calls += bool(is_call)
        elif token == ")" and lists:
            name, line, arguments, _ = lists.pop()
            if name and before != "(":
                look_at(name, arguments, line, path)
            if lists:  # what the inner list does is done within one argument of the outer one
                outer = lists[-1][2][-1]
                for argument in arguments:
                    outer.add(argument, bool(name))
        elif token in "{[" and lists:
            lists[-1][3] += 1
        elif token in "}]" and lists:
            lists[-1][3] -= 1
        elif token == "," and lists and lists[-1][3] == 0:
            lists[-1][2].append(Argument())
        elif token == "&" and lists and is_address(tokens, at) and re.match(r"[A-Za-z_]", tokens[at + 1][0]):
            name, end = name_at(tokens, at + 1)
            if tokens[end][0] not in ("[", "("):
                lists[-1][2][-1].read.add(name)
                if (lists[-1][0], len(lists[-1][2]) - 1) not in constant:
                    lists[-1][2][-1].written.add(name)
                at = end
                continue
        elif lists and re.match(r"[A-Za-z_]", token) and before not in ("->", "."):
            name, end = name_at(tokens, at)
            if tokens[end][0] != "(" and before != "sizeof":
                lists[-1][2][-1].used.add(name)
            at = end
            continue
        at += 1


for path in sys.argv[1:]:
    note_declarations(code_of(path))
for path in sys.argv[1:]:
    read(path)
print(f"check_arguments: {calls} calls")
sys.exit(bad)
PYTHON
