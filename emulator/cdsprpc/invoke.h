/* invoke.h: calls of methods. */
#ifndef BUILDTOOL_CDSPRPC_INVOKE_H
#define BUILDTOOL_CDSPRPC_INVOKE_H

#include "handles.h"
#include "remote.h"

/* Makes a call. `sent` may be NULL; otherwise it is called with `context` when the arguments have been
 * sent, but not after an earlier error. */
int invoke(struct opened *handle, uint32_t scalars, remote_arg *arguments, void (*sent)(void *),
           void *context);

#endif
