/* message.h: messages between a part of libcdsprpc and its counterpart in the DSP shell.
 *
 * emulator/shell/shell.h has the DSP's functions. */
#ifndef BUILDTOOL_CDSPRPC_MESSAGE_H
#define BUILDTOOL_CDSPRPC_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* Calls the topic's handler on the DSP and waits for it. domain is a domain id, an effective domain
 * id, or -1 for the library's own domain. Starts the domain's DSP process when there is none. fd is
 * -1 or a descriptor to attach, which stays open. *out_size is the size of `out` on entry and of
 * the answer on return; both pointers may be NULL. Returns the handler's code, or the DSP side's
 * AEE_EBADSTATE when the DSP process died. */
int message_downcall(int domain, enum wire_topic topic, const void *in, size_t in_size, int fd,
                     void *out, size_t *out_size);

/* Shares the buffer with that descriptor with the domain's DSP process, as a call with that buffer
 * does. */
int message_share_fd(int domain, int fd);

#endif
