"""Expressions in mangled names (Itanium C++ ABI, 5.1.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.itanium_tree import EXPRESSION_ARITY, OPERATORS, Node, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.itanium import Parser


def plain_expression(parser: Parser) -> Node:
    """One expression, without the count of levels."""
    here, pair = parser.here(), parser.text[parser.at : parser.at + 2]
    if here == "L":
        return parser.literal()
    if here == "T" and pair not in {"Ts", "Tu", "Te"}:
        return parser.template_parameter()
    if pair in {"fp", "fL"}:
        return function_parameter(parser)
    if here.isdecimal() or pair in {"sr", "on", "dn"}:
        return unresolved_name(parser)
    parser.at += 2
    if pair in _READERS:
        return _READERS[pair](parser)
    arity = EXPRESSION_ARITY.get(pair)
    if arity is None:
        raise Unreadable
    return ("operation", OPERATORS[pair], [parser.expression() for _ in range(arity)])


def function_parameter(parser: Parser) -> Node:
    """``fp_``, ``fp0_``, ``fpT``, ``fL`` and so on."""
    if parser.take("fL"):
        parser.number()
        parser.expect("p")
    else:
        parser.expect("fp")
    if parser.take("T"):
        return ("word", "this")
    parser.qualifiers()
    return ("word", f"{{parm#{parser.sequence() + 1}}}")


def unresolved_name(parser: Parser) -> Node:
    """``sr`` type name, ``srN`` type levels ``E`` name, or a simple name."""
    if parser.take("srN"):
        scope = parser.type()
        while not parser.take("E"):
            scope = ("scoped", scope, simple_name(parser))
        return ("scoped", scope, simple_name(parser))
    if parser.take("sr"):
        scope = parser.type()
        return ("scoped", scope, simple_name(parser))
    return simple_name(parser)


def simple_name(parser: Parser) -> Node:
    """A source name, operator or destructor name, with template arguments."""
    if parser.take("dn"):
        return ("destructor", parser.source_name() if parser.here().isdecimal() else parser.type())
    node: Node = parser.source_name() if parser.here().isdecimal() else (parser.take("on"), parser.operator())[1]
    return ("template", node, parser.template_arguments()) if parser.here() == "I" else node


def _conversion(parser: Parser) -> Node:
    kind = parser.type()
    operands = parser.until_end() if parser.take("_") else [parser.expression()]
    return ("cast", kind, operands)


def _named_cast(word: str) -> Callable[[Parser], Node]:
    return lambda parser: ("named cast", word, parser.type(), parser.expression())


def _call(parser: Parser) -> Node:
    return ("call", parser.expression(), parser.until_end())


def _new(parser: Parser) -> Node:
    placement: list[Node] = []
    while not parser.take("_"):
        placement.append(parser.expression())
    kind = parser.type()
    parser.expect("pi") if parser.peek("pi") else None
    return ("new", placement, kind, parser.until_end())


def _of_type(word: str) -> Callable[[Parser], Node]:
    return lambda parser: ("of", word, parser.type())


def _of_expression(word: str) -> Callable[[Parser], Node]:
    return lambda parser: ("of", word, parser.expression())


_READERS: dict[str, Callable[[Parser], Node]] = {
    "cl": _call,
    "cv": _conversion,
    "tl": lambda parser: ("braced", parser.type(), parser.until_end()),
    "il": lambda parser: ("braced", ("word", ""), parser.until_end()),
    "dc": _named_cast("dynamic_cast"),
    "sc": _named_cast("static_cast"),
    "cc": _named_cast("const_cast"),
    "rc": _named_cast("reinterpret_cast"),
    "st": _of_type("sizeof "),
    "sz": _of_expression("sizeof "),
    "at": _of_type("alignof "),
    "az": _of_expression("alignof "),
    "nx": _of_expression("noexcept "),
    "ti": _of_type("typeid "),
    "te": _of_expression("typeid "),
    "sZ": lambda parser: ("count", parser.template_parameter() if parser.here() == "T" else function_parameter(parser)),
    "sp": lambda parser: ("expansion", parser.expression()),
    "dt": lambda parser: ("member", parser.expression(), ".", unresolved_name(parser)),
    "pt": lambda parser: ("member", parser.expression(), "->", unresolved_name(parser)),
    "gs": lambda parser: ("scoped", ("word", ""), unresolved_name(parser)),
    "nw": _new,
    "tw": _of_expression("throw "),
    "tr": lambda _: ("word", "throw"),
}
