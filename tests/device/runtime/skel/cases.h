/* cases.h: a skel with a list of named cases, each of which is a function with checks.
 *
 * Method 2: in buffer 0 is the name of a case, in buffer 1 four ints; out buffer 0 is eight
 * ints. CHECK logs a failure and makes the case return its line number. */
#ifndef CASES_H
#define CASES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FARF_HIGH 1
#include "AEEStdErr.h"
#include "HAP_farf.h"
#include "remote.h"

#define CHECK(condition)                           \
    do {                                           \
        if (!(condition)) {                        \
            FARF(ERROR, "not so: %s", #condition); \
            return __LINE__;                       \
        }                                          \
    } while (0)

#define EQUAL(is, wanted)                                                         \
    do {                                                                          \
        long long is_ = (long long)(is), wanted_ = (long long)(wanted);           \
        if (is_ != wanted_) {                                                     \
            FARF(ERROR, "%s is %lld (0x%llx), not %lld", #is, is_, is_, wanted_); \
            return __LINE__;                                                      \
        }                                                                         \
    } while (0)

typedef int (*case_function)(const int32_t in[4], int32_t out[8]);

struct named_case {
    const char *name;
    case_function function;
};

extern const struct named_case cases[];
#define CASE(name) {#name, name}

static int run_case(remote_arg *pra)
{
    for (const struct named_case *at = cases; at->name != NULL; at++) {
        if (strcmp(at->name, pra[0].buf.pv) == 0) {
            return at->function(pra[1].buf.pv, pra[2].buf.pv);
        }
    }
    return AEE_EUNSUPPORTED;
}

__attribute__((visibility("default"))) int cases_skel_handle_invoke(remote_handle64 h, uint32_t sc,
                                                                    remote_arg *pra);

int cases_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra)
{
    (void)h;
    switch (REMOTE_SCALARS_METHOD(sc)) {
    case 0:
        pra[2].h64 = 1;
        return 0;
    case 1:
        return 0;
    case 2:
        return sc == REMOTE_SCALARS_MAKE(2, 2, 1) && pra[1].buf.nLen == 16 && pra[2].buf.nLen == 32
                   ? run_case(pra)
                   : AEE_EBADPARM;
    default:
        return AEE_EUNSUPPORTED;
    }
}

#endif
