/* qurt_hvx.h: the vector units.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_HVX_H
#define QURT_HVX_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { QURT_HVX_MODE_64B = 0, QURT_HVX_MODE_128B = 1 } qurt_hvx_mode_t;

/* Returns the number of 128-byte units in bits 15-8 and of 64-byte units in bits 7-0. */
int qurt_hvx_get_units(void);

/* Waits for a free unit and locks it for the calling thread. */
int qurt_hvx_lock(qurt_hvx_mode_t lock_mode);
int qurt_hvx_try_lock(qurt_hvx_mode_t lock_mode);
int qurt_hvx_unlock(void);

/* Returns QURT_HVX_MODE_128B or QURT_HVX_MODE_64B, or -1 without HVX. */
int qurt_hvx_get_mode(void);

#ifdef __cplusplus
}
#endif

#endif
