"""Logs as people have posted them, each with what turned out to be its first cause."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.logs import explain_lines

LIBRARY = "E app: Error 0x80000406: remote_handle_open_domain: dynamic loading failed for "
SKEL = "file:///libscale_skel.so?scale_skel_handle_invoke&_modver=1.0&_dom=cdsp on domain 3 "
ADSPRPC = "W app: vendor/qcom/proprietary/adsprpc/src/"
QNN = "[ERROR] [Qnn ExecuTorch]: QnnDsp <E> "
FIRST_CAUSES = {
    # One event in the words of five generations of libcdsprpc.
    "not found, 2018": (
        "skel-not-found",
        [ADSPRPC + "apps_std_imp.c:691:Error 45: fopen failed for libscale_skel.so. (No such file"],
    ),
    "not found, 2021": (
        "skel-not-found",
        [
            ADSPRPC + "apps_std_imp.c:744: Warning: apps_std_fopen_with_env failed with 0x2 for"
            " libscale_skel_v66.so (No such file or directory)"
        ],
    ),
    "not found, 2022": (
        "skel-not-found",
        [
            ADSPRPC + "apps_std_imp.c:749: Warning: fopen returned 0x2 for file"
            " libscale_skel.so. (No such file or directory)",
            LIBRARY + SKEL + "(dlerror cannot open libscale_skel.so)",
        ],
    ),
    "not found, 2024": (
        "skel-not-found",
        [
            "apps_std_imp.c:1174: Warning: apps_std_fopen_with_env_fd failed with 0x2 for path"
            " /opt/x name libscale_skel.so (No such file or directory)"
        ],
    ),
    "not found, 2026": (
        "skel-not-found",
        [LIBRARY + SKEL + "(dlerror _rtld_map_object_ex: cannot open libscale_skel.so, errno 2)"],
    ),
    "https://github.com/tensorflow/tensorflow/issues/55934": (
        "skel-not-readable",
        [
            ADSPRPC + "apps_std_imp.c:749: Warning: fopen returned 0xd for file oemconfig.so."
            " (Permission denied)",
            ADSPRPC + "apps_std_imp.c:749: Warning: fopen returned 0xd for file"
            " libscale_skel_v66.so. (Permission denied)",
            LIBRARY + SKEL + "(dlerror cannot open oemconfig.so)",
        ],
    ),
    "https://github.com/linux-msm/hexagon-dsp-binaries/issues/58": (
        "skel-library-missing",
        [
            "app[1]: apps_std_imp.c:1088: Successfully opened file libscale_skel.so",
            "app[1]: apps_std_imp.c:1143: Warning: apps_std_fopen_with_env failed with 0x2 for"
            " libc++.so.1 (No such file or directory)",
            "app[1]: mod_table.c:909: Error 0x2: open_mod_table_handle_invoke failed for"
            " handle:0xa72174d0, sc:0x13050100",
            "app[1]: fastrpc_apps_user.c:1729: " + LIBRARY + SKEL + "(dlerror"
            " _rtld_map_object_ex: cannot open libc++.so.1, errno 2 (no such file or directory))",
        ],
    ),
    "https://github.com/qualcomm/GenieX/issues/954": (
        "skel-library-missing",
        [
            ADSPRPC + "apps_std_imp.c:1174: Warning: apps_std_fopen_with_env_fd failed with 0xd"
            " for path /vendor/dsp/cdsp/./libc++.so.1 name ./libc++.so.1 (No such file)",
            ADSPRPC + "mod_table.c:863: Error 0xd: open_mod_table_handle_invoke failed for"
            " handle:0x3c105da8, sc:0x1f050100",
        ],
    ),
    "https://github.com/halide/Halide/issues/3608": (
        "shell-missing",
        [
            ADSPRPC + "fastrpc_apps_user.c:916: /dsp/fastrpc_shell_3 load failed 69, searching...",
            ADSPRPC + "apps_std_imp.c:691:Error 45: fopen failed for fastrpc_shell_3. (No such"
            " file or directory)",
            ADSPRPC + "fastrpc_apps_user.c:1048: Error ffffffff: apps_dev_init failed. domain 3",
        ],
    ),
    "https://github.com/pytorch/executorch/issues/8762": (
        "qnn-release-mismatch",
        [
            "[WARNING] [Qnn ExecuTorch]:  <W> Initializing HtpProvider",
            "[ERROR] [Qnn ExecuTorch]:  <E> Stub lib id mismatch: expected (v2.28.0), detected"
            " (v2.25.17)",
            "[ERROR] [Qnn ExecuTorch]:  <E> Unable to load Remote symbols 1008",
            "[WARNING] [Qnn ExecuTorch]:  <W> Function not called, PrepareLib isn't loaded!",
        ],
    ),
    "https://github.com/pytorch/executorch/issues/9084": (
        "qnn-feature-unsupported",
        [
            QNN + "Request feature vtcm size with value 8388608 unsupported",
            QNN + "Failed to register context to device and backend",
            QNN + "Failed to create context from binary with err 0x138d",
            "[ERROR] [Qnn ExecuTorch]: Can't create context from binary. Error 5005.",
        ],
    ),
    "https://github.com/qualcomm/ai-hub-models/issues/289": (
        "qnn-context-not-created",
        [
            '[INFO]  "Using create From Binary"',
            '[ERROR] "Could not create context from binary for context index = 0 : err 5005"',
            '[ERROR] "Create From Binary FAILED!"',
            "Failure to initialize model.",
        ],
    ),
    "https://github.com/UbiquitousLearning/mllm/issues/341": (
        "qnn-transport-not-created",
        [
            "     0.0ms [ ERROR ]  <E> Unable to load Remote symbols 4000",
            "     0.0ms [ ERROR ]  <E> Failed to create transport for device, error: 4000",
            "     0.0ms [ ERROR ]  <E> Transport layer setup failed: 14001",
            "     0.0ms [ ERROR ]  <E> Failed to load default platform info: 14001",
            "[ERROR] Thu Jul 31 19:55:22 2025 [QNNBackend.cpp:591] Device Creation failure",
        ],
    ),
    "examples of the Hexagon SDK": (
        "unsigned-request-dropped",
        [
            "Overriding user request for unsigned PD. Only signed offload is allowed on domain 3.",
            "ERROR 0x80000406: Unable to create FastRPC session on domain 3",
        ],
    ),
    "https://github.com/qualcomm/fastrpc/issues/180": (
        "dynamic-loading-failed",
        [
            "fastrpc_apps_user.c:1729: Error 0xfffffffb: remote_handle_open_domain: dynamic"
            " loading failed for " + SKEL + "(dlerror ) (errno Success)",
            "fastrpc_apps_user.c:1490: Error 0x8000041d: remote_handle_invoke failed for handle"
            " 0x0, method 1 on domain 3 (sc 0x1010200) (errno Success)",
            "fastrpc_apps_user.c:1918: Error 0x8000041d: remote_handle_close failed for handle"
            " 0xe7b775c8",
        ],
    ),
}


@pytest.mark.parametrize("source", FIRST_CAUSES)
def test_the_first_cause_of_a_posted_log(source: str) -> None:
    name, lines = FIRST_CAUSES[source]

    said = explain_lines(lines)

    first, *_ = (*said.causes, *said.symptoms, *said.consequences)
    assert first.condition.name == name
    assert len(said.causes) <= 1
    assert not said.codes


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("adsprpc: fopen returned 0x2 for file x.bin. (No such file or directory)", set()),
        ("adsprpc: fopen returned 0xc for file x.bin. (Out of memory)", set()),
        ("adsprpc: fread failed with 0x5 for x.bin (Input/output error)", set()),
        ("adsprpc: fread failed with 0x5 for x.bin (I/O error)", set()),
        ("adsprpc: Error 0x57: open failed for x.bin (errno No such file or directory)", {0x57}),
        ("adsprpc: Error 0x72: open failed. (errno 13, Permission denied)", {0x72}),
        ("adsprpc: Error 0x2: something failed", {0x2}),
    ],
)
def test_a_number_beside_the_text_of_that_errno_is_no_code(line: str, codes: set[int]) -> None:
    assert explain_lines([line]).all_codes == codes
