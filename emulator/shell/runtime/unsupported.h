/* unsupported.h: functions that the emulated device cannot do, and that answer with an error. */
#ifndef BUILDTOOL_RUNTIME_UNSUPPORTED_H
#define BUILDTOOL_RUNTIME_UNSUPPORTED_H

#include "runtime.h"

/* Defines a function, which takes any arguments, that logs once that it is not emulated, and
 * returns `code`. */
#define UNSUPPORTED(name, code, reason)                                                    \
    static int unsupported_##name(void)                                                    \
    {                                                                                      \
        REFUSE_ONCE(#name ": " reason " is not emulated: returns 0x%x", (unsigned)(code)); \
        return (int)(code);                                                                \
    }

/* The row of a symbol table for that function. The other arguments are ignored, so that one list can
 * define the functions and export them. */
#define EXPORT_UNSUPPORTED(name, code, reason) {#name, (void *)unsupported_##name},

#endif
