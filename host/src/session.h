/* A session of htp_ops on the DSP: what libhtp_ops.so adds to the generated stub. */
#ifndef SESSION_H
#define SESSION_H

#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

struct htp_session {
    remote_handle64 handle; /* for the htp_ops_ functions of htp_ops.h */
    const char *failed_at;  /* after a failed open: what was being done */
};

/*
 * Loads libhtp_ops_skel.so on the compute DSP, in an unsigned process, and opens it.
 * Returns 0, or a FastRPC code that fastrpc_error.h explains.
 */
int htp_session_open(struct htp_session *session);

/* Closes what htp_session_open opened; returns 0 or a FastRPC code. */
int htp_session_close(struct htp_session *session);

#ifdef __cplusplus
}
#endif

#endif
