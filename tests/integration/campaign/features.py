"""The ways in which the builds of random trees read and make files.

`names` are the files of a list, one letter each; an empty value leaves a file or a call out.
"""

from __future__ import annotations

from tests.integration.campaign.tree import Feature, Tree

NAMES = ("a", "ab", "b", "bc")
NUMBERS = ("1", "2", "3")
OPTIONAL = ("", "4", "5")
BUILD, SOURCE = "${CMAKE_CURRENT_BINARY_DIR}", "${CMAKE_CURRENT_SOURCE_DIR}"
CMAKE = "${CMAKE_COMMAND}"


def header_above(tree: Tree, value: str, hidden: str) -> None:
    """A header above the project, which one in the project can hide."""
    tree.add("../../top.h", f"#define TOP {value}\n")
    tree.add("inc/other.h", "")
    if hidden:
        tree.add("inc/top.h", f"#define TOP {hidden}\n")
    tree.declarations.append('#include <top.h>\n#undef TOP\n#include "../../top.h"')
    tree.terms.append("TOP")


def cmake_above(tree: Tree, value: str, version: str, units: str, flag: str) -> None:
    """Files above the project that CMake reads: a module, a text, a glob, a sub-directory."""
    tree.add("../../more/more.cmake", f"add_compile_definitions(MORE={value})\n")
    tree.add("../../more/version.txt", version)
    tree.add(
        "../../lib/CMakeLists.txt",
        f"add_library(lib STATIC lib.c)\ntarget_compile_definitions(lib PRIVATE FLAG={flag})\n",
    )
    tree.add("../../lib/lib.c", "const char *lib(int n) { return n == FLAG ? __FILE__ : 0; }\n")
    for name in units:
        tree.add(f"../../units/{name}.c", f"int unit_{name}(void) {{ return 1; }}\n")
    tree.cmake.append(f"""include(../../more/more.cmake)
file(READ ../../more/version.txt version)
file(GLOB units {SOURCE}/../../units/*.c)
target_sources(x_skel PRIVATE ${{units}})
target_compile_definitions(x_skel PRIVATE VERSION=${{version}})
add_subdirectory(../../lib lib)
target_link_libraries(x_skel PRIVATE lib)
install(FILES ../../more/version.txt DESTINATION share)""")
    tree.declarations.append("const char *lib(int); const char *file(int n) { return lib(n); }")
    tree.terms.append("VERSION + 10 * MORE")


def interface_above(tree: Tree, value: str) -> None:
    """An interface above the project that includes another file."""
    tree.add(
        "../../api/calc.idl",
        '#include "types.idl"\ninterface calc { long add(in number x, rout number y); };\n',
    )
    tree.add("../../api/types.idl", f"typedef long number; const long LEAST = {value};\n")
    tree.cmake.append("""buildtool_add_stub(stub IDL ../../api/calc.idl)
target_link_libraries(x_skel PRIVATE stub)""")
    tree.declarations.append('#include "calc.h"')
    tree.terms.append("LEAST")


def made_while_configuring(tree: Tree, how: str, names: str, value: str) -> None:
    """Files that CMake writes into the build tree, which ships the directory."""
    for name in names:
        tree.add(f"made/{name}", f"{name} {value}\n")
    source, made = f"{SOURCE}/made/${{n}}", f"{BUILD}/made/${{n}}"
    call = {
        "copy": f"file(COPY {source} DESTINATION {BUILD}/made)",
        "configure": f"configure_file({source} {made})",
        "write": f'file(WRITE {made} "written {value}")',
        "generate": f'file(GENERATE OUTPUT {made} CONTENT "generated {value}")',
        "run": f"execute_process(COMMAND {CMAKE} -E copy {source} {made})",
    }[how]
    tree.cmake.append(f"""file(MAKE_DIRECTORY {BUILD}/made)
foreach(n IN ITEMS {";".join(names)})
  {call}
endforeach()""")
    tree.ship("made")


