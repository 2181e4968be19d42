"""A skel in C++ uses containers of the C++ library with the open toolchain."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from tests.project import Project

pytestmark = pytest.mark.long

FILES = {
    "buildtool.toml": """
[project]
name = "words"

[host.words]
source = "host"

[skel.words_dsp]
source = "dsp"
idl = "dsp/words.idl"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v79"]
""",
    "dsp/words.idl": """
#include "AEEStdDef.idl"
#include "remote.idl"
interface words : remote_handle64 {
    AEEResult count(in string text, rout long different, rout long longest, rout long sum);
};
""",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.25)
project(words_dsp LANGUAGES C CXX)
find_package(Buildtool REQUIRED)
buildtool_add_skel(words_skel IDL words.idl SOURCES words.cpp)
install(TARGETS words_skel LIBRARY DESTINATION .)
""",
    "dsp/words.cpp": """
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "words.h"

struct alignas(128) Vector { int lanes[32]; };

int words_open(const char *, remote_handle64 *handle) { *handle = 1; return 0; }
int words_close(remote_handle64) { return 0; }

AEEResult words_count(remote_handle64, const char *text, int32_t *different, int32_t *longest,
                      int32_t *sum) {
    std::unordered_map<std::string, int> counts;
    std::map<int, std::vector<std::string>> by_size;
    for (std::string rest = text; !rest.empty();) {
        size_t end = std::min(rest.find(' '), rest.size());
        std::string word = rest.substr(0, end);
        counts[word]++;
        by_size[(int)word.size()].push_back(word);
        rest.erase(0, end + 1);
    }
    *different = (int32_t)counts.size();
    *longest = by_size.rbegin()->first;
    auto vector = std::make_unique<Vector>();
    std::unique_ptr<int[]> numbers(new int[counts.size()]);
    size_t next = 0;
    for (auto &[word, count] : counts) numbers[next++] = count;
    std::sort(numbers.get(), numbers.get() + next, std::greater<int>());
    std::function<int(int)> weigh = [&](int at) { return numbers[at] * (at + 1); };
    *sum = (reinterpret_cast<uintptr_t>(vector.get()) & 127) != 0;
    for (size_t i = 0; i < next; i++) *sum += weigh((int)i);
    return 0;
}
""",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.25)
project(words_host LANGUAGES C)
find_package(Buildtool REQUIRED)
buildtool_add_stub(words_stub IDL ../dsp/words.idl)
add_executable(words main.c)
target_link_libraries(words PRIVATE words_stub)
install(TARGETS words)
""",
    "host/main.c": """
#include <stdio.h>
#include "remote.h"
#include "words.h"
int main(void)
{
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    remote_handle64 handle;
    int different = 0, longest = 0, sum = 0;
    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module);
    if (words_open(words_URI CDSP_DOMAIN, &handle)) return 2;
    int code = words_count(handle, "to be or not to be that is the question", &different,
                           &longest, &sum);
    printf("0x%x %d %d %d\\n", code, different, longest, sum);
    return words_close(handle);
}
""",
}


@pytest.mark.parametrize("soc", ["QCS6490", pytest.param("SM8750", marks=pytest.mark.long)])
def test_containers_in_a_skel(tmp_path_factory: pytest.TempPathFactory, soc: str) -> None:
    root: Path = tmp_path_factory.getbasetemp() / "cxx skel"
    project = Project(root)
    project.lay_out(FILES)
    done = project.run("run", "sim", "--strict", "--soc", soc)
    # Twice "to" and "be", six other words: 2 * 1 + 2 * 2 + 3 + 4 + 5 + 6 + 7 + 8.
    assert (done.returncode, done.stdout) == (0, "0x0 8 8 39\n"), done.stderr
    needed = read_elf(project.release() / "dsp/v68/libwords_skel.so").needed
    assert not [name for name in needed if "++" in name]
