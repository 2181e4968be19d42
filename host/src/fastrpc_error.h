/* Descriptions of FastRPC codes for users. */
#ifndef FASTRPC_ERROR_H
#define FASTRPC_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

struct fastrpc_error {
    const char *name;  /* the name in AEEStdErr.h */
    const char *cause; /* the usual cause, in one line */
};

/*
 * Looks up a code that a stub returned, from the DSP (0x80000400 + x) or from the ARM
 * side (x).  Never returns NULL.  The name of an unlisted code is "unknown".
 */
const struct fastrpc_error *fastrpc_error(int code);

#ifdef __cplusplus
}
#endif

#endif
