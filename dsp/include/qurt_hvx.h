/* qurt_hvx.h: the vector units.
 *
 * Interface (names, signatures, layout) as documented for QuRT in the Hexagon SDK. */
#ifndef QURT_HVX_H
#define QURT_HVX_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { QURT_HVX_MODE_64B = 0, QURT_HVX_MODE_128B = 1 } qurt_hvx_mode_t;

/* Bits 15-8: units of 128 bytes; bits 7-0: units of 64 bytes. */
int qurt_hvx_get_units(void);

/* Take a unit for the calling thread, waiting for one. */
int qurt_hvx_lock(qurt_hvx_mode_t lock_mode);
int qurt_hvx_try_lock(qurt_hvx_mode_t lock_mode);
int qurt_hvx_unlock(void);

/* QURT_HVX_MODE_128B or _64B, -1 without HVX. */
int qurt_hvx_get_mode(void);

#ifdef __cplusplus
}
#endif

#endif
