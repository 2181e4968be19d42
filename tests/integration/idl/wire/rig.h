/* Shared by the wire tests' programs: guarded memory, counted allocations, hex. */
#ifndef RIG_H
#define RIG_H

#include <stddef.h>
#include <stdint.h>

/* size bytes that end at a page without access: an access one byte too far crashes. */
void *rig_guarded(size_t size);
/* Free all guarded memory. */
void rig_reset(void);

/* Replacements of calloc and free in generated code. */
void *rig_calloc(size_t count, size_t size);
void rig_free(void *memory);
/* Make the allocation after the next `good` ones fail; -1: none. */
void rig_fail_after(int good);
/* The number of blocks that were not freed. */
int rig_leaked(void);

/* Print "name=" and the bytes in hex; a dash for none. */
void rig_show(const char *name, const void *data, size_t size);

#endif
