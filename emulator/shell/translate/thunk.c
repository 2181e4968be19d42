/* thunk.c: writes thunks, each of which stands for a packet with an instruction that is replaced.
 *
 * A thunk calls functions that compute what these instructions compute. Then it executes the packet
 * with the vector instructions replaced in place by moves of a register to itself: so loop ends, parse
 * bits and the distances to new values stay as they are. */
#include "thunk.h"

#include <string.h>

#include "../../hmx/forms.h"
#include "thunk_code.h"
#include "thunk_vectors.h"

/* Stores another vector in place of a new value. Bit 5 says of a store with a predicate when it does. */
static uint32_t plain_store(uint32_t word, unsigned vector)
{
    const bool predicate = (word >> 23 & 1u) != 0;
    return (word & ~0xffu) | (predicate ? word & 0x20u : 0) | vector;
}

/* Calls call_hmx for the instructions of HMX: a packet has two at most. */
static void put_hmx(struct code *code, const struct thunk *thunk)
{
    uint32_t forms[2] = {HMX_NO_FORM, HMX_NO_FORM};
    size_t count = 0;
    for (size_t i = 0; i < thunk->size && count < 2; i++) {
        const uint32_t word = thunk->packet[i];
        if (!is_hmx(thunk->calls[i])) {
            continue;
        }
        if (count == 0) {
            put_enter(code);
        }
        put_scalar(code, (unsigned)count * 2, word >> 16 & 31u);
        put_scalar(code, (unsigned)count * 2 + 1, word >> 8 & 31u);
        forms[count++] = hmx_form_of(word);
    }
    if (count > 0) {
        code_constant(code, 4, forms[0] | forms[1] << 16);
        code_call(code, address_of((const void *)(uintptr_t)call_hmx));
        put_leave(code);
    }
}

/* A round of a loop that waits; see counts_wait_begin. */
static void put_wait(struct code *code, uint32_t packet, bool looks_first)
{
    put_enter(code);
    code_constant(code, 0, packet);
    code_constant(code, 1, looks_first);
    code_call(code, address_of((const void *)(uintptr_t)call_wait));
    put_leave(code);
}

static void put_calls(struct code *code, const struct thunk *thunk, uint32_t from)
{
    put_hmx(code, thunk);
    for (size_t i = 0; i < thunk->size; i++) {
        const struct call *call = thunk->calls[i];
        if (call == NULL || is_hmx(call)) {
            continue;
        }
        if (call->function == call_wait) {
            put_wait(code, from, true);
            continue;
        }
        put_enter(code);
        for (unsigned n = 0; n < call->operands; n++) {
            put_scalar(code, n, thunk->packet[i] >> (16 - 8 * n) & 31u);
        }
        code_call(code, address_of((const void *)(uintptr_t)call->function));
        put_leave(code);
    }
}

bool thunk_replaces(uint32_t word)
{
    return form_is_replaced(word) || call_of(word) != NULL;
}

void thunk_write_wait(struct code *code, uint32_t from)
{
    put_wait(code, from, false);
}

void thunk_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                 uint32_t live, const struct memory_use *use)
{
    struct thunk thunk = {.packet = packet, .size = size, .store = size, .use = *use};
    thunk_collect(&thunk);
    code->problem = thunk_stops(&thunk);
    if (code->problem != NULL) {
        return;
    }
    put_calls(code, &thunk, from);
    put_vectors(code, &thunk, live);
    uint32_t rest[PACKET_WORDS_MAX];
    memcpy(rest, packet, size * sizeof *rest);
    for (size_t i = 0; i < thunk.count; i++) {
        rest[thunk.instructions[i].at] = vector_replacement(&thunk.instructions[i]);
    }
    for (size_t i = 0; i < size; i++) {
        const struct call *call = thunk.calls[i];
        if (call != NULL) {
            rest[i] = call->replacement | (packet[i] & (call->target | PARSE));
        }
    }
    if (thunk.store < size) {
        rest[thunk.store] = plain_store(packet[thunk.store], thunk.stored);
    }
    code_packet(code, rest, size, from, thunk.delayed ? put_delayed : NULL, &thunk);
}

/* It ends with a jump, because qemu translates what follows. */
__asm__(".text\n.p2align 2\nthunk_stop:\n{ r28 = #0 }\n{ r28 = memw(r28+#0)\n jumpr r31 }\n");
extern const uint32_t thunk_stop[3];

void thunk_write_stop(struct code *code)
{
    code->used = 0;
    code->problem = NULL;
    for (size_t i = 0; i < 3; i++) {
        code_put(code, thunk_stop[i]);
    }
}
