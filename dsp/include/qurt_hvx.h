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

#define QURT_HVX_RESERVE_ALL 4
#define QURT_HVX_RESERVE_ALL_AVAILABLE 0xff

#define QURT_HVX_RESERVE_NOT_SUPPORTED (-1)
#define QURT_HVX_RESERVE_NOT_SUCCESSFUL (-2)
#define QURT_HVX_RESERVE_ALREADY_MADE (-3)
#define QURT_HVX_RESERVE_CANCEL_ERR (-4)

/* Reserves units, counted as units of 64 bytes, for the process. Returns their number, or an error
 * code above. */
int qurt_hvx_reserve(int num_units);
int qurt_hvx_cancel_reserve(void);

/* Returns whether the calling thread has locked a unit, or -1 without HVX. */
int qurt_hvx_get_lock_val(void);

#ifdef __cplusplus
}
#endif

#endif
