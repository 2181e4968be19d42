"""What `cache` prints."""

from __future__ import annotations

from typing import Annotated, TypedDict


class UsageObject(TypedDict):
    file_count: Annotated[int, "files"]
    bytes: Annotated[int, "their size"]


class NamedUsageObject(UsageObject):
    name: Annotated[str, "actions, or a file or directory of the cache directory"]


class CacheStatsDocument(TypedDict):
    directory: Annotated[str, "cache directory"]
    limit: Annotated[int, "bytes that the cache may take"]
    bytes: Annotated[int, "bytes that count towards the limit"]
    documents: Annotated[UsageObject, "documents of the action cache"]
    blobs: Annotated[UsageObject, "files of the action cache"]
    others: Annotated[list[NamedUsageObject], "what else is in the cache directory"]


class CacheFreedDocument(TypedDict):
    freed: Annotated[list[NamedUsageObject], "what was deleted"]


class CacheVerifyDocument(TypedDict):
    documents: Annotated[UsageObject, "documents that were checked"]
    blobs: Annotated[UsageObject, "files that were checked"]
    emulator: Annotated[UsageObject, "programs of the emulated device that were checked"]
    wrong: Annotated[list[str], "paths of what was wrong, and was deleted"]
    useless: Annotated[int, "documents that were deleted as a file that they name was evicted"]
