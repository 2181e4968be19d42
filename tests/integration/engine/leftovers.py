"""Edits of a component that leave something in its build tree that it no longer ships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.integration.engine.marked import marked

COPY = "${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/data stage"
SHIP = "install(DIRECTORY ${CMAKE_BINARY_DIR}/stage DESTINATION share)\n"
EACH = "file(GLOB names RELATIVE ${CMAKE_SOURCE_DIR}/data data/*)\nforeach(name ${names})\n"
SCRIPT = (  # a generator that writes a file for each word of a list
    "file(STRINGS ${LIST} words)\nforeach(word ${words})\nfile(WRITE stage/${word} ${word})\n"
    "endforeach()\nfile(WRITE stage/words ${words})\n"
)
GENERATE = "${CMAKE_COMMAND} -DLIST=${CMAKE_SOURCE_DIR}/list.txt -P ${CMAKE_SOURCE_DIR}/gen.cmake"
HEADERS = (  # writes a header for each word of a list
    "file(STRINGS ${LIST} words)\nforeach(word ${words})\n"
    'file(WRITE made/${word}.h "const char *const mark = \\"mark: ${word}.\\";\\n")\nendforeach()\n'
)
COPY_FIRST = (  # copies a file with its time, which is older than what was built
    "file(STRINGS ${LIST} word LIMIT_COUNT 1)\nfile(MAKE_DIRECTORY made)\n"
    "get_filename_component(source ${LIST} DIRECTORY)\n"
    "execute_process(COMMAND cp -p ${source}/${word} made/mark.h)\n"
)
UNDECLARED = (  # runs gen.cmake before the library is compiled
    f"add_custom_command(OUTPUT stamp DEPENDS list.txt gen.cmake COMMAND {GENERATE}"
    " COMMAND ${CMAKE_COMMAND} -E touch stamp)\nadd_custom_target(made DEPENDS stamp)\n"
    "add_dependencies(app made)\n"
    "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/made first)\n"
)
INCLUDE = {"a.c": "#include <mark.h>\n", "gen.cmake": HEADERS, "list.txt": "mark\n"}
HAS_MADE = f'#if __has_include("made.h")\n{marked("one")}#else\n{marked("two")}#endif\n'
DATA = {"data/a": "a\n", "data/b": "b\n"}
LISTED = {"list.txt": "one\ntwo\n", "gen.cmake": SCRIPT}


@dataclass(frozen=True)
class Case:
    """An edit of a component: lines of its CMakeLists.txt and files before it; then what changes,
    None for a file that is removed.  `keys` are those of the component in buildtool.toml."""

    lists: str
    files: Mapping[str, str] = field(default_factory=dict)
    keys: str = ""
    then: Mapping[str, str | None] = field(default_factory=dict)
    then_lists: str | None = None
    then_keys: str | None = None


REMOVED: Mapping[str, str | None] = {"data/b": None, "data/a": "another\n"}
WITH_SOURCE: Mapping[str, str | None] = {**REMOVED, "a.c": marked("two")}
ALL_SO = 'artifacts = ["**/*.so"]\n'
CASES = {
    "a renamed target": Case(
        "add_library(old SHARED a.c)\n", keys=ALL_SO, then_lists="add_library(fresh SHARED a.c)\n"
    ),
    "a target that an option switches off": Case(
        "if(EXTRA)\nadd_library(extra SHARED a.c)\nendif()\n",
        keys=f'{ALL_SO}defines = {{ EXTRA = "ON" }}\n',
        then_keys=f'{ALL_SO}defines = {{ EXTRA = "OFF" }}\n',
    ),
    "a target that the project file no longer names": Case(
        "add_library(extra SHARED a.c)\n",
        keys=f'{ALL_SO}install = false\ntargets = ["app", "extra"]\n',
        then_keys=f'{ALL_SO}install = false\ntargets = ["app"]\n',
    ),
    "a command of a target that the project file no longer names": Case(
        "file(WRITE ${CMAKE_BINARY_DIR}/stage/empty)\n"
        f"add_custom_target(staged COMMAND {COPY})\n" + SHIP,
        DATA,
        'targets = ["app", "staged"]\n',
        then_keys='targets = ["app"]\n',
    ),
    "a target that is no longer built by default": Case(
        "add_library(extra SHARED a.c)\n",
        keys=ALL_SO,
        then_lists="add_library(extra SHARED EXCLUDE_FROM_ALL a.c)\n",
    ),
    "a renamed target in a directory that is installed": Case(
        "set(CMAKE_LIBRARY_OUTPUT_DIRECTORY stage)\nadd_library(old SHARED a.c)\n" + SHIP,
        then_lists="set(CMAKE_LIBRARY_OUTPUT_DIRECTORY stage)\nadd_library(fresh SHARED a.c)\n"
        + SHIP,
    ),
    "file(COPY)": Case(
        "file(COPY data/ DESTINATION ${CMAKE_BINARY_DIR}/stage)\n" + SHIP, DATA, then=REMOVED
    ),
    "configure_file() in a loop": Case(
        EACH + "configure_file(data/${name} stage/${name})\nendforeach()\n" + SHIP,
        DATA,
        then={"data/b": None},
    ),
    "file(WRITE)": Case(
        "file(WRITE ${CMAKE_BINARY_DIR}/stage/old x)\n" + SHIP,
        then_lists="file(WRITE ${CMAKE_BINARY_DIR}/stage/new x)\n" + SHIP,
    ),
    "file(APPEND)": Case(
        "file(APPEND ${CMAKE_BINARY_DIR}/stage/log x)\n" + SHIP,
        then_lists="file(APPEND ${CMAKE_BINARY_DIR}/stage/log x)\n\n" + SHIP,
    ),
    "file(GENERATE)": Case(
        EACH
        + "file(GENERATE OUTPUT stage/${name} INPUT ${CMAKE_SOURCE_DIR}/data/${name})\n"
        + "endforeach()\n"
        + SHIP,
        DATA,
        then={"data/b": None},
    ),
    "execute_process()": Case(
        "execute_process(COMMAND cp -r ${CMAKE_SOURCE_DIR}/data ${CMAKE_BINARY_DIR}/stage)\n"
        "file(GLOB x data/*)\n" + SHIP,
        DATA,
        then={"data/b": None},
    ),
    "a link that CMake makes": Case(
        "file(WRITE ${CMAKE_BINARY_DIR}/stage/x x)\n"
        "file(CREATE_LINK x ${CMAKE_BINARY_DIR}/stage/old SYMBOLIC)\n" + SHIP,
        then_lists="file(WRITE ${CMAKE_BINARY_DIR}/stage/x x)\n"
        "file(CREATE_LINK x ${CMAKE_BINARY_DIR}/stage/new SYMBOLIC)\n" + SHIP,
    ),
    "a command that is removed": Case(
        "add_custom_command(OUTPUT stage/old COMMAND ${CMAKE_COMMAND} -E touch stage/old)\n"
        "add_custom_target(made ALL DEPENDS stage/old)\n" + SHIP,
        then_lists="file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/stage)\n" + SHIP,
    ),
    "a command that copies a directory": Case(
        f"add_custom_command(OUTPUT stamp DEPENDS data/a COMMAND {COPY}"
        " COMMAND ${CMAKE_COMMAND} -E touch stamp)\nadd_custom_target(made ALL DEPENDS stamp)\n"
        + SHIP,
        DATA,
        then=REMOVED,
    ),
    "a command that copies what differs of a directory": Case(
        "add_custom_command(OUTPUT stamp DEPENDS data/a COMMAND ${CMAKE_COMMAND}"
        " -E copy_directory_if_different ${CMAKE_SOURCE_DIR}/data stage"
        " COMMAND ${CMAKE_COMMAND} -E touch stamp)\nadd_custom_target(made ALL DEPENDS stamp)\n"
        + SHIP,
        {**DATA, "data/c": "c\n"},
        then=REMOVED,
    ),
    "a directory as the output of a command": Case(
        f"add_custom_command(OUTPUT stage DEPENDS data/a COMMAND {COPY})\n"
        "add_custom_target(made ALL DEPENDS stage)\n" + SHIP,
        DATA,
        then=REMOVED,
    ),
    "a command after a link": Case(
        f"add_custom_command(TARGET app POST_BUILD COMMAND {COPY})\n" + SHIP, DATA, then=WITH_SOURCE
    ),
    "a target that copies in each build": Case(
        f"add_custom_target(made ALL COMMAND {COPY})\n" + SHIP, DATA, then=WITH_SOURCE
    ),
    "a generator that writes the files of a list": Case(
        f"add_custom_command(OUTPUT stage/words DEPENDS list.txt gen.cmake COMMAND {GENERATE})\n"
        "add_custom_target(made ALL DEPENDS stage/words)\n" + SHIP,
        LISTED,
        then={"list.txt": "two\n"},
    ),
    "a command that is changed beside one that writes undeclared files": Case(
        f"add_custom_command(OUTPUT stage/words DEPENDS list.txt gen.cmake COMMAND {GENERATE})\n"
        "add_custom_target(made ALL DEPENDS stage/words)\n" + SHIP,
        LISTED,
        then_lists=f"add_custom_command(OUTPUT words COMMAND {GENERATE}"
        " COMMAND ${CMAKE_COMMAND} -E rename stage/words words"
        " COMMAND ${CMAKE_COMMAND} -E remove stage/one)\n"
        "add_custom_target(made ALL DEPENDS words)\n" + SHIP,
    ),
    "a script that CMake writes": Case(
        "configure_file(script.in script.cmake)\nadd_custom_command(OUTPUT stage/x"
        " COMMAND ${CMAKE_COMMAND} -P script.cmake)\n"
        "add_custom_target(made ALL DEPENDS stage/x)\n" + SHIP,
        {"script.in": "file(WRITE stage/x one)\n"},
        then={"script.in": "file(WRITE stage/x two)\n"},
    ),
    "a header that is no longer generated": Case(
        "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/made)\n"
        "file(WRITE ${CMAKE_BINARY_DIR}/made/made.h)\n",
        {"a.c": HAS_MADE},
        then_lists="target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/made)\n",
    ),
    "a header that comes to be generated and hides another": Case(
        "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/made first)\n",
        {"a.c": "#include <mark.h>\n", "first/mark.h": marked("one"), "mark.in": marked("two")},
        then_lists="configure_file(mark.in made/mark.h)\n"
        "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/made first)\n",
    ),
    "a header that a command no longer makes": Case(
        "add_custom_command(OUTPUT made.h COMMAND ${CMAKE_COMMAND} -E touch made.h)\n"
        "target_sources(app PRIVATE made.h)\n"
        "target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR})\n",
        {"a.c": HAS_MADE},
        then_lists="target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR})\n",
    ),
    "a header that a command changes": Case(
        UNDECLARED,
        {**INCLUDE, "gen.cmake": HEADERS.replace("mark: ${word}", "mark: one")},
        then={"gen.cmake": HEADERS.replace("mark: ${word}", "mark: two")},
    ),
    "a header that a command comes to write and that hides another": Case(
        UNDECLARED,
        {**INCLUDE, "first/mark.h": marked("one"), "list.txt": "other\n"},
        then={"list.txt": "other\nmark\n"},
    ),
    "a header that a command removes, so that another is found": Case(
        UNDECLARED,
        {
            **INCLUDE,
            "first/mark.h": marked("one"),
            "gen.cmake": f"file(REMOVE_RECURSE made)\n{HEADERS}",
        },
        then={"list.txt": "other\n"},
    ),
    "a header of CMake's that a command overwrites": Case(
        "file(WRITE ${CMAKE_BINARY_DIR}/made/mark.h)\n" + UNDECLARED,
        {**INCLUDE, "gen.cmake": HEADERS.replace("mark: ${word}", "mark: one")},
        then={"gen.cmake": HEADERS.replace("mark: ${word}", "mark: two")},
    ),
    "a header that a command copies with its time": Case(
        UNDECLARED,
        {
            **INCLUDE,
            "one.h": marked("one"),
            "two.h": marked("two"),
            "list.txt": "one.h\n",
            "gen.cmake": COPY_FIRST,
        },
        then={"list.txt": "two.h\n"},
    ),
    "a version script that a command copies with its time": Case(
        UNDECLARED + "target_link_options(app PRIVATE"
        " LINKER:--version-script=${CMAKE_BINARY_DIR}/made/mark.h)\n",
        {
            "one.map": "{ global: *; };\n",
            "two.map": "{ local: *; };\n",
            "list.txt": "one.map\n",
            "gen.cmake": COPY_FIRST,
        },
        then={"list.txt": "two.map\n"},
    ),
    "a header that a command links to": Case(
        UNDECLARED,
        {
            **INCLUDE,
            "one.h": marked("one"),
            "two.h": marked("two"),
            "list.txt": "one.h\n",
            "gen.cmake": COPY_FIRST.replace("cp -p", "ln -sf"),
        },
        then={"list.txt": "two.h\n"},
    ),
    "a header that a command copies from what a changed header is compiled into": Case(
        UNDECLARED + "add_library(inner STATIC b.c)\nadd_dependencies(inner made)\n"
        "target_include_directories(inner PRIVATE ${CMAKE_BINARY_DIR}/made)\n"
        "add_custom_command(OUTPUT public DEPENDS inner COMMAND ${CMAKE_COMMAND} -E copy"
        " made/mark.h made/public.h COMMAND ${CMAKE_COMMAND} -E touch public)\n"
        "add_custom_target(copied DEPENDS public)\nadd_dependencies(app copied)\n",
        {
            "a.c": "#include <public.h>\n",
            "b.c": "#include <mark.h>\n",
            "list.txt": "mark\n",
            "gen.cmake": HEADERS.replace("mark: ${word}", "mark: one"),
        },
        then={"gen.cmake": HEADERS.replace("mark: ${word}", "mark: two")},
    ),
    "a directory that a command copies after a link of what another writes": Case(
        UNDECLARED + "add_custom_command(TARGET app POST_BUILD COMMAND ${CMAKE_COMMAND}"
        " -E copy_directory made ${CMAKE_BINARY_DIR}/stage)\n" + SHIP,
        {"gen.cmake": HEADERS, "list.txt": "one\n"},
        then={"list.txt": "one\ntwo\n"},
    ),
    "a directory that a command copies of what another writes": Case(
        UNDECLARED + "add_custom_command(OUTPUT copied COMMAND ${CMAKE_COMMAND}"
        " -E copy_directory made stage COMMAND ${CMAKE_COMMAND} -E touch copied)\n"
        "add_custom_target(copy ALL DEPENDS copied)\nadd_dependencies(copy made)\n" + SHIP,
        {"gen.cmake": HEADERS, "list.txt": "one\n"},
        then={"list.txt": "one\ntwo\n"},
    ),
    "FetchContent": Case(
        "include(FetchContent)\nFetchContent_Declare(x URL ${CMAKE_SOURCE_DIR}/data)\n"
        "FetchContent_MakeAvailable(x)\n"
        "install(DIRECTORY ${x_SOURCE_DIR}/ DESTINATION share)\n",
        DATA,
        then={"data/b": None, "data/c": "c\n"},
    ),
    "a command that appends": Case(
        "add_custom_command(OUTPUT stage/log DEPENDS data/a"
        " COMMAND ${CMAKE_COMMAND} -E echo x >> stage/log)\n"
        "add_custom_target(made ALL DEPENDS stage/log)\n" + SHIP,
        DATA,
        then={"data/a": "another\n"},
    ),
}
