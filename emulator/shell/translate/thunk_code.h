/* thunk_code.h: code that all thunks use. */
#ifndef BUILDTOOL_SHELL_THUNK_CODE_H
#define BUILDTOOL_SHELL_THUNK_CODE_H

#include "code.h"
#include "thunk_plan.h"

static inline uint32_t address_of(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

/* Save the registers that a C function may change, all but the vectors, and load them again. What the
 * functions below write belongs between these two. */
void put_enter(struct code *code);
void put_leave(struct code *code);

/* Stores a vector at a place of the area. */
void put_store(struct code *code, unsigned vector, unsigned place);

/* Saves a vector at a place, and loads one from a place. */
void put_save(struct code *code, const struct thunk *thunk, unsigned vector, unsigned place);
void put_load(struct code *code, const struct thunk *thunk, unsigned vector, unsigned place);

/* Sets a scalar register to the address of extension bits: those of a vector, or another place. */
void put_extension_address(struct code *code, unsigned to, unsigned number);

/* Loads a scalar register of the program, whose value can be in the area, to one below r16. */
void put_scalar(struct code *code, unsigned to, unsigned number);

#endif
