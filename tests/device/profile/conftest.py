"""A project whose skel has a hot loop in one function, which another one calls too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.project import Project

KERNEL = "dsp/src/my_project_dsp_imp.c"
METHOD = "AEEResult my_project_dsp_scale_add("
BODY = "    (void)handle;\n    if"
HOT = "            state = (state ^ (uint16_t)data[i]) * 16777619u;\n"
FUNCTIONS = f"""
static __attribute__((noinline)) uint32_t mix(const int16_t *data, int length, unsigned rounds)
{{
    uint32_t state = 1;
    for (unsigned round = 0; round < rounds; round++)
        for (int i = 0; i < length; i++)
{HOT}    return state;
}}

static __attribute__((noinline)) uint32_t mix_few(const int16_t *data, int length)
{{
    return mix(data, length, ROUNDS / 8) + 1;
}}

volatile uint32_t mixed;

"""


def with_hot_loop(project: Project, rounds: int) -> None:
    """Plant the loop, with `rounds` turns."""
    text = (project.root / KERNEL).read_text()
    assert text.count(METHOD) == 1
    assert text.count(BODY) == 1
    planted = f"#define ROUNDS {rounds}u\n{FUNCTIONS}{METHOD}"
    call = f"    mixed = mix(a, a_len, ROUNDS) + mix_few(b, b_len);\n{BODY}"
    project.write(KERNEL, text.replace(METHOD, planted).replace(BODY, call))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, which is built once for the tests of a module."""
    project = Project(tmp_path_factory.mktemp("to profile") / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    with_hot_loop(project, 6000)
    project.succeeds("build")
    return project


@pytest.fixture
def project(built: Project) -> Iterator[Project]:
    """The project as it was committed."""
    settings = (built.root / "buildtool.toml").read_text()
    yield built
    built.write("buildtool.toml", settings)
