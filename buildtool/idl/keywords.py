"""The keywords of IDL and of C, and C names that users write in IDL."""

from __future__ import annotations

from buildtool.idl.model import Primitive

_WORDS = (
    *(
        "module",
        "interface",
        "typedef",
        "struct",
        "enum",
        "const",
        "readonly",
        "attribute",
        "async",
    ),
    *("void", "sequence", "dmahandle", "unsigned", "short", "long", "in", "rout", "inrout"),
    *("TRUE", "FALSE"),
)
KEYWORDS = {
    **{word: word.upper() for word in _WORDS},
    **{"string": "STRING_TYPE", "wstring": "WSTRING_TYPE"},
}

# Types of one word, as qaic maps them to C without an option.
SIZED = {
    "octet": Primitive.OCTET,
    "char": Primitive.CHAR,
    "boolean": Primitive.BOOLEAN,
    "wchar": Primitive.WCHAR,
    "float": Primitive.FLOAT,
    "double": Primitive.DOUBLE,
} | {
    each.idl_name: each
    for each in Primitive
    if each.idl_name.removesuffix("_t").startswith(("int", "uint"))
}

# Integers of several words.
INTEGERS = {
    each.idl_name: each
    for each in (
        *(Primitive.SHORT, Primitive.LONG, Primitive.LONGLONG),
        *(Primitive.USHORT, Primitive.ULONG, Primitive.ULONGLONG),
    )
}

# The types that have another C name with qaic's option -st.
STANDARD = {
    "boolean": Primitive.BOOL,
    "long long": Primitive.LONGLONG_T,
    "unsigned long long": Primitive.ULONGLONG_T,
} | {each.idl_name.removesuffix("_t"): each for each in Primitive if each.idl_name.endswith("_t")}

# Reserved words of OMG IDL or qaic that are not supported: (problem, remedy).
REJECTED = {
    "union": ("unions are not supported", "use a struct, and a member that says which is valid"),
    "switch": ("unions are not supported", "use a struct, and a member that says which is valid"),
    "case": ("`case` is a reserved word", "choose another name"),
    "default": ("`default` is a reserved word", "choose another name"),
    "native": ("`native` types are not supported", "write the type itself"),
    "local": ("`local` interfaces are not supported", "remove `local`"),
    "notnil": ("`notnil` is not supported", "remove `notnil`"),
    "out": ("`out` is not a direction here", "write `rout`: the caller owns the buffer"),
    "inout": ("`inout` is not a direction here", "write `inrout`: the caller owns the buffer"),
}

# C's name of a type → its name in IDL.
C_TYPES = {
    "int": "long",
    "signed": "long",
    "bool": "boolean",
    "_Bool": "boolean",
    "size_t": "uint32",
    "ssize_t": "int32",
    "wchar_t": "wchar",
    "uchar": "octet",
    "uint": "uint32",
    "int64_t": "int64",
    "float32": "float",
    "float64": "double",
    "uintptr_t": "uint64",
}

# The reserved words of C11.  IDL names that are one of them get the prefix `_cxx_` in C.
# fmt: off
C_KEYWORDS = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "typedef", "union", "unsigned", "void", "volatile", "while", "_Alignas", "_Alignof",
    "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local",
})
# fmt: on


def c_identifier(name: str) -> str:
    """`name`, with a prefix if it is reserved in C."""
    return f"_cxx_{name}" if name in C_KEYWORDS else name
