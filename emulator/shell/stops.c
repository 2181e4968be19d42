/* stops.c: replaces packets that qemu does not execute by jumps to code that faults. */
#include "stops.h"

#include <string.h>
#include <sys/mman.h>

#include "code_scan.h"
#include "counter_packet.h"

#define PARSE 0xc000u /* 0: a pair of short instructions, which are none of these */

static const struct form {
    uint32_t mask, bits;
    const char *instruction;
} forms[] = {
#include "untranslated_forms.inc"
};

#define STOP_WORDS 3

struct stop {
    uint32_t code[STOP_WORDS];
    uint32_t origin;
    uint32_t form;
};

/* It ends with a jump, because qemu translates what follows. */
__asm__(".text\n.p2align 2\nstops_code:\n{ r28 = #0 }\n{ r28 = memw(r28+#0)\n jumpr r31 }\n");
extern const uint32_t stops_code[STOP_WORDS];

static const struct form *form_of(uint32_t word)
{
    static bool known, starts[256];
    if (!known) { /* threads that do this at the same time write the same */
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            starts[forms[i].bits >> 24] = true;
        }
        known = true;
    }
    if (!starts[word >> 24] || (word & PARSE) == 0) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if ((word & forms[i].mask) == forms[i].bits) {
            return &forms[i];
        }
    }
    return NULL;
}

bool stops_word(uint32_t word)
{
    return form_of(word) != NULL;
}

size_t stops_room(const struct image *image)
{
    return code_room(image, CODE_FUNCTIONS, stops_word, sizeof(struct stop));
}

struct patching {
    const struct link_memory *memory;
    struct stop *next;
    uint32_t last; /* the packet that was changed last: it can have several such instructions */
};

static void patch_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    struct patching *patching = context;
    uint8_t *packet = patching->memory->base + address;
    const uint32_t from = (uint32_t)(uintptr_t)packet;
    uint32_t jump;
    (void)size;
    if (from == patching->last || !packet_jump(from, (uint32_t)(uintptr_t)patching->next, &jump)) {
        return; /* one that is too far away ends qemu, as all would */
    }
    patching->last = from;
    struct stop *stop = patching->next++;
    memcpy(stop->code, stops_code, sizeof stop->code);
    stop->origin = from;
    stop->form = (uint32_t)(form_of(word) - forms);
    memcpy(packet, &jump, sizeof jump);
}

void stops_patch(const struct image *image, const struct link_memory *memory)
{
    struct patching patching = {.memory = memory, .next = (struct stop *)(void *)memory->stops};
    if (memory->stops_size > 0) {
        code_scan(image, CODE_FUNCTIONS, stops_word, patch_packet, &patching);
        mprotect(memory->stops, memory->stops_size, PROT_READ | PROT_EXEC);
    }
}

uintptr_t stops_origin(const struct link_memory *memory, uintptr_t address,
                       const char **instruction)
{
    const uintptr_t distance = address - (uintptr_t)memory->stops;
    if (distance >= memory->stops_size) {
        return address;
    }
    const struct stop *stops = (const struct stop *)(const void *)memory->stops;
    const struct stop *stop = &stops[distance / sizeof *stops];
    *instruction = forms[stop->form].instruction;
    return stop->origin;
}
