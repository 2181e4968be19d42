/* What the wire tests' programs share: guarded memory, counted allocations, hex. */
#ifndef RIG_H
#define RIG_H

#include <stddef.h>
#include <stdint.h>

/* size bytes that end where a page without access begins: one byte too far is a crash. */
void *rig_guarded(size_t size);
/* Forget all guarded memory. */
void rig_reset(void);

/* In place of calloc and free in generated code. */
void *rig_calloc(size_t count, size_t size);
void rig_free(void *memory);
/* Let the allocation after the next `good` ones fail; -1: none. */
void rig_fail_after(int good);
/* Blocks that were not freed. */
int rig_leaked(void);

/* "name=" and the bytes in hex; a dash for none. */
void rig_show(const char *name, const void *data, size_t size);

#endif
