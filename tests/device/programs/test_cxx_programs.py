"""Programs for the DSP in C++ have the whole C++ library, and GoogleTest and Catch2 run there."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.toolchains.system_libraries import MissingNames, missing_names
from tests.command_line import REPOSITORY
from tests.device.testing.third_party import results
from tests.project import Project

FILE = """
[project]
name = "ring"
[dsp.ring]
source = "."
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""
LISTING = """
cmake_minimum_required(VERSION 3.25)
project(ring CXX)
add_executable(library library.cpp)
"""
LIBRARY = """
#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <ctime>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

struct Base { virtual ~Base() {} };
struct Derived : Base {};
struct Noisy {
    const char *text;
    ~Noisy() { std::cout << text << '\\n'; }
};
static thread_local Noisy of_thread = {"end of a thread"};

static void raise(int number)
{
    Noisy unwound = {"unwound"};
    if (number > 0)
        throw std::runtime_error("thrown " + std::to_string(number));
}

static void print_exceptions()
{
    try {
        raise(3);
    } catch (const std::exception &error) {
        std::cout << error.what() << '\\n';
    }
    try {
        std::vector<int>().at(3) = 1;
    } catch (const std::out_of_range &) {
        std::cout << "out of range\\n";
    }
    auto result = std::async(std::launch::async, []() -> int { throw std::logic_error("async"); });
    try {
        result.get();
    } catch (const std::logic_error &error) {
        std::cout << error.what() << '\\n';
    }
    std::unique_ptr<Base> base(new Derived);
    Base &made = *base;
    std::cout << (dynamic_cast<Derived *>(&made) != nullptr) << typeid(made).name() << '\\n';
}

static void print_threads()
{
    std::mutex mutex;
    std::condition_variable changed;
    int count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; i++) {
                std::lock_guard<std::mutex> lock(mutex);
                count++;
            }
            changed.notify_one();
        });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return count == 400; });
        using std::chrono::milliseconds;
        std::cout << count << (changed.wait_for(lock, milliseconds(1)) == std::cv_status::timeout);
    }
    for (auto &thread : threads)
        thread.join();
    std::recursive_mutex recursive;
    recursive.lock();
    std::cout << recursive.try_lock() << '\\n';
    std::thread([] { (void)of_thread.text; }).join();
}

/* Types of the DSP's C library that differ from those of other ones. */
static void print_c_library()
{
    const std::time_t now = std::time(nullptr);
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    std::cout << (now > 1700000000 && precise.tv_sec >= now && precise.tv_sec < now + 60);

    struct { pthread_attr_t of_thread; pthread_mutexattr_t of_mutex; int after; } attributes;
    attributes.after = 7;
    pthread_attr_init(&attributes.of_thread);
    pthread_mutexattr_init(&attributes.of_mutex);
    pthread_mutexattr_settype(&attributes.of_mutex, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes.of_mutex);
    pthread_mutex_lock(&mutex);
    std::cout << (pthread_mutex_trylock(&mutex) == 0) << attributes.after;
    std::cout << (close(-1) < 0) << std::localeconv()->decimal_point << '\\n';
}

int main(int count, char **arguments)
{
    std::cout << "text " << 42 << ' ' << std::setprecision(6) << 2.5 << std::hex << ' ' << 255
              << std::dec << std::endl;
    print_exceptions();
    print_threads();
    print_c_library();

    std::istringstream words("12 3.5 word");
    int number;
    double real;
    std::string word;
    words >> number >> real >> word;
    std::cout << number << ' ' << real << ' ' << word << '\\n';
    std::map<std::string, std::function<int(int)>> functions;
    functions["more"] = [](int i) { return i + 1; };
    std::cout << functions["more"](1) << *std::make_shared<std::string>(" shared") << '\\n';
    std::cout << std::regex_match("abc123", std::regex("[a-z]+\\\\d+")) << '\\n';

    std::ofstream(arguments[1]) << "a line\\nanother\\n";
    std::ifstream file(arguments[1]);
    file.seekg(2);
    std::getline(file, word);
    std::cout << word << ' ' << file.tellg() << '\\n';
    std::cerr << "an error\\n";
    if (count > 2)
        throw std::runtime_error("nobody catches this");
    return 3;
}
"""
PRINTED = """\
text 42 2.5 ff
unwound
thrown 3
out of range
async
17Derived
40011
end of a thread
1171.
12 3.5 word
2 shared
1
line 7
"""


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("ring"))
    project.lay_out({"CMakeLists.txt": LISTING, "library.cpp": LIBRARY, "buildtool.toml": FILE})
    return project


