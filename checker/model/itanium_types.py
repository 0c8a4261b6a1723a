"""Types in mangled names (Itanium C++ ABI, 5.1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.itanium_tree import BUILTINS, EXTENDED_BUILTINS, Node, Unreadable

if TYPE_CHECKING:
    from checker.model.itanium import Parser


def plain_type(parser: Parser) -> tuple[Node, bool]:  # noqa: C901, PLR0911 - one branch for each production
    """A type, and whether it is to be a substitution."""
    here, pair = parser.here(), parser.text[parser.at : parser.at + 2]
    if here in BUILTINS:
        parser.at += 1
        return ("word", BUILTINS[here]), False
    if here in {"r", "V", "K"}:
        qualifiers = parser.qualifiers()
        return ("qualified", parser.type(), qualifiers), True
    if here in _POINTERS:
        parser.at += 1
        return ("pointer", parser.type(), _POINTERS[here]), True
    if here == "S" and pair != "St":
        node = parser.substitution()
        return (("template", node, parser.template_arguments()), True) if parser.here() == "I" else (node, False)
    if here == "T" and pair not in {"Ts", "Tu", "Te"}:
        node = parser.template_parameter()
        if parser.here() != "I" or parser.in_conversion:
            return node, True
        parser.remember(node)
        return ("template", node, parser.template_arguments()), True
    compound = _COMPOUND.get(here)
    if compound is not None:
        return compound(parser), True
    if here == "D":
        return d_type(parser, pair)
    if here == "U":
        return vendor_qualified(parser), True
    if here == "u":
        parser.at += 1
        return parser.source_name(), True
    parser.at += 2 if pair in {"Ts", "Tu", "Te"} else 0
    return parser.name()[0], True


def d_type(parser: Parser, pair: str) -> tuple[Node, bool]:  # noqa: PLR0911 - one return for each production
    """The types that begin with ``D``."""
    if pair in EXTENDED_BUILTINS:
        parser.at += 2
        return ("word", EXTENDED_BUILTINS[pair]), False
    if pair in {"Dt", "DT"}:
        return decltype(parser), True
    if pair == "Dp":
        parser.at += 2
        return ("expansion", parser.type()), True
    if pair in {"Do", "DO", "Dw", "Dx"}:
        return function_type(parser), True
    if pair == "Dv":
        parser.at += 2
        count = parser.number()
        parser.expect("_")
        return ("vector", parser.type(), count), True
    if pair in {"DF", "DB", "DU"}:
        parser.at += 2
        count = parser.number()
        if parser.take("b"):
            return ("word", "std::bfloat16_t"), False
        extended = "x" if parser.take("x") else ""
        if not extended:
            parser.expect("_")
        return (
            "word",
            f"_Float{count}{extended}" if pair == "DF" else f"{'unsigned ' * (pair == 'DU')}_BitInt({count})",
        ), False
    raise Unreadable


def vendor_qualified(parser: Parser) -> Node:
    """``U`` name [arguments] type."""
    parser.expect("U")
    name = parser.source_name()[1]
    arguments = parser.template_arguments() if parser.here() == "I" else None
    return ("vendor", parser.type(), name, arguments)


def function_type(parser: Parser) -> Node:
    """``F`` … ``E`` with its exception specification."""
    suffix = ""
    if parser.take("DO"):
        suffix = " noexcept"
        parser.expression()
        parser.expect("E")
    elif parser.take("Do"):
        suffix = " noexcept"
    parser.take("Dx")
    parser.expect("F")
    parser.take("Y")
    result = parser.type()
    parameters: list[Node] = []
    while parser.here() not in {"E", "R", "O", ""} or parser.text[parser.at + 1 : parser.at + 2] not in {"E", ""}:
        if parser.here() == "E":
            break
        parameters.append(parser.type())
    reference = " &" if parser.take("R") else " &&" if parser.take("O") else ""
    parser.expect("E")
    return ("function type", result, [] if parameters == [("word", "void")] else parameters, reference + suffix)


def array_type(parser: Parser) -> Node:
    """``A`` [dimension] ``_`` element."""
    parser.expect("A")
    dimension: Node = ("word", "")
    if parser.here().isdecimal():
        dimension = ("word", str(parser.number()))
    elif parser.here() != "_":
        dimension = parser.expression()
    parser.expect("_")
    return ("array", dimension, parser.type())


def member_pointer(parser: Parser) -> Node:
    """``M`` class member."""
    parser.expect("M")
    owner = parser.type()
    return ("member pointer", owner, parser.type())


def decltype(parser: Parser) -> Node:
    """``Dt`` or ``DT`` expression ``E``."""
    parser.at += 2
    node = parser.expression()
    parser.expect("E")
    return ("decltype", node)


_POINTERS = {"P": "*", "R": "&", "O": "&&"}
_COMPOUND = {"F": function_type, "A": array_type, "M": member_pointer}
