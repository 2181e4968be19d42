/* HAP_farf.h: FARF(LEVEL, "format", ...), which prints to the DSP's log.
 *
 * A message is compiled in if FARF_<LEVEL> is 1 when this header is included. By default, ALWAYS,
 * ERROR and FATAL are 1, and LOW, MEDIUM, HIGH and CRITICAL are 0 (HIGH is 1 with _DEBUG).
 * FARF(RUNTIME_<LEVEL>, ...) is always compiled in. It is shown if the process on the DSP has
 * enabled the level with HAP_setFARFRuntimeLoggingParams, which only the DSP's side has.
 *
 * The behavior is that of quic/fastrpc, inc/HAP_farf.h. */
#ifndef HAP_FARF_H
#define HAP_FARF_H

#include "HAP_debug.h"

#ifndef FARF_ALWAYS
#define FARF_ALWAYS 1
#endif
#ifndef FARF_LOW
#define FARF_LOW 0
#endif
#ifndef FARF_MEDIUM
#define FARF_MEDIUM 0
#endif
#ifndef FARF_HIGH
#ifdef _DEBUG
#define FARF_HIGH 1
#else
#define FARF_HIGH 0
#endif
#endif
#ifndef FARF_ERROR
#define FARF_ERROR 1
#endif
#ifndef FARF_FATAL
#define FARF_FATAL 1
#endif
#ifndef FARF_CRITICAL
#define FARF_CRITICAL 0
#endif

#ifndef FARF_RUNTIME_LOW
#define FARF_RUNTIME_LOW 1
#endif
#ifndef FARF_RUNTIME_MEDIUM
#define FARF_RUNTIME_MEDIUM 1
#endif
#ifndef FARF_RUNTIME_HIGH
#define FARF_RUNTIME_HIGH 1
#endif
#ifndef FARF_RUNTIME_ERROR
#define FARF_RUNTIME_ERROR 1
#endif
#ifndef FARF_RUNTIME_FATAL
#define FARF_RUNTIME_FATAL 1
#endif
#ifndef FARF_RUNTIME_RPC_LOW
#define FARF_RUNTIME_RPC_LOW 1
#endif
#ifndef FARF_RUNTIME_RPC_MEDIUM
#define FARF_RUNTIME_RPC_MEDIUM 1
#endif
#ifndef FARF_RUNTIME_RPC_HIGH
#define FARF_RUNTIME_RPC_HIGH 1
#endif
#ifndef FARF_RUNTIME_RPC_ERROR
#define FARF_RUNTIME_RPC_ERROR 1
#endif
#ifndef FARF_RUNTIME_RPC_FATAL
#define FARF_RUNTIME_RPC_FATAL 1
#endif
#ifndef FARF_RUNTIME_RPC_CRITICAL
#define FARF_RUNTIME_RPC_CRITICAL 1
#endif

#define FARF_ALWAYS_LEVEL HAP_LEVEL_HIGH
#define FARF_LOW_LEVEL HAP_LEVEL_LOW
#define FARF_MEDIUM_LEVEL HAP_LEVEL_MEDIUM
#define FARF_HIGH_LEVEL HAP_LEVEL_HIGH
#define FARF_ERROR_LEVEL HAP_LEVEL_ERROR
#define FARF_FATAL_LEVEL HAP_LEVEL_FATAL
#define FARF_CRITICAL_LEVEL HAP_LEVEL_CRITICAL
#define FARF_RUNTIME_LOW_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_LOW)
#define FARF_RUNTIME_MEDIUM_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_MEDIUM)
#define FARF_RUNTIME_HIGH_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_HIGH)
#define FARF_RUNTIME_ERROR_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_ERROR)
#define FARF_RUNTIME_FATAL_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_FATAL)
#define FARF_RUNTIME_RPC_LOW_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_RPC_LOW)
#define FARF_RUNTIME_RPC_MEDIUM_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_RPC_MEDIUM)
#define FARF_RUNTIME_RPC_HIGH_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_RPC_HIGH)
#define FARF_RUNTIME_RPC_ERROR_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_RPC_ERROR)
#define FARF_RUNTIME_RPC_FATAL_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_RPC_FATAL)
#define FARF_RUNTIME_RPC_CRITICAL_LEVEL (HAP_LEVEL_RUNTIME | HAP_LEVEL_RPC_CRITICAL)

#ifndef __FILENAME__
#define __FILENAME__ __FILE__
#endif

/* FARF_<level> expands to 0 or 1, which selects the macro. */
#define FARF(x, ...) _FARF_PASTE(_FARF_, _FARF_VAL(FARF_##x))(x, ##__VA_ARGS__)
#define _FARF_PASTE(a, b) _FARF_PASTE_(a, b)
#define _FARF_PASTE_(a, b) a##b
#define _FARF_VAL(a) a

#define _FARF_0(x, ...)
#define _FARF_1(x, ...)                                                                   \
    do {                                                                                  \
        if (FARF_##x##_LEVEL & HAP_LEVEL_RUNTIME) {                                       \
            if (HAP_debug_runtime) {                                                      \
                _HAP_DEBUG_RUNTIME((FARF_##x##_LEVEL) & ~HAP_LEVEL_RUNTIME, __FILENAME__, \
                                   __LINE__, __VA_ARGS__);                                \
            }                                                                             \
        } else if (HAP_debug_v2) {                                                        \
            _HAP_DEBUG_V2(FARF_##x##_LEVEL, __FILENAME__, __LINE__, __VA_ARGS__);         \
        }                                                                                 \
    } while (0)

#endif
