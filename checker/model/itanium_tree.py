"""Trees of demangled names, and their text in the manner of ``c++filt``.

A node is a tuple whose first item is its kind. Template parameters refer to the list of arguments of their function, so that a
pack can be expanded when the text is written.
"""

from __future__ import annotations

from typing import Any

Node = tuple[Any, ...]


class Unreadable(Exception):
    """The name is no mangled name, or larger than is allowed."""


WORK_PER_CHARACTER = 32
"""Nodes that may be visited for each character of a name. Substitutions can double a name again and again in a few characters;
with this bound the time is linear in the bytes of a string table. (68,000 symbols of torch, vtk, pyarrow, scipy and others need
13 at most.)"""

DEEPEST_TREE = 128
"""Levels of a tree, each some frames of the interpreter's default thousand; a substitution can stand on another without end."""

_TEXT_PER_WORK = 256
"""Characters put together that count as one node visited."""

BUILTINS = {
    "v": "void",
    "w": "wchar_t",
    "b": "bool",
    "c": "char",
    "a": "signed char",
    "h": "unsigned char",
    "s": "short",
    "t": "unsigned short",
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "n": "__int128",
    "o": "unsigned __int128",
    "f": "float",
    "d": "double",
    "e": "long double",
    "g": "__float128",
    "z": "...",
}

EXTENDED_BUILTINS = {
    "Dd": "decimal64",
    "De": "decimal128",
    "Df": "decimal32",
    "Dh": "_Float16",
    "Di": "char32_t",
    "Ds": "char16_t",
    "Du": "char8_t",
    "Da": "auto",
    "Dc": "decltype(auto)",
    "Dn": "decltype(nullptr)",
}

_CHAR = "char, std::char_traits<char>"
STANDARD = {
    "t": ("std", "std"),
    "a": ("std::allocator", "allocator"),
    "b": ("std::basic_string", "basic_string"),
    "s": (f"std::basic_string<{_CHAR}, std::allocator<char> >", "basic_string"),
    "i": (f"std::basic_istream<{_CHAR} >", "basic_istream"),
    "o": (f"std::basic_ostream<{_CHAR} >", "basic_ostream"),
    "d": (f"std::basic_iostream<{_CHAR} >", "basic_iostream"),
}
"""Code after ``S`` → full name, and the name that its constructors bear."""

OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "aw": "co_await",
    "ps": "+", "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%",
    "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=",
    "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">",
    "le": "<=", "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*",
    "pt": "->", "cl": "()", "ix": "[]", "qu": "?",
}  # fmt: skip

_UNARY = ("ps", "ng", "ad", "de", "co", "nt")
_BINARY = (
    "pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN", "oR", "eO", "ls", "rs", "lS",
    "rS", "eq", "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo", "cm", "pm", "ix",
)  # fmt: skip
EXPRESSION_ARITY = {**dict.fromkeys(_UNARY, 1), **dict.fromkeys(_BINARY, 2), "pp": 1, "mm": 1, "qu": 3}

_SUFFIXES = {"int": "", "unsigned int": "u", "long": "l", "unsigned long": "ul", "long long": "ll", "unsigned long long": "ull"}


