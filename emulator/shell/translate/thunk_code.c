/* thunk_code.c: writes code that all thunks use.
 *
 * Vectors are saved through scalar registers, which takes a tenth of the time of a vector store. */
#include "thunk_code.h"

#define BASE 16u /* the register that points to the area */

/* { call thunk_enter; r29 = add(r29,#-16); memd(r29+#-16) = r31:30 } */
void put_enter(struct code *code)
{
    code_call(code, address_of((const void *)(uintptr_t)thunk_enter));
    code->words[code->used - 1] = (code->words[code->used - 1] & ~PARSE) | 0x4000u;
    code_put(code, 0xbffd7e1du);
    code_put(code, 0xa7ddfefeu);
}

/* { call thunk_leave } { r29 = add(r29,#16); r31:30 = memd(r29+#0) } */
void put_leave(struct code *code)
{
    code_call(code, address_of((const void *)(uintptr_t)thunk_leave));
    code_put(code, 0xb01d421du);
    code_put(code, 0x91ddc01eu);
}

void put_store(struct code *code, unsigned vector, unsigned place)
{
    code_add(code, 0, BASE, (uint32_t)(((int)place - AREA_BASE_VECTOR) * 128));
    if (vector < WINDOW) {
        code_call(code, address_of((const void *)(uintptr_t)thunk_saves[vector]));
    } else {
        code_put(code, 0x28200000u | PARSE_END | vector); /* vmem(r0+#0) */
    }
}

void put_save(struct code *code, const struct thunk *thunk, unsigned vector, unsigned place)
{
    if (thunk->places[place] != AREA) {
        code_move_vector(code, thunk->places[place], vector);
        return;
    }
    put_store(code, vector, place);
}

void put_load(struct code *code, const struct thunk *thunk, unsigned vector, unsigned place)
{
    const int distance = (int)place - AREA_BASE_VECTOR;
    if (thunk->places[place] != AREA) {
        code_move_vector(code, vector, thunk->places[place]);
    } else if (distance < 8) {
        code_load_vector(code, vector, BASE, distance);
    } else {
        code_add(code, 0, BASE, (uint32_t)(distance * 128));
        code_load_vector(code, vector, 0, 0);
    }
}

void put_extension_address(struct code *code, unsigned to, unsigned number)
{
    code_add(code, to, BASE, AREA_EXTENSIONS - AREA_BASE_VECTOR * 128 + number * 128);
}

void put_scalar(struct code *code, unsigned to, unsigned number)
{
    if (number <= 17 || number == 28) {
        const uint32_t at = number == 28 ? 18 : number;
        code_load_scalar(code, to, BASE, AREA_REGISTERS - AREA_BASE_VECTOR * 128 + at * 4);
    } else if (number == 31) {
        code_load_scalar(code, to, 29, 4);
    } else {
        code_add(code, to, number, number == 29 ? 16 : 0);
    }
}
