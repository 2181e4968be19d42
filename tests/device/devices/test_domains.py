"""`--domain`: a release runs on each DSP of a SoC, and is refused where none of its skels fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board
from tests.json_documents import validate
from tests.project import Project

MAIN, SKEL = "host/src/main.c", "dsp/src/my_project_dsp_imp.c"
LEMANS = ("run", "sim", "--soc", "SA8775P")
VERIFIED = "my-project: scale_add of 1024 and 1001 elements verified against the CPU\n"
BEFORE_CALLS = "    for (int i = 0; i < 2 && status == 0; i++)\n"
TELL = r"""    {
        remote_rpc_get_domain_t used = {-1};
        struct remote_dsp_capability arch = {CDSP_DOMAIN_ID, ARCH_VER, 0};
        remote_rpc_reserve_new_session_t more = {.domain_name = CDSP_DOMAIN_NAME,
                                                 .domain_name_len = 4,
                                                 .session_name = "more",
                                                 .session_name_len = 4};
        remote_handle64_control(handle, DSPRPC_GET_DOMAIN, &used, sizeof used);
        remote_handle_control(DSPRPC_GET_DSP_INFO, &arch, sizeof arch);
        remote_session_control(FASTRPC_RESERVE_NEW_SESSION, &more, sizeof more);
        printf("domain %d, v%x, another session %u\n", used.domain,
               (unsigned)(arch.capability & 0xff), (unsigned)more.effective_domain_id);
    }
