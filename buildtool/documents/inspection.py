"""What `inspect`, `lint`, `package` and `verify` print."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

FindingObject = Annotated[dict[str, Any], "buildtool.contract.finding:Finding"]


LibraryObject = Annotated[dict[str, Any], "buildtool.contract.inspection:NeededLibrary"]


class VersionNeedObject(TypedDict):
    library: Annotated[str, "the library"]
    version: Annotated[str, "the version, such as GLIBC_2.34"]
    weak: Annotated[bool, "whether it may be missing"]
    symbols: Annotated[list[str], "symbols that need it"]


class ElfFacts(TypedDict):
    file: Annotated[str, "path of the file"]
    machine: Annotated[int, "e_machine of the ELF header"]
    machine_name: Annotated[str, "name of the machine: AArch64, Hexagon, x86-64, ..."]
    bits: Annotated[int, "class of the ELF file", (32, 64)]
    hexagon_arch: Annotated[str | None, "DSP arch; null unless it is for a Hexagon"]
    type: Annotated[str, "type of the ELF file: DYN, EXEC, REL, ..."]
    soname: Annotated[str | None, "its SONAME"]
    needed: Annotated[list[str], "libraries that it needs"]
    libraries: Annotated[
        list[LibraryObject], "where the libraries are that it needs, and those that they need"
    ]
    runpath: Annotated[list[str], "directories of its RUNPATH and RPATH"]
    interpreter: Annotated[str | None, "path of its loader; null for a library"]
    build_id: Annotated[str | None, "its build-id in hex; null if it has none"]
    idl_digests: Annotated[list[str], "digests of the interfaces that it was compiled from"]
    load_alignments: Annotated[list[int], "alignment of each LOAD segment in bytes"]
    tls_size: Annotated[int, "bytes of thread-local data"]
    tls_alignment: Annotated[
        int | None, "alignment of thread-local data in bytes; null without any"
    ]
    text_relocations: Annotated[bool, "whether loaders must write into its code"]
    executable_stack: Annotated[bool, "whether it asks for an executable stack"]
    stripped: Annotated[bool, "whether it has neither a symbol table nor debug information"]
    glibc: Annotated[
        str | None, "oldest glibc that it runs with; null if it needs no version of glibc"
    ]
    version_needs: Annotated[
        list[VersionNeedObject], "versions of other libraries' symbols that it needs"
    ]
    android_api: Annotated[
        int | None, "Android API level that the NDK linked it for; null if it has none"
    ]
    exports: Annotated[list[str], "names that it defines"]
    imports: Annotated[list[str], "names that must be found"]
    weak_imports: Annotated[list[str], "names that need not be found"]
    unresolved: Annotated[
        list[str],
        "imports that no DSP shell and no library beside it has; a library that is not beside it"
        " may have them",
    ]


class ElfDocument(ElfFacts):
    """What `inspect FILE` prints."""

    warnings: Annotated[
        list[str], "what may keep the skel from loading on some devices; empty without --skel"
    ]
    findings: Annotated[list[FindingObject], "what breaks a rule; empty with --skel"]


InspectedObject = Annotated[dict[str, Any], "buildtool.contract.inspection:Inspection"]


class InspectDocument(TypedDict):
    """What `inspect` prints for directories, archives, and several files."""

    inspected: Annotated[list[InspectedObject], "one entry for each PATH"]


RuleObject = Annotated[dict[str, Any], "buildtool.contract.finding:RuleText"]


class RulesDocument(TypedDict):
    """What `inspect --rules` prints."""

    rules: Annotated[list[RuleObject], "all rules, in the order in which they are applied"]


LintFindingObject = Annotated[dict[str, Any], "buildtool.lint.finding:LintFinding"]


class SkippedFileObject(TypedDict):
    path: Annotated[str, "path of the file"]
    why: Annotated[str, "why it was not checked"]


class LintDocument(TypedDict):
    """What `lint` prints."""

    files: Annotated[int, "number of files that were checked"]
    finding_count: Annotated[int, "number of findings"]
    silenced_count: Annotated[int, "number of findings that comments silence"]
    findings: Annotated[list[LintFindingObject], "the findings, by place"]
    skipped: Annotated[list[SkippedFileObject], "files that were not checked"]


LintRuleObject = Annotated[dict[str, Any], "buildtool.lint.finding:LintRule"]


class LintRulesDocument(TypedDict):
    """What `lint --list` and `lint --explain` print."""

    rules: Annotated[list[LintRuleObject], "the rules, in the order in which they are applied"]


ArchiveObject = Annotated[dict[str, Any], "buildtool.release.package:Archive"]


class PackageDocument(TypedDict):
    target: Annotated[str, "target of buildtool.toml"]
    directory: Annotated[str, "directory of what ships"]
    release: Annotated[str, "id of what ships, the digest of the ids of its slices"]
    slices: Annotated[
        dict[str, str], "slice (host, or a DSP arch) → its id, the digest of its file list"
    ]
    warnings: Annotated[list[FindingObject], "what the check of the release has found"]
    archives: Annotated[list[ArchiveObject], "archives in the order of the formats"]
    documents: Annotated[list[str], "SBOMs, provenance and signatures beside the archives"]
    error: Annotated[None, "a package that fails prints another document"]


SignerObject = Annotated[dict[str, Any], "buildtool.release.supply_chain.sign:Signer"]


SignedFileObject = Annotated[dict[str, Any], "buildtool.release.supply_chain.verify:Document"]


class VerifiedReleaseObject(TypedDict):
    project: Annotated[str, "name of the project"]
    version: Annotated[str, "version of the project"]
    target: Annotated[str, "name of the target"]
    id: Annotated[str, "id of the release"]
    slices: Annotated[dict[str, str], "id of each slice, by its name"]


class VerifyDocument(TypedDict):
    archive: Annotated[str, "path of the archive"]
    sha256: Annotated[str, "sha256 of the archive"]
    signer: Annotated[SignerObject | None, "who signed the archive; null without --signers"]
    release: Annotated[
        VerifiedReleaseObject | None, "what its release.json says; null for a package without one"
    ]
    files: Annotated[int, "number of the release's files and links"]
    other_files: Annotated[int, "number of the files that the format of the archive adds"]
    sbom: Annotated[SignedFileObject | None, "the SBOM beside the archive; null for none"]
    provenance: Annotated[SignedFileObject | None, "the provenance beside it; null for none"]