def whole_directory_copied(tree: Tree, names: str, value: str) -> None:
    """A directory that CMake copies as a whole."""
    for name in names:
        tree.add(f"copied/{name}", f"{name} {value}\n")
    tree.cmake.append(f"file(COPY copied DESTINATION {BUILD})")
    tree.ship("copied")


def copied_by_rule(tree: Tree, names: str, value: str, how: str) -> None:
    """A directory that a command of the build copies."""
    for name in names:
        tree.add(f"assets/{name}", f"{name} {value}\n")
    copy = f"{CMAKE} -E copy_directory {SOURCE}/assets {BUILD}/assets"
    tree.cmake.append(f"file(GLOB assets CONFIGURE_DEPENDS {SOURCE}/assets/*)")
    if how == "post-build":
        tree.cmake.append(f"""add_custom_command(TARGET x_skel POST_BUILD COMMAND {copy})
set_target_properties(x_skel PROPERTIES LINK_DEPENDS "${{assets}}")""")
    else:
        tree.cmake.append(f"""add_custom_command(OUTPUT assets.stamp DEPENDS ${{assets}}
  COMMAND {copy} COMMAND {CMAKE} -E touch assets.stamp)
add_custom_target(assets ALL DEPENDS assets.stamp)""")
    tree.ship("assets")


def generator_of_a_list(tree: Tree, names: str, value: str) -> None:
    """A generator that writes the headers that its input lists, and declares none of them; another
    command copies them."""
    tree.add("list.txt", ";".join(names))
    tree.add(
        "generate.cmake",
        f"""file(READ "${{FROM}}" names)
foreach(n IN LISTS names)
  file(WRITE "listed/${{n}}.h" "#define LISTED {value}\\n")
endforeach()
file(WRITE list.stamp "")
""",
    )
    for name in "ab":
        tree.add(f"inc/listed/{name}.h", "#define LISTED 9\n")
    tree.cmake.append(f"""add_custom_command(OUTPUT list.stamp DEPENDS list.txt generate.cmake
  COMMAND {CMAKE} -DFROM={SOURCE}/list.txt -P {SOURCE}/generate.cmake)
add_custom_target(list ALL DEPENDS list.stamp)
add_dependencies(x_skel list)
add_custom_command(OUTPUT second.stamp COMMAND {CMAKE} -E copy_directory listed second
  COMMAND {CMAKE} -E touch second.stamp)
add_custom_target(second-list ALL DEPENDS second.stamp)
add_dependencies(second-list list)
target_include_directories(x_skel BEFORE PRIVATE {BUILD})""")
    tree.declarations.append("""#include <listed/a.h>
enum { LISTED_A = LISTED };
#undef LISTED
#include <listed/b.h>""")
    tree.terms.append("LISTED_A + 10 * LISTED")
    tree.ship("listed")
    tree.ship("second")


def renamed_library(tree: Tree, name: str, value: str, texts: str) -> None:
    """Libraries and outputs of rules that `artifacts` finds by a pattern."""
    tree.add("library.c", f"int library(void) {{ return {value}; }}\n")
    tree.keys.append('artifacts = ["libo*.so", "texts/*.txt"]')
    tree.cmake.append(f"add_library({name} SHARED library.c)")
    for text in texts:
        file = f"texts/{text}.txt"
        tree.cmake.append(f"""add_custom_command(OUTPUT {file}
  COMMAND {CMAKE} -E echo {value} > {file})
add_custom_target(text_{text} ALL DEPENDS {file})""")


def version_script(tree: Tree, exported: str) -> None:
    """A version script, which only the linker reads."""
    names = " ".join(f"f_{name};" for name in exported)
    tree.add("v.map", f"{{ global: {names} local: *; }};\n")
    tree.add("v.c", "".join(f"int f_{name}(void) {{ return 1; }}\n" for name in "abc"))
    tree.cmake.append(f"""add_library(versioned SHARED v.c)
target_link_options(versioned PRIVATE "-Wl,--version-script={SOURCE}/v.map")""")
    tree.install("versioned")


