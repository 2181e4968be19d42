/* qurt_error.h: result codes.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_ERROR_H
#define QURT_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_EOK 0
#define QURT_EVAL 1     /* invalid value of a parameter */
#define QURT_EMEM 2     /* out of memory */
#define QURT_EINVALID 4 /* invalid argument or key */
#define QURT_EFAILED 12
#define QURT_ENOTALLOWED 13
#define QURT_ETLSAVAIL 23 /* no free TLS key */
#define QURT_ETLSENTRY 24 /* the TLS key is already free */
#define QURT_ENOTHREAD 30 /* the thread does not exist or has ended */
#define QURT_EALIGN 32
#define QURT_ECANCEL 37
#define QURT_ERMUTEXUNLOCKNONHOLDER 39
#define QURT_EMUTEXUNLOCKNONHOLDER 41
#define QURT_ETIMEDOUT 47
#define QURT_ENOTSUPPORTED 55
#define QURT_ENORESOURCE 56
#define QURT_EFATAL (-1)

#ifdef __cplusplus
}
#endif

#endif
