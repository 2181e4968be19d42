"""Programs as hexagon-mlir makes them: a main in C++ and an object file with the kernel."""

from __future__ import annotations

import subprocess

import pytest

from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.sdk_root import sdk_root
from tests.project import Project

FILE = """
[project]
name = "mlir"
[dsp.mlir]
source = "."
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(mlir CXX)
add_executable(triple main.cpp kernel.o)
"""
KERNEL = """
/* The interface of two memrefs: allocated, aligned, offset, size, stride. */
void triple(int *from, int *in, int in_offset, int count, int in_stride,
            int *to, int *out, int out_offset, int room, int out_stride)
{
    for (int i = 0; i < count && i < room; i++)
        out[out_offset + i * out_stride] = 3 * in[in_offset + i * in_stride] + 1;
}
"""
MAIN = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

extern "C" void triple(int *, int *, int, int, int, int *, int *, int, int, int);

struct alignas(64) Descriptor {
    uint32_t next, control;
    const void *source;
    void *destination;
    uint32_t layout, size, strides, unused;
};

static void copy(void *to, const void *from, uint32_t size)
{
    Descriptor one = {0, size, from, to, 0, 0, 0, 0};
    int status;
    asm volatile("dmstart(%0)" : : "r"(&one) : "memory");
    asm volatile("%0 = dmwait" : "=r"(status) : : "memory");
}

static void tile(const int *in, int *out, int size)
{
    std::vector<int> from(size), to(size);
    copy(from.data(), in, size * sizeof(int));
    triple(from.data(), from.data(), 0, size, 1, to.data(), to.data(), 0, size, 1);
    copy(out, to.data(), size * sizeof(int));
}

int main(int count, char **arguments)
{
    const int size = std::atoi(arguments[1]), threads = std::atoi(arguments[2]);
    std::vector<int> in(size), out(size);
    for (int i = 0; i < size; i++)
        in[i] = i;
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; i++)
        workers.emplace_back([&, i] {
            const int from = size * i / threads, to = size * (i + 1) / threads;
            tile(&in[from], &out[from], to - from);
        });
    for (auto &worker : workers)
        worker.join();
    long long sum = 0;
    for (int value : out)
        sum += value;
    std::printf("%d arguments, sum %lld\\n", count - 1, sum);
    return 0;
}
"""


@pytest.fixture(scope="module")
def mlir(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("mlir"))
    project.lay_out({"CMakeLists.txt": CMAKE, "main.cpp": MAIN, "buildtool.toml": FILE})
    return project


def put_kernel(project: Project, arch: str) -> None:
    """Compile the kernel, as another tool does."""
    project.write("kernel.c", KERNEL)
    (compiler,) = sdk_root(usable_zig()).tools.glob("Tools/bin/hexagon-clang")
    compile_ = [str(compiler), f"-m{arch}", *["-O2", "-fPIC", "-c", "kernel.c", "-o", "kernel.o"]]
    subprocess.run(compile_, cwd=project.root, check=True)


def test_threads_copy_by_dma_and_call_the_kernel(mlir: Project) -> None:
    put_kernel(mlir, "v68")
    done = mlir.run("run", "sim", "--", "dsp/triple", "4096", "4")
    assert (done.returncode, done.stdout) == (0, "2 arguments, sum 25163776\n"), done.stderr
    (library,) = mlir.release().glob("dsp/v68/triple.so")
    done = mlir.run("run", "sim", "--dsp-program", str(library), "--", "10", "2")
    assert (done.returncode, done.stdout) == (0, "2 arguments, sum 145\n"), done.stderr


def test_a_kernel_for_a_newer_arch_is_refused(mlir: Project) -> None:
    put_kernel(mlir, "v79")
    said = mlir.fails()
    assert "triple.so is built for v79, not for v68" in said
    assert "Of a prebuilt file, ship one for v68." in said
