/* Opens and closes a session of htp_ops on the compute DSP. */
#include "session.h"

#include "htp_ops.h"

int htp_session_open(struct htp_session *session)
{
    struct remote_rpc_control_unsigned_module unsigned_module = {
        .domain = CDSP_DOMAIN_ID,
        .enable = 1,
    };
    int code;

    session->handle = 0;
    /* This must precede the first open on a domain, which creates the process. */
    session->failed_at = "requesting an unsigned process on the CDSP";
    code = remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_module,
                                  sizeof unsigned_module);
    if (code != 0)
        return code;

    session->failed_at = "opening libhtp_ops_skel.so on the CDSP";
    code = htp_ops_open(htp_ops_URI CDSP_DOMAIN, &session->handle);
    if (code == 0)
        session->failed_at = NULL;
    return code;
}

int htp_session_close(struct htp_session *session)
{
    const int code = htp_ops_close(session->handle);

    session->handle = 0;
    return code;
}
