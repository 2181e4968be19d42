"""The common code of the Python modules of FastRPC interfaces.

`buildtool idl --python` writes this package beside the modules that it generates.  It needs
Python 3.9 and nothing beside the standard library.
"""

from .codes import FastRpcError, LibraryError
from .interface import Interface, Loader, Method, OpenEnum, nothing, only, set_loader
from .scalars import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DmaHandle,
    Scalar,
    enumeration,
)
from .types import DMA, Array, Dma, In, InRout, InRoutText, Parameter, Rout, Sequence, Struct, Text

__all__ = [
    "BOOLEAN",
    "DMA",
    "DOUBLE",
    "FLOAT",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "Array",
    "Dma",
    "DmaHandle",
    "FastRpcError",
    "In",
    "InRout",
    "InRoutText",
    "Interface",
    "LibraryError",
    "Loader",
    "Method",
    "OpenEnum",
    "Parameter",
    "Rout",
    "Scalar",
    "Sequence",
    "Struct",
    "Text",
    "enumeration",
    "nothing",
    "only",
    "set_loader",
]