class Writer:
    """Writes one tree."""

    def __init__(self, budget: int) -> None:
        """``budget``: nodes that may be visited."""
        self.budget = budget
        self.depth = 0
        self.expanding: list[int] = []

    def text(self, node: Node) -> str:
        """The node as it is shown."""
        left, right = self.halves(node)
        return left + right

    def halves(self, node: Node) -> tuple[str, str]:
        """What stands before and after the declared name: ``("void (*", ")(int)")``."""
        self.depth += 1
        if self.depth > DEEPEST_TREE:
            raise Unreadable
        node = self.resolved(node)
        left, right = getattr(self, "_" + node[0].replace(" ", "_"))(*node[1:])
        self.depth -= 1
        self.spend(1 + (len(left) + len(right)) // _TEXT_PER_WORK)
        return left, right

    def spend(self, work: int) -> None:
        """Take from the budget."""
        self.budget -= work
        if self.budget < 0:
            raise Unreadable

    def resolved(self, node: Node) -> Node:
        """A template parameter's argument, and of a pack that is being expanded the element in turn."""
        for _ in range(64):
            if node[0] == "parameter":
                arguments, index = node[1:]
                if index >= len(arguments):
                    raise Unreadable
                node = arguments[index]
                if node[0] == "pack" and self.expanding:
                    if self.expanding[-1] >= len(node[1]):
                        raise Unreadable
                    node = node[1][self.expanding[-1]]
            else:
                return node
        raise Unreadable

    def listed(self, nodes: list[Node]) -> str:
        """Separated by commas; empty packs leave nothing."""
        return ", ".join(part for node in nodes if (part := self.text(node)))

    # Names

    def _word(self, word: str) -> tuple[str, str]:
        return word, ""

    def _standard(self, full: str, _: str) -> tuple[str, str]:
        return full, ""

    def _scoped(self, scope: Node, name: Node) -> tuple[str, str]:
        return f"{self.text(scope)}::{self.text(name)}", ""

    def _tagged(self, name: Node, tag: str) -> tuple[str, str]:
        return f"{self.text(name)}[abi:{tag}]", ""

    def _template(self, name: Node, arguments: Node) -> tuple[str, str]:
        shown = self.text(name)
        space = " " if shown.endswith("<") else ""
        return f"{shown}{space}{self.text(arguments)}", ""

    def _arguments(self, arguments: list[Node]) -> tuple[str, str]:
        listed = self.listed(arguments)
        return f"<{listed}{' ' if listed.endswith('>') else ''}>", ""

    def _constructor(self, scope: Node) -> tuple[str, str]:
        return self._last_name(scope), ""

    def _destructor(self, scope: Node) -> tuple[str, str]:
        return "~" + self._last_name(scope), ""

    def _last_name(self, node: Node) -> str:
        """The class's own name: no scope, no arguments."""
        for _ in range(256):
            node = self.resolved(node)
            if node[0] == "standard":
                return str(node[2])
            if node[0] == "scoped":
                node = node[2]
            elif node[0] in {"template", "tagged"}:
                node = node[1]
            else:
                return self.text(node)
        raise Unreadable

    def _conversion(self, kind: Node) -> tuple[str, str]:
        return f"operator {self.text(kind)}", ""

    def _lambda(self, parameters: list[Node], number: int) -> tuple[str, str]:
        return f"{{lambda({self.listed(parameters)})#{number}}}", ""

    # Whole symbols

    def _function(self, name: Node, result: Node | None, parameters: list[Node], qualifiers: str) -> tuple[str, str]:
        shown = f"{self.text(name)}({self.listed(parameters)}){qualifiers}"
        if result is None:
            return shown, ""
        left, right = self.halves(result)
        return f"{left}{'' if left.endswith(' ') else ' '}{shown}{right}", ""

    def _special(self, prefix: str, node: Node) -> tuple[str, str]:
        return prefix + self.text(node), ""

    def _construction(self, base: Node, derived: Node) -> tuple[str, str]:
        return f"construction vtable for {self.text(base)}-in-{self.text(derived)}", ""

    def _clone(self, node: Node, suffix: str) -> tuple[str, str]:
        return f"{self.text(node)} [clone {suffix}]", ""

    # Types

    def _pointer(self, target: Node, sign: str) -> tuple[str, str]:
        target = self.resolved(target)
        if target[0] == "pointer" and target[2] != "*" and sign != "*":
            # References to references collapse.
            return self.halves(("pointer", target[1], "&" if "&" in {sign, target[2]} else "&&"))
        left, right = self.halves(target)
        bare = self.resolved(target[1]) if target[0] == "qualified" else target
        if bare[0] in {"function type", "array"}:
            space = "" if left.endswith(" ") else " "
            return f"{left}{space}({sign}", f"){right}"
        return left + sign, right

    def _qualified(self, target: Node, qualifiers: str) -> tuple[str, str]:
        target = self.resolved(target)
        left, right = self.halves(target)
        if target[0] == "function type":
            return left, right + qualifiers
        if target[0] == "qualified" and qualifiers in target[2]:
            return left, right
        return left + qualifiers, right

    def _function_type(self, result: Node, parameters: list[Node], suffix: str) -> tuple[str, str]:
        left, right = self.halves(result)
        return f"{left}{'' if left.endswith(' ') else ' '}", f"({self.listed(parameters)}){suffix}{right}"

    def _array(self, dimension: Node, element: Node) -> tuple[str, str]:
        left, right = self.halves(element)
        return left, f" [{self.text(dimension)}]{right.lstrip()}"

    def _member_pointer(self, owner: Node, member: Node) -> tuple[str, str]:
        member = self.resolved(member)
        bare = self.resolved(member[1]) if member[0] == "qualified" else member
        left, right = self.halves(member)
        if bare[0] == "function type":
            return f"{left}({self.text(owner)}::*", f"){right}"
        return f"{left} {self.text(owner)}::*", right

    def _decltype(self, expression: Node) -> tuple[str, str]:
        return f"decltype ({self.text(expression)})", ""

    def _vector(self, element: Node, count: int) -> tuple[str, str]:
        return f"{self.text(element)} __vector({count})", ""

    def _vendor(self, target: Node, name: str, arguments: Node | None) -> tuple[str, str]:
        left, right = self.halves(target)
        return f"{left} {name}{self.text(arguments) if arguments else ''}", right

    # Packs

    def _pack(self, nodes: list[Node]) -> tuple[str, str]:
        return self.listed(nodes), ""

    def _expansion(self, pattern: Node) -> tuple[str, str]:
        count = self._pack_size(pattern)
        if count is None:
            return f"{self.text(pattern)}...", ""
        parts = []
        for index in range(count):
            self.expanding.append(index)
            parts.append(self.text(pattern))
            self.expanding.pop()
        return ", ".join(part for part in parts if part), ""

    def _pack_size(self, pattern: Node) -> int | None:
        """The length of the first pack that the pattern holds."""
        waiting: list[Any] = [pattern]
        while waiting:
            self.spend(1)
            node = waiting.pop()
            if isinstance(node, list):
                waiting.extend(reversed(node))
            elif isinstance(node, tuple):
                if node[0] == "parameter":
                    if node[2] >= len(node[1]):
                        raise Unreadable
                    found = node[1][node[2]]
                    if found[0] == "pack":
                        return len(found[1])
                else:
                    waiting.extend(reversed(node[1:]))
        return None

    # Expressions

    def _literal(self, kind: Node, value: str) -> tuple[str, str]:
        shown = self.text(kind)
        number = f"-{value[1:]}" if value.startswith("n") else value
        if shown == "bool" and value in {"0", "1"}:
            return "true" if value == "1" else "false", ""
        if shown in _SUFFIXES:
            return number + _SUFFIXES[shown], ""
        if shown in {"float", "double", "long double", "__float128"}:
            return f"({shown})[{value}]", ""
        return f"({shown}){number}" if number else shown, ""

    def _address(self, node: Node) -> tuple[str, str]:
        return self.text(node), ""

    def _address_text(self, node: Node) -> str:
        if node[0] == "function" and node[1][0] == "scoped":
            return self.text(node[1])
        return f"({self.text(node)})" if node[0] == "function" else self.text(node)

    def _operation(self, symbol: str, operands: list[Node]) -> tuple[str, str]:
        if symbol == "&" and len(operands) == 1 and operands[0][0] == "address":
            return f"&{self._address_text(operands[0][1])}", ""
        shown = [self._operand(each) for each in operands]
        if len(shown) == 1:
            return symbol + shown[0], ""
        if symbol == "[]":
            return f"{shown[0]}[{self.text(operands[1])}]", ""
        if len(shown) == 2:  # noqa: PLR2004 - a binary operator
            whole = f"{shown[0]}{symbol}{shown[1]}"
            return f"({whole})" if symbol == ">" else whole, ""
        return f"{shown[0]}?{shown[1]} : {shown[2]}", ""

    def _call(self, function: Node, operands: list[Node]) -> tuple[str, str]:
        return f"{self._operand(function)}({self.listed(operands)})", ""

    def _operand(self, node: Node) -> str:
        shown = self.text(node)
        return shown if node[0] in {"word", "scoped", "braced"} else f"({shown})"

    def _new(self, placement: list[Node], kind: Node, operands: list[Node]) -> tuple[str, str]:
        where = f"({self.listed(placement)}) " if placement else ""
        return f"new {where}{self.text(kind)}({self.listed(operands)})", ""

    def _cast(self, kind: Node, operands: list[Node]) -> tuple[str, str]:
        return f"({self.text(kind)})({self.listed(operands)})", ""

    def _named_cast(self, word: str, kind: Node, operand: Node) -> tuple[str, str]:
        return f"{word}<{self.text(kind)}>({self.text(operand)})", ""

    def _braced(self, kind: Node, operands: list[Node]) -> tuple[str, str]:
        return f"{self.text(kind)}{{{self.listed(operands)}}}", ""

    def _of(self, word: str, operand: Node) -> tuple[str, str]:
        return f"{word}({self.text(operand)})", ""

    def _count(self, pack: Node) -> tuple[str, str]:
        size = self._pack_size(pack)
        return f"sizeof...({self.text(pack)})" if size is None else str(size), ""

    def _member(self, owner: Node, sign: str, name: Node) -> tuple[str, str]:
        return f"{self._operand(owner)}{sign}{self._operand(name)}", ""
