"""An unsigned process is requested before the first open on a DSP.

The first open creates the process. A later request changes nothing for it: the process stays a
signed one, which refuses a skel without a signature with 0x80000406 or 0x80000481.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.functions import Call, Function
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "unsigned-after-open",
    __doc__,
    source=("qualcomm/fastrpc inc/remote.h",),
    remedy="Call remote_session_control before anything is opened.",
    condition="unsigned-requested-late",
    wrong="""\
int connect(remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module module = {CDSP_DOMAIN_ID, 1};
    int code = calc_open(calc_URI CDSP_DOMAIN, handle);

    if (code != 0)
        return code;
    return remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);
}
""",
    right="""\
int connect(remote_handle64 *handle)
{
    struct remote_rpc_control_unsigned_module module = {CDSP_DOMAIN_ID, 1};
    int code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);

    if (code != 0)
        return code;
    return calc_open(calc_URI CDSP_DOMAIN, handle);
}
""",
)
MAX_CALLS = 200
"""Calls before the request that are read."""
_OTHER_DOMAINS = ("ADSP", "MDSP", "SDSP", "GDSP", "adsp", "mdsp", "sdsp", "gdsp", "CDSP1")


def check(subject: Subject) -> Iterator[LintFinding]:
    opens = {"remote_handle_open", "remote_handle64_open"}
    for interface in subject.interfaces:
        with_open = (each for each in interface.unit.interfaces if each.multi_domain)
        opens.update(f"{each.c_name}_open" for each in with_open)
    for function, call in subject.calls("remote_session_control"):
        request = function.text(call.arguments[0]) if call.arguments else []
        if "DSPRPC_CONTROL_UNSIGNED_MODULE" not in request:
            continue
        for opened in reversed(function.calls_before(call.at, MAX_CALLS)):
            if "close" in opened.name:
                break  # the process may have ended, and the next open creates another one
            if _opens(function, opened, opens) and function.precedes(opened.at, call.at):
                yield RULE.at(
                    function.code.place(call.at),
                    f"an unsigned process is requested after {opened.name}",
                    "that call has created the process on the DSP, which stays a signed one",
                    f"Call remote_session_control before {opened.name}.",
                )
                break


def _opens(function: Function, call: Call, opens: set[str]) -> bool:
    """Whether it opens a skel on a DSP that can be the one of the request."""
    uri = function.text(call.arguments[0]) if call.arguments else []
    if any(other in text for text in uri for other in _OTHER_DOMAINS):
        return False
    return call.name in opens or (
        call.name.endswith("_open") and any(text.endswith("_URI") for text in uri)
    )
