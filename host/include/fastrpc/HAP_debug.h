/* HAP_debug.h: the logging functions of the DSP shell, which the FARF macros call.
 *
 * The levels, weak references and names are those of quic/fastrpc, inc/HAP_debug.h. Use these
 * functions through FARF (HAP_farf.h). */
#ifndef HAP_DEBUG_H
#define HAP_DEBUG_H

#include <stdarg.h>
#include <stdio.h>

#include "AEEStdDef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Messages are truncated to this many bytes, including the terminator. */
#define MAX_FARF_LEN 256

#define HAP_LEVEL_LOW 0
#define HAP_LEVEL_MEDIUM 1
#define HAP_LEVEL_HIGH 2
#define HAP_LEVEL_ERROR 3
#define HAP_LEVEL_FATAL 4
#define HAP_LEVEL_CRITICAL 5

#define HAP_LEVEL_RPC_LOW 16
#define HAP_LEVEL_RPC_MEDIUM 17
#define HAP_LEVEL_RPC_HIGH 18
#define HAP_LEVEL_RPC_ERROR 19
#define HAP_LEVEL_RPC_FATAL 20
#define HAP_LEVEL_RPC_CRITICAL 21

/* A bit that is combined with a level: the message is shown only if the process has enabled its
 * level at run time. */
#define HAP_LEVEL_RUNTIME (1 << 5)

/* Weak, so that an object that logs can be loaded even if a function is missing. */
void HAP_debug(const char *msg, int level, const char *filename, int line) __attribute__((weak));
void HAP_debug_v2(int level, const char *file, int line, const char *format, ...)
    __attribute__((weak, format(printf, 4, 5)));
void HAP_debug_runtime(int level, const char *file, int line, const char *format, ...)
    __attribute__((weak, format(printf, 4, 5)));

#ifdef __hexagon__
/* Sets the run-time levels that are shown: bit n of `mask` is for level n. With `files`, only
 * messages of these source files (base names) are shown. Returns 0. Only DSP shells have it:
 * libcdsprpc does not export it (quic/fastrpc, src/symbols.lst). */
int HAP_setFARFRuntimeLoggingParams(unsigned int mask, const char *files[],
                                    unsigned short numberOfFiles);
#endif

#if defined(__linux__) && defined(__hexagon__)
/* The Linux variant of the Hexagon ABI passes unnamed arguments in r4 and r5 before it uses the
 * stack. QuRT, and therefore every DSP shell, expects all of them on the stack. Two named words
 * that fill r4 and r5 make a call that is valid for both. */
void buildtool_HAP_debug_v2(int level, const char *file, int line, const char *format, int r4,
                            int r5, ...) __asm__("HAP_debug_v2")
    __attribute__((weak, format(printf, 4, 7)));
void buildtool_HAP_debug_runtime(int level, const char *file, int line, const char *format, int r4,
                                 int r5, ...) __asm__("HAP_debug_runtime")
    __attribute__((weak, format(printf, 4, 7)));
#define _HAP_DEBUG_V2(level, file, line, format, ...)                      \
    buildtool_HAP_debug_v2(level, file, line, format, 0, 0, ##__VA_ARGS__)
#define _HAP_DEBUG_RUNTIME(level, file, line, format, ...)                      \
    buildtool_HAP_debug_runtime(level, file, line, format, 0, 0, ##__VA_ARGS__)
#else
#define _HAP_DEBUG_V2 HAP_debug_v2
#define _HAP_DEBUG_RUNTIME HAP_debug_runtime
#endif

#ifdef __cplusplus
}
#endif

#endif