def test_the_library(ring: Project) -> None:
    done = ring.run("run", "sim", "--", "dsp/library", str(ring.root / "written"))
    assert (done.returncode, done.stdout) == (3, PRINTED), done.stderr
    assert "an error\n" in done.stderr


def test_an_uncaught_exception_is_named(ring: Project) -> None:
    done = ring.run("run", "sim", "--", "dsp/library", str(ring.root / "written"), "throw")
    assert (done.returncode, done.stdout) == (134, PRINTED), done.stderr
    assert "uncaught exception of type std::runtime_error: nobody catches this" in done.stderr


def test_every_known_shell_loads_it(ring: Project) -> None:
    ring.succeeds("build")
    (library,) = (ring.root / ".buildtool/out").rglob("library.so")
    imports = read_elf(library).imports
    for arch in HEXAGON_ARCHS:
        assert missing_names(imports, arch, None) == MissingNames(frozenset(), frozenset())


@pytest.mark.usefixtures("earlier_builds")
def test_what_the_library_lacks_is_named(tmp_path: Path) -> None:
    project = Project(tmp_path)
    source = '#include <filesystem>\nint main() { return (int)std::filesystem::remove_all("x"); }\n'
    project.lay_out({"CMakeLists.txt": LISTING, "library.cpp": source, "buildtool.toml": FILE})
    said = project.fails()
    assert "library.so needs " in said
    assert "Of std::filesystem programs for the DSP have paths only: use streams" in said


GOOGLETEST = REPOSITORY / ".venv/googletest/usr/src/googletest"
TESTS = f"""
cmake_minimum_required(VERSION 3.25)
project(ring CXX)
include(CTest)
add_subdirectory("{GOOGLETEST}" googletest EXCLUDE_FROM_ALL)
add_executable(ring-test ring_test.cpp)
target_link_libraries(ring-test PRIVATE gtest_main)
include(GoogleTest)
gtest_discover_tests(ring-test)
"""
RING = """
#include <gtest/gtest.h>

#include <stdexcept>

TEST(Ring, Good) { EXPECT_EQ(1 + 1, 2); }
TEST(Ring, Bad) { EXPECT_EQ(1 + 1, 3) << "said why"; }
TEST(Ring, Throws) { throw std::runtime_error("thrown"); }
TEST(Ring, Crashes) { *(volatile int *)16 = 1; }
TEST(Ring, Captures)
{
    testing::internal::CaptureStdout();
    printf("captured %d", 1);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "captured 1");
    EXPECT_TRUE(testing::internal::RE::FullMatch("abc12", "[a-c]+1."));
}
TEST(Ring, Skipped) { GTEST_SKIP() << "not here"; }
TEST(Ring, DISABLED_Later) { FAIL(); }

class Sizes : public testing::TestWithParam<const char *> {};
TEST_P(Sizes, AreWords) { EXPECT_STRNE(GetParam(), ""); }
INSTANTIATE_TEST_SUITE_P(All, Sizes, testing::Values("a b", "c;d"));
"""


@pytest.mark.long
@pytest.mark.usefixtures("earlier_builds")
@pytest.mark.skipif(not GOOGLETEST.is_dir(), reason="there is no GoogleTest: scripts/setup tests")
def test_googletest(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lay_out({"CMakeLists.txt": TESTS, "ring_test.cpp": RING, "buildtool.toml": FILE})
    tests = results(project, "sim")
    assert {name: test["outcome"] for name, test in tests.items()} == {
        "Ring.Good": "passed",
        "Ring.Bad": "failed",
        "Ring.Throws": "failed",
        "Ring.Crashes": "crashed",
        "Ring.Captures": "passed",
        "Ring.Skipped": "skipped",
        "Ring.Later": "skipped",
        'All/Sizes.AreWords/"a b"': "passed",
        'All/Sizes.AreWords/"c;d"': "passed",
    }
    assert "said why" in tests["Ring.Bad"]["output"]
    assert "thrown" in tests["Ring.Throws"]["output"]
