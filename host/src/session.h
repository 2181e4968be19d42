/* A session of htp_ops on the DSP. libhtp_ops.so contains these functions and the generated
 * stub. */
#ifndef SESSION_H
#define SESSION_H

#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

struct htp_session {
    remote_handle64 handle; /* for the htp_ops_ functions of htp_ops.h */
    const char *failed_at;  /* after a failed open: the operation that failed */
};

/*
 * Loads libhtp_ops_skel.so into an unsigned process on the compute DSP, and opens it.
 * Returns 0 or a FastRPC code, which fastrpc_error() describes.
 */
int htp_session_open(struct htp_session *session);

/* Closes a session. Returns 0 or a FastRPC code. */
int htp_session_close(struct htp_session *session);

#ifdef __cplusplus
}
#endif

#endif
