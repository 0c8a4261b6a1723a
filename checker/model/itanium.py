"""Reading names mangled by the Itanium C++ ABI (chapter 5.1, "External Names") into trees of :mod:`checker.model.itanium_tree`.

The names come from artifacts. The length, the depth and the number of nodes are bounded, so that a name which grows without end
is refused and never a hang; whatever cannot be read is refused too, and shown as it is.
"""

from __future__ import annotations

from typing import Any

from checker.model.itanium_expressions import plain_expression
from checker.model.itanium_tree import OPERATORS, STANDARD, WORK_PER_CHARACTER, Node, Unreadable, Writer
from checker.model.itanium_types import decltype, plain_type

LONGEST = 8192
"""Characters of a mangled name; longer ones are refused."""

DEEPEST = 96
"""Nesting of types, names and expressions. Each level takes a few Python frames of the default thousand."""


class Parser:
    """One name, from left to right."""

    def __init__(self, name: str) -> None:
        """``name`` begins with ``_Z``."""
        if len(name) > LONGEST:
            raise Unreadable
        self.text = name
        self.at = 2
        self.depth = 0
        self.substitutions: list[Node] = []
        self.scopes: list[list[Node]] = []
        """Beside ``substitutions``: the template arguments that were in force where each was read."""
        self.arguments: list[Node] = []
        """Template arguments in force: one list for each function name, filled where its arguments stand."""
        self.enclosing: list[Node] = []
        """The arguments in force around the function that is being read."""
        self.own: list[Node] = []
        """Where that function's own arguments go."""
        self.in_conversion = False
        self.budget = WORK_PER_CHARACTER * len(name)

    # Characters

    def peek(self, text: str) -> bool:
        """What follows."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Step over ``text`` where it follows."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def expect(self, text: str) -> None:
        """Step over ``text``, which must follow."""
        if not self.take(text):
            raise Unreadable

    def here(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def number(self) -> int:
        """Decimal digits, at least one."""
        start = self.at
        while self.here().isdecimal() and self.at - start < 9:  # noqa: PLR2004 - no name has 10**9 of anything
            self.at += 1
        if start == self.at:
            raise Unreadable
        return int(self.text[start : self.at])

    def sequence(self) -> int:
        """``_`` is 0, ``0_`` is 1, ``1_`` is 2 and so on."""
        value = -1 if self.peek("_") else self.number()
        self.expect("_")
        return value + 1

    def enter(self) -> None:
        """One level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable

    # Encodings

    def mangled(self) -> Node:
        """The whole name with the suffixes that compilers add to clones (``.cold``, ``.isra.0``)."""
        node = self.encoding()
        while self.here() == ".":
            start = self.at
            self.at += 1
            while self.here().isalpha() or self.here() == "_":
                self.at += 1
            while self.here().isdecimal() or (self.here() == "." and self.text[self.at + 1 : self.at + 2].isdecimal()):
                self.at += 1
            if self.at == start + 1:
                raise Unreadable
            node = ("clone", node, self.text[start : self.at])
        if self.at != len(self.text):
            raise Unreadable
        return node

    def demangled(self) -> str:
        """The whole name, as ``c++filt`` writes it."""
        tree = self.mangled()
        return Writer(WORK_PER_CHARACTER * len(self.text)).text(tree)

    def encoding(self) -> Node:
        """A function with its parameters, a variable, or a special name."""
        self.enter()
        if self.here() in {"T", "G"} and self.text[self.at + 1 : self.at + 2] != "_":
            node = self.special()
        else:
            around = self.enclosing
            own: list[Node] = []
            self.enclosing, self.arguments, self.own = self.arguments, own, own
            name, qualifiers, is_template = self.name(own=True)
            self.arguments = self.own = own
            if self.here() in {"", "E", "."}:
                node = name
            else:
                result = self.type() if is_template and not _has_no_result(name) else None
                node = ("function", name, result, self.parameters(), qualifiers)
            self.enclosing, self.arguments = around, self.enclosing
        self.depth -= 1
        return node

    def parameters(self) -> list[Node]:
        """Types up to the end of the encoding; ``v`` alone is none."""
        found: list[Node] = []
        while self.here() not in {"", "E", "."} and self.here() != "Q":
            found.append(self.type())
        if self.take("Q"):
            self.expression()
        return [] if found == [("word", "void")] else found

    def special(self) -> Node:  # noqa: PLR0911 - one return for each production of the grammar
        """Virtual tables, type information, thunks, guards (5.1.4.2 to 5.1.4.6)."""
        code = self.text[self.at : self.at + 2]
        self.at += 2
        if code in _SPECIAL_TYPES:
            return ("special", _SPECIAL_TYPES[code], self.type())
        if code in _SPECIAL_NAMES:
            return ("special", _SPECIAL_NAMES[code], self.name()[0])
        if code in {"Th", "Tv"}:
            self.at -= 1
            kind = "non-virtual thunk to " if self.call_offset() == "h" else "virtual thunk to "
            return ("special", kind, self.encoding())
        if code == "Tc":
            self.call_offset()
            self.call_offset()
            return ("special", "covariant return thunk to ", self.encoding())
        if code == "TC":
            derived = self.type()
            self.number()
            self.expect("_")
            return ("construction", self.type(), derived)
        if code == "GR":
            name = self.name()[0]
            count = 0
            if self.here() == "_":
                count = self.sequence()
            elif self.here():
                count = self.number()
                self.take("_")
            return ("special", f"reference temporary #{count} for ", name)
        if code == "GT" and self.take("t"):
            return ("special", "transaction clone for ", self.encoding())
        raise Unreadable

    def call_offset(self) -> str:
        """``h`` offset ``_`` or ``v`` offset ``_`` offset ``_``."""
        kind = self.here()
        self.at += 1
        for _ in range({"h": 1, "v": 2}.get(kind, 0)):
            self.take("n")
            self.number()
            self.expect("_")
        return kind

    # Names

    def name(self, *, own: bool = False) -> tuple[Node, str, bool]:
        """A name with the qualifiers of a member function, and whether it ends in template arguments.

        ``own``: it is the name of the encoding itself, whose template arguments the ``T_`` after them refer to.
        """
        self.enter()
        try:
            if self.here() == "N":
                return self.nested(own=own)
            if self.here() == "Z":
                return self.local(own=own)
            if self.here() == "S" and self.text[self.at + 1 : self.at + 2] != "t":
                node = self.substitution()
                if self.here() != "I":
                    raise Unreadable
                return ("template", node, self.template_arguments(own=own)), "", True
            node = self.unqualified(None)
            if self.here() == "I":
                self.remember(node)
                return ("template", node, self.template_arguments(own=own)), "", True
            return node, "", False
        finally:
            self.depth -= 1

    def nested(self, *, own: bool) -> tuple[Node, str, bool]:
        """``N`` qualifiers prefixes ``E``."""
        self.expect("N")
        qualifiers = self.qualifiers()
        reference = " &" if self.take("R") else " &&" if self.take("O") else ""
        node: Node | None = None
        is_template = False
        while not self.take("E"):
            known = False
            if self.here() == "I" and node is not None:
                node = ("template", node, self.template_arguments(own=own))
                is_template = True
            else:
                is_template = False
                node, known = self.prefix(node)
            if not known and self.here() != "E":
                self.remember(node)
            self.take("M")
        if node is None:
            raise Unreadable
        return node, qualifiers + reference, is_template

    def prefix(self, scope: Node | None) -> tuple[Node, bool]:
        """One component after ``scope``, and whether it is among the substitutions already."""
        if scope is None and self.here() == "S" and self.text[self.at + 1 : self.at + 2] != "t":
            return self.substitution(), True
        if scope is None and self.here() == "T":
            return self.template_parameter(), False
        if scope is None and self.text[self.at : self.at + 2] in {"Dt", "DT"}:
            return decltype(self), False
        return self.unqualified(scope), False

    def unqualified(self, scope: Node | None) -> Node:
        """A name without its scope (but for ``St``), with ABI tags."""
        in_std = scope is None and self.take("St")
        if in_std:
            scope = ("word", "std")
        self.take("L")
        here, pair = self.here(), self.text[self.at : self.at + 2]
        if here.isdecimal():
            node: Node = self.source_name()
        elif pair in {"C1", "C2", "C3", "C4", "C5", "CI"} and scope is not None:
            node = self.constructor(scope)
        elif pair in {"D0", "D1", "D2", "D4", "D5"} and scope is not None:
            self.at += 2
            node = ("destructor", scope)
        elif pair == "Ul":
            node = self.closure()
        elif pair == "Ut":
            self.at += 2
            node = ("word", f"{{unnamed type#{self.sequence() + 1}}}")
        elif pair == "DC":
            node = self.binding()
        else:
            node = self.operator()
        while self.take("B"):
            node = ("tagged", node, self.source_name()[1])
        return node if scope is None else ("scoped", scope, node)

    def source_name(self) -> tuple[str, str]:
        """A length and so many characters."""
        size = self.number()
        name = self.text[self.at : self.at + size]
        if len(name) != size or size == 0:
            raise Unreadable
        self.at += size
        if name.startswith("_GLOBAL_") and name[8:10] in {"_N", ".N", "$N"}:
            return "word", "(anonymous namespace)"
        return "word", name

    def constructor(self, scope: Node) -> Node:
        """Constructors, inherited ones too."""
        self.at += 2
        if self.text[self.at - 1] == "I":
            # An inherited one: of the base class that follows.
            self.number()
            scope = self.type()
        return ("constructor", scope)

    def closure(self) -> Node:
        """``Ul`` parameters ``E`` number ``_``: a lambda."""
        self.expect("Ul")
        before, self.arguments = self.arguments, _AUTO
        parameters: list[Node] = []
        while not self.take("E"):
            parameters.append(self.type())
        self.arguments = before
        return ("lambda", [] if parameters == [("word", "void")] else parameters, self.sequence() + 1)

    def binding(self) -> Node:
        """``DC`` names ``E``: a structured binding."""
        self.expect("DC")
        names: list[str] = []
        while not self.take("E"):
            names.append(self.source_name()[1])
        return ("word", f"[{', '.join(names)}]")

    def operator(self) -> Node:
        """An operator function, conversion or literal operator."""
        code = self.text[self.at : self.at + 2]
        self.at += 2
        if code == "cv":
            # The arguments after T_ are the operator's own: operator T<int>() would be cvT_IiE.
            self.in_conversion = True
            kind = self.type()
            self.in_conversion = False
            return ("conversion", kind)
        if code == "li":
            return ("word", f'operator"" {self.source_name()[1]}')
        if code in OPERATORS:
            symbol = OPERATORS[code]
            return ("word", f"operator {symbol}" if symbol[0].isalpha() else f"operator{symbol}")
        raise Unreadable

    def local(self, *, own: bool) -> tuple[Node, str, bool]:
        """``Z`` function ``E`` entity: something within a function."""
        self.expect("Z")
        to_fill = self.own
        function = self.encoding()
        self.own = to_fill
        if function[0] == "function":
            # The result of an enclosing function is not shown.
            function = (*function[:2], None, *function[3:])
        self.expect("E")
        if self.take("s"):
            self.discriminator()
            return ("scoped", function, ("word", "string literal")), "", False
        if self.take("d"):
            count = self.sequence() + 1
            function = ("scoped", function, ("word", f"{{default arg#{count}}}"))
        name, qualifiers, is_template = self.name(own=own)
        self.discriminator()
        return ("scoped", function, name), qualifiers, is_template

    def discriminator(self) -> None:
        """``_`` digit, or ``__`` number ``_``: not shown."""
        if self.take("__"):
            self.number()
            self.expect("_")
        elif self.peek("_") and self.text[self.at + 1 : self.at + 2].isdecimal():
            self.at += 2

    # Types

    def qualifiers(self) -> str:
        """``r``, ``V``, ``K`` in the order in which they are shown."""
        found = ""
        for code, word in (("r", " restrict"), ("V", " volatile"), ("K", " const")):
            if self.take(code):
                found = word + found
        return found

    def type(self) -> Node:
        """Any type."""
        self.enter()
        node, is_new = plain_type(self)
        if is_new:
            self.remember(node)
        self.depth -= 1
        return node

    # Templates and substitutions

    def template_arguments(self, *, own: bool = False) -> Node:
        """``I`` … ``E``. Those of a function's own name are what its ``T_`` refer to."""
        self.enter()
        self.expect("I")
        arguments: list[Node] = []
        before, converts, filled = self.arguments, self.in_conversion, self.own
        self.in_conversion = False
        if own:
            # T_ in a function's own arguments is that of the function around it.
            self.arguments = self.enclosing
        while not self.take("E"):
            arguments.append(self.argument())
        self.arguments, self.in_conversion = before, converts
        if own:
            # In place: a conversion operator's T_ stands before the arguments that it refers to.
            filled[:] = arguments
        self.depth -= 1
        return ("arguments", arguments)

    def argument(self) -> Node:
        """A type, an expression, a literal or a pack."""
        if self.take("X"):
            node = self.expression()
            self.expect("E")
            return node
        if self.here() == "L":
            return self.literal()
        if self.take("J") or self.take("I"):
            pack: list[Node] = []
            while not self.take("E"):
                pack.append(self.argument())
            return ("pack", pack)
        return self.type()

    def template_parameter(self) -> Node:
        """``T_``, ``T0_`` and so on."""
        self.expect("T")
        index = self.sequence()
        return ("parameter", self.arguments, index)

    def substitution(self) -> Node:
        """``S_``, ``S0_`` …, or one of the standard ones."""
        self.expect("S")
        code = self.here()
        if code in STANDARD:
            self.at += 1
            node: Node = ("standard", *STANDARD[code])
            while self.take("B"):
                node = ("tagged", node, self.source_name()[1])
                self.remember(node)
            return node
        index = 0
        if code != "_":
            start = self.at
            while self.here().isdecimal() or self.here().isupper():
                self.at += 1
            if self.at - start > 6 or self.at == start:  # noqa: PLR2004 - base 36
                raise Unreadable
            index = int(self.text[start : self.at], 36) + 1
        self.expect("_")
        if index >= len(self.substitutions):
            raise Unreadable
        node = self.substitutions[index]
        # A substitution stands for its text: T_ in it means the argument of the function that it is used in.
        outer = self.scopes[index]
        return node if outer is self.arguments else self.rebound(node, outer, {})

    def rebound(self, node: Any, outer: list[Node], done: dict[int, Any]) -> Any:  # noqa: ANN401 - nodes, lists, words
        """The tree with the parameters of ``outer`` made those of the arguments in force."""
        if not isinstance(node, tuple | list) or id(node) in done:
            return done.get(id(node), node)
        self.budget -= 1
        if self.budget < 0:
            raise Unreadable
        self.enter()
        if isinstance(node, tuple) and node[0] == "parameter":
            made: Any = ("parameter", self.arguments, node[2]) if node[1] is outer else node
        else:
            made = type(node)([self.rebound(each, outer, done) for each in node])
        self.depth -= 1
        done[id(node)] = made
        return made

    def remember(self, node: Node) -> None:
        """Add to the substitutions."""
        self.substitutions.append(node)
        self.scopes.append(self.arguments)

    # Expressions

    def expression(self) -> Node:
        """An instantiation-dependent expression."""
        self.enter()
        node = plain_expression(self)
        self.depth -= 1
        return node

    def literal(self) -> Node:
        """``L`` type value ``E``, or ``L_Z`` encoding ``E``."""
        self.expect("L")
        if self.take("_Z") or self.take("Z"):
            node = self.encoding()
            self.expect("E")
            return ("address", node)
        kind = self.type()
        start = self.at
        while self.here() not in {"E", ""}:
            self.at += 1
        value = self.text[start : self.at]
        self.expect("E")
        return ("literal", kind, value)

    def until_end(self) -> list[Node]:
        """Expressions up to ``E``."""
        found: list[Node] = []
        while not self.take("E"):
            found.append(self.expression())
        return found


def _has_no_result(name: Node) -> bool:
    """Constructors, destructors and conversions do not mangle a result type."""
    while name[0] in {"template", "scoped", "tagged"}:
        name = name[2] if name[0] == "scoped" else name[1]
    return name[0] in {"constructor", "destructor", "conversion"}


_AUTO: list[Node] = [("word", f"auto:{number}") for number in range(1, 33)]
"""What ``T_`` stands for among a lambda's parameters."""

_SPECIAL_TYPES = {"TV": "vtable for ", "TT": "VTT for ", "TI": "typeinfo for ", "TS": "typeinfo name for "}
_SPECIAL_NAMES = {
    "GV": "guard variable for ",
    "TH": "TLS init function for ",
    "TW": "TLS wrapper function for ",
}