def assembly(tree: Tree, value: str, text: str, inline: str) -> None:
    """Files that only assemblers read, of assembly and of C."""
    tree.add(
        "table.S",
        """.section .rodata
.globl table
table: .incbin "table.bin"
.include "table.inc"
.byte TABLE, 0
""",
    )
    tree.add("table.bin", text)
    tree.add("table.inc", f".set TABLE, {value}\n")
    tree.add("inline.bin", inline)
    tree.add(
        "inline.c",
        r"""__asm__(".section .rodata\n.globl inlined\n"
        "inlined: .incbin \"inline.bin\"\n.byte 0\n.text");
""",
    )
    tree.sources += ["table.S", "inline.c"]
    tree.cmake.append(f"target_include_directories(x_skel PRIVATE {SOURCE})")
    tree.declarations.append("""extern const char table[], inlined[];
const char *tables(int n) { return n ? table : inlined; }""")


def response_file(tree: Tree, value: str, name: str) -> None:
    """Files of flags for the compiler and the linker."""
    tree.add("flags.rsp", f"-DFLAGS={value}\n")
    tree.add("link.rsp", f"-Wl,-soname,librsp.so.{name}\n")
    tree.add("rsp.c", "int rsp(void) { return FLAGS; }\n")
    tree.cmake.append(f"""add_library(rsp SHARED rsp.c)
target_compile_options(rsp PRIVATE "@{SOURCE}/flags.rsp")
target_link_options(rsp PRIVATE "@{SOURCE}/link.rsp")
set_target_properties(rsp PROPERTIES NO_SONAME ON)""")
    tree.install("rsp")


def needs(tree: Tree, more: str, first: str, second: str) -> None:
    """Two needed components: a header appears in one, and one hides that of the other."""
    tree.keys.append('needs = ["one", "two"]')
    for name in ("one", "two"):
        tree.components += [f"[host.{name}]", f'source = "{name}"', "install = false"]
        tree.add(f"../{name}/api/{name}.h", "")
        tree.add(
            f"../{name}/CMakeLists.txt",
            f"""cmake_minimum_required(VERSION 3.24)
project({name} C)
add_library({name} INTERFACE)
target_include_directories({name} INTERFACE $<INSTALL_INTERFACE:include>)
install(TARGETS {name} EXPORT x)
install(EXPORT x DESTINATION lib/cmake/{name} FILE {name}-config.cmake)
install(DIRECTORY api/ DESTINATION include)
""",
        )
    if more:
        tree.add("../one/api/more.h", f"#define MORE_HERE {more}\n")
    if first:
        tree.add("../one/api/both.h", f"#define BOTH {first}\n")
    tree.add("../two/api/both.h", f"#define BOTH {second}\n")
    tree.cmake.append("""find_package(one REQUIRED CONFIG)
find_package(two REQUIRED CONFIG)
target_link_libraries(x_skel PRIVATE one two)""")
    tree.declarations.append("""#if __has_include(<more.h>)
#include <more.h>
#else
#define MORE_HERE 9
#endif
#include <both.h>""")
    tree.terms.append("MORE_HERE + 10 * BOTH")


def options(tree: Tree, on: str, value: str) -> None:
    """An option of the project file that switches a target on."""
    tree.keys.append(f'defines = {{ WITH_EXTRA = "{on}", LEVEL = "{value}" }}')
    tree.add("extra.c", "int extra(void) { return LEVEL; }\n")
    tree.cmake.append("""if(WITH_EXTRA)
add_library(extra SHARED extra.c)
target_compile_definitions(extra PRIVATE LEVEL=${LEVEL})""")
    tree.install("extra")
    tree.cmake.append("endif()")


def together(tree: Tree, unity: str, header: str, value: str, names: str) -> None:
    """A unity build and a precompiled header of a set of sources."""
    tree.add("pre.h", f"#define PRE {value}\n")
    for name in names:
        text = f'#include "pre.h"\nint part_{name}(void) {{ return PRE; }}\n'
        tree.add(f"parts/{name}.c", text)
    precompiled = "target_precompile_headers(parts PRIVATE pre.h)" if header else ""
    tree.cmake.append(f"""file(GLOB parts {SOURCE}/parts/*.c)
add_library(parts STATIC ${{parts}})
target_include_directories(parts PRIVATE {SOURCE})
set_target_properties(parts PROPERTIES UNITY_BUILD {unity})
{precompiled}
target_link_libraries(x_skel PRIVATE parts)""")
    part = f"part_{names[0]}"
    tree.declarations.append(f"int {part}(void); int parts(void) {{ return {part}(); }}")