"""
BOTH = r"""    {
        remote_handle64 other;
        struct remote_rpc_control_unsigned_module also = {CDSP1_DOMAIN_ID, 1};
        remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &also, sizeof also);
        code = my_project_dsp_open(my_project_dsp_URI CDSP1_DOMAIN, &other);
        status = code != 0 ? code : check_in_shared_memory(other, 64);
        status |= check_in_shared_memory(handle, 64) | check_in_shared_memory(other, 65);
        printf("both %d\n", status);
        my_project_dsp_close(other);
    }
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The template's project; its skel needs no HVX to be powered, and its program says where it
    runs."""
    made = Project(tmp_path_factory.mktemp("each dsp") / "my-project")
    made.root.mkdir()
    made.succeeds("init", "--template", "hvx")
    made.edit("buildtool.toml", 'archs = ["v68"]', 'archs = ["v73", "v79", "v81"]')
    made.edit(SKEL, "vote_for_hvx(session, TRUE) != 0", "vote_for_hvx == NULL")
    made.edit(MAIN, BEFORE_CALLS, TELL + BEFORE_CALLS)
    return made


@pytest.mark.parametrize(
    ("domain", "told"),
    [
        ("cdsp", "domain 3, v73, another session 11\n"),
        ("cdsp1", "domain 4, v73, another session 12\n"),
        ("gdsp0", "domain 5, v73, another session 13\n"),
        ("gdsp1", "domain 6, v73, another session 14\n"),
    ],
)
def test_a_release_runs_on_each_dsp(project: Project, domain: str, told: str) -> None:
    done = project.run(*LEMANS, "--domain", domain, "--json")
    found = json.loads(done.stdout)

    validate("run", found)
    assert (done.returncode, done.stderr.splitlines(keepends=True)[-2:]) == (0, [told, VERIFIED])
    assert found["arch"] == "v73"
    assert found["soc"] == ("SA8775P" if domain == "cdsp" else f"SA8775P-{domain}")


def test_each_dsp_gets_the_skels_of_its_arch(project: Project) -> None:
    """The ADSP of this SoC is of another arch than its CDSP; it has signed processes only."""
    soc = ("run", "sim", "--json", "--soc")
    cdsp = project.run(*soc, "SM8850")
    adsp = project.run(*soc, "SM8850,testsig", "--domain", "adsp")
    refused = project.run(*soc, "SM8850", "--domain", "adsp")

    assert "domain 3, v81, another session 11\n" in cdsp.stderr
    assert "domain 0, v79, another session 8\n" in adsp.stderr
    for done, arch in (cdsp, "v81"), (adsp, "v79"):
        assert done.returncode == 0
        assert json.loads(done.stdout)["arch"] == arch
    assert refused.returncode == 1
    assert "cause: This device runs only signed skels on that DSP." in refused.stderr


def test_a_dsp_that_fits_none_of_the_skels_is_refused(project: Project) -> None:
    done = project.run(*LEMANS, "--domain", "adsp")
    assert (done.returncode, done.stdout) == (125, "")
    assert "the target 'sim' has no skel that the adsp of SA8775P can load" in done.stderr
    assert "the adsp is v66 (the device has cdsp (v73), adsp (v66), " in done.stderr
    assert "the skels are for v73, v79, v81" in done.stderr
    assert "Choose another DSP (--domain), or another device" in done.stderr


def test_signed_processes_load_what_the_device_accepts(project: Project) -> None:
    """The program asks for an unsigned process, and checks the answer; `--signed` leaves it out."""
    accepted = project.run("run", "sim", "--soc", "SA8775P,testsig", "--signed", "--json")
    refused = project.run("run", "sim", "--soc", "SA8775P", "--signed")
    of_cdsp1 = project.run("run", "sim", "--soc", "SA8775P", "--domain", "cdsp1", "--signed")

    assert accepted.returncode == 0, accepted.stderr
    assert json.loads(accepted.stdout)["soc"] == "SA8775P-cdsp-signed"
    for done, dsp in (refused, "cdsp"), (of_cdsp1, "cdsp1"):
        assert done.returncode == 1
        assert f"is not signed and the process on {dsp} is a signed one" in done.stderr
        assert "0x80000481" in done.stderr
    assert "loads only skels with a signature that the device accepts" in refused.stderr

    for words in ("test", "bench"):
        assert project.run(words, "sim", "--soc", "SA8775P,testsig", "--signed").returncode == 0
        assert project.run(words, "sim", "--soc", "SA8775P", "--signed").returncode == 1


def test_a_probe_of_a_signed_process(project: Project) -> None:
    kept = project.succeeds("probe", "sim", "--soc", "SM8635,testsig", "--signed", "-o", "x.json")
    assert "ok a session in a signed process opens" in kept
    assert "unsigned-pd" not in kept
    refused = project.run("probe", "sim", "--soc", "SM8635", "--signed")
    assert refused.returncode == 1
    assert "! no session in a signed process opens: " in refused.stdout
    assert "0x80000481" in refused.stdout
    both = project.run("probe", "sim", "--all", "--signed")
    assert (both.returncode, both.stdout) == (2, "")


def test_a_dsp_that_the_soc_lacks_is_refused(project: Project) -> None:
    done = project.run("run", "sim", "--soc", "SM8750", "--domain", "cdsp1")
    assert (done.returncode, done.stdout) == (125, "")
    assert "the cdsp1 of SM8750 is not known" in done.stderr
    assert "the device has cdsp (v79), adsp (v79)" in done.stderr
    forced = project.run("run", "sim", "--soc", "SM8750", "--domain", "cdsp1", "--force")
    assert forced.returncode == 1
    assert "libcdsprpc: the device SM8750 has no cdsp1" in forced.stderr


def test_without_a_soc_there_is_one_that_has_the_dsp(project: Project) -> None:
    done = project.run("run", "sim", "--domain", "cdsp1", "--json")
    assert (done.returncode, json.loads(done.stdout)["soc"]) == (0, "SA8775P-cdsp1")


def test_tests_and_benches_use_it(project: Project) -> None:
    tested = project.run("test", "sim", "--domain", "cdsp1", "--json")
    benched = project.run("bench", "sim", "--domain", "cdsp1", "--json")
    for done in tested, benched:
        assert done.returncode == 0, done.stderr
    assert json.loads(tested.stdout)["soc"] == "SA8775P-cdsp1"
    result = json.loads(benched.stdout)
    assert result["soc"] == "SA8775P-cdsp1"
    names = {row["name"] for row in result["methods"]}
    assert "my_project_dsp_scale_add" in names


def test_sessions_on_two_dsps_at_once(project: Project) -> None:
    before = (project.root / MAIN).read_text()
    project.edit(MAIN, TELL, BOTH)
    done = project.run(*LEMANS)
    (project.root / MAIN).write_text(before)
    assert (done.returncode, done.stdout) == (0, f"both 0\n{VERIFIED}")


def test_a_capture_is_repeated_on_the_same_dsp(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "run.zip"
    project.succeeds("capture", "sim", "--domain", "cdsp1", "--output", str(file))
    done = project.run("run", "sim", "--replay", str(file))
    assert (done.returncode, done.stdout) == (
        0,
        f"domain 4, v73, another session 12\n{VERIFIED}",
    )


@pytest.fixture
def board(project: Project, tmp_path: Path) -> Iterator[Project]:
    """The project with a device behind sshd, whose configuration names another DSP."""
    with emulated_board(tmp_path / "board", "SA8775P") as server:
        project.variables = server.client.environment
        how = f'transport = "ssh"\naddress = "{server.client.host}"\n'
        root = f'root = "{server.device.home / "root"}"\n'
        project.write("devices.toml", f'[device.board]\n{how}{root}domain = "cdsp1"\n')
        yield project


def test_a_board(board: Project) -> None:
    done = board.run("run", "board")
    assert (done.returncode, done.stdout) == (
        0,
        f"domain 4, v73, another session 12\n{VERIFIED}",
    )
    again = board.run("run", "board", "--domain", "cdsp")
    assert again.stdout == f"domain 3, v73, another session 11\n{VERIFIED}"
    refused = board.run("run", "board", "--domain", "adsp")
    assert (refused.returncode, refused.stdout) == (125, "")
    assert "has no skel that the adsp of " in refused.stderr
    found = json.loads(board.succeeds("devices", "facts", "board", "--json"))
    validate("devices-facts", found)
    lemans = {"adsp": "v66", "cdsp1": "v73", "gdsp0": "v73", "gdsp1": "v73"}
    assert found["domains"] == {"cdsp": "v73", **lemans}


def test_calls_are_recorded_on_one_dsp_and_repeated_on_another(project: Project) -> None:
    project.succeeds(*LEMANS, "--domain", "cdsp1", "--record-calls", "run.calls")
    words = ("diverge", "run.calls", "--soc", "SA8775P", "--domain")
    assert project.succeeds(*words, "gdsp0").endswith("\n0 of 2 calls and messages differ\n")
    refused = project.run(*words, "adsp")
    assert refused.returncode == 125
    assert "no skel that the adsp of SA8775P can load" in refused.stderr
