/* HAP_pls.h: data of the DSP process, found by a type and a key.
 *
 * The interface is that documented for the Hexagon SDK. */
#ifndef HAP_PLS_H
#define HAP_PLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `type` is usually the address of a function of the skel. The constructor gets `ctx` and zeroed
 * memory of `size` bytes. The destructor runs when the client's process has ended. Each function
 * returns 0 or an error code, and stores the address of the data in *ppo. */

/* Adds data, which hides data that was added before. */
int HAP_pls_add(uintptr_t type, uintptr_t key, int size, int (*ctor)(void *ctx, void *data),
                void *ctx, void (*dtor)(void *data), void **ppo);

/* Returns the data that exists, or adds it. */
int HAP_pls_add_lookup(uintptr_t type, uintptr_t key, int size, int (*ctor)(void *ctx, void *data),
                       void *ctx, void (*dtor)(void *data), void **ppo);

/* Finds the data that was added last. */
int HAP_pls_lookup(uintptr_t type, uintptr_t key, void **ppo);

#ifdef __cplusplus
}
#endif

#endif
