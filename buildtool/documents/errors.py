"""What a command prints that fails."""

from __future__ import annotations

from typing import Annotated, TypedDict


class ErrorObject(TypedDict):
    code: Annotated[str, "short and stable: what kind of error it is"]
    message: Annotated[str, "what happened"]
    why: Annotated[str, 'why; "" if there is nothing to add']
    remedy: Annotated[str, "what to do next"]
    file: Annotated[str | None, "path of the file at fault"]
    line: Annotated[int | None, "line in that file, from 1"]
    column: Annotated[int | None, "column in that line, from 1"]


class ErrorDocument(TypedDict):
    error: Annotated[ErrorObject, "why the command failed"]


class IdlErrorsDocument(TypedDict):
    """What `idl` prints if a file has several errors."""

    error: Annotated[ErrorObject, "the first of them"]
    errors: Annotated[list[ErrorObject], "all of them, in their order"]
