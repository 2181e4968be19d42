/* What a FastRPC code means to a person. */
#ifndef FASTRPC_ERROR_H
#define FASTRPC_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

struct fastrpc_error {
    const char *name;  /* as AEEStdErr.h has it */
    const char *cause; /* what it is in practice, in one line */
};

/*
 * Looks up a code as a stub returns it, from the DSP (0x80000400 + x) or from this
 * side (x).  Never NULL; codes that it does not know are named "unknown".
 */
const struct fastrpc_error *fastrpc_error(int code);

#ifdef __cplusplus
}
#endif

#endif