def external(tree: Tree, value: str, names: str) -> None:
    """ExternalProject_Add() and FetchContent of projects above."""
    tree.add(
        "../../outer/CMakeLists.txt",
        f"""cmake_minimum_required(VERSION 3.24)
project(outer NONE)
foreach(n IN ITEMS {";".join(names)})
  file(WRITE ${{CMAKE_BINARY_DIR}}/out/${{n}}.txt "{value}")
endforeach()
""",
    )
    tree.add("../../fetched/CMakeLists.txt", "add_library(fetched STATIC fetched.c)\n")
    tree.add("../../fetched/fetched.c", f"int fetched(void) {{ return {value}; }}\n")
    tree.cmake.append(f"""include(ExternalProject)
ExternalProject_Add(outer SOURCE_DIR {SOURCE}/../../outer BINARY_DIR {BUILD}/outer
  INSTALL_COMMAND "")
include(FetchContent)
FetchContent_Declare(fetched SOURCE_DIR {SOURCE}/../../fetched)
FetchContent_MakeAvailable(fetched)
target_link_libraries(x_skel PRIVATE fetched)""")
    tree.ship("outer/out")
    tree.declarations.append("int fetched(void); int use_fetched(void) { return fetched(); }")


def launcher(tree: Tree, program: str, hidden: str, value: str) -> None:
    """A compiler launcher that remembers objects, and a header that hides another."""
    if program:
        tree.project_keys.append(f'launcher = "{program}"')
    tree.add("inc/late.h", f"#define LATE {value}\n")
    if hidden:
        tree.add("late.h", f"#define LATE {hidden}\n")
    tree.declarations.append('#include "late.h"')
    tree.terms.append("LATE")


def data(tree: Tree, names: str, value: str) -> None:
    """A directory of the sources that ships."""
    for name in names:
        tree.add(f"data/{name}", f"{value}\n")
    tree.cmake.append("install(DIRECTORY data DESTINATION share)")


MANY = {"names": NAMES, "value": NUMBERS}
WAYS = ("copy", "configure", "write", "generate", "run")
ABOVE = {"value": NUMBERS, "version": NUMBERS, "units": NAMES, "flag": NUMBERS}
TOGETHER = {"unity": ("ON", "OFF"), "header": ("", "1"), **MANY}
HOST = ("gcc", "zig")
FEATURES = (
    Feature("header-above", {"value": NUMBERS, "hidden": OPTIONAL}, header_above),
    Feature("cmake-above", ABOVE, cmake_above),
    Feature("interface-above", {"value": NUMBERS}, interface_above, HOST),
    Feature("made", {"how": WAYS, **MANY}, made_while_configuring),
    Feature("copied", MANY, whole_directory_copied),
    Feature("by-rule", {"how": ("post-build", "command"), **MANY}, copied_by_rule),
    Feature("list", MANY, generator_of_a_list),
    Feature(
        "renamed",
        {"name": ("old", "other", "oh"), "value": NUMBERS, "texts": NAMES},
        renamed_library,
    ),
    Feature("version-script", {"exported": NAMES}, version_script),
    Feature("assembly", {"value": NUMBERS, "text": NUMBERS, "inline": NUMBERS}, assembly),
    Feature("response-file", {"value": NUMBERS, "name": NUMBERS}, response_file),
    Feature("needs", {"more": OPTIONAL, "first": OPTIONAL, "second": NUMBERS}, needs, HOST),
    Feature("options", {"on": ("ON", "OFF"), "value": NUMBERS}, options),
    Feature("together", TOGETHER, together),
    Feature("external", MANY, external),
    Feature(
        "launcher", {"program": ("", "ccache"), "hidden": OPTIONAL, "value": NUMBERS}, launcher
    ),
    Feature("data", MANY, data),
)
