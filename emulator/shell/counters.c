/* counters.c: finds the packets that read the DSP's counters, and makes their trampolines. */
#include "counters.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "code_scan.h"
#include "counter_packet.h"
#include "runtime/runtime.h"

#define ORIGIN_WORDS 1u /* the address of the packet, at the end */
#define TRAMPOLINE_BYTES 64u

_Static_assert((ORIGIN_WORDS + PROLOGUE_WORDS + MOVED_WORDS_MAX) * 4 <= TRAMPOLINE_BYTES,
               "a trampoline holds its parts");

/* ---- what a trampoline calls ---- */

void counters_load_utimer(void);
void counters_load_upcycle(void);

/* Writes the value of a C function to c19:18 and changes no other register, except those that the
 * trampoline saves. Functions save r16 to r27 themselves, and the shell uses no HVX registers. */
#define LOADER(name, function)                                     \
    __asm__(".text\n"                                              \
            ".p2align 4\n" name ":\n"                              \
            "{ allocframe(r29, #120):raw }\n"                      \
            "{ memd(r29+#0) = r1:0; memd(r29+#8) = r3:2 }\n"       \
            "{ memd(r29+#16) = r5:4; memd(r29+#24) = r7:6 }\n"     \
            "{ memd(r29+#32) = r9:8; memd(r29+#40) = r11:10 }\n"   \
            "{ memd(r29+#48) = r13:12; memd(r29+#56) = r15:14 }\n" \
            "{ r1:0 = c1:0 }\n"                                    \
            "{ r3:2 = c3:2 }\n"                                    \
            "{ r5:4 = c7:6 }\n"                                    \
            "{ r6 = c8 }\n"                                        \
            "{ r7 = c4 }\n"                                        \
            "{ memd(r29+#64) = r1:0; memd(r29+#72) = r3:2 }\n"     \
            "{ memd(r29+#80) = r5:4; memd(r29+#88) = r7:6 }\n"     \
            "{ memw(r29+#96) = r28 }\n"                            \
            "{ call " function " }\n"                              \
            "{ c19:18 = r1:0 }\n"                                  \
            "{ r1:0 = memd(r29+#64); r3:2 = memd(r29+#72) }\n"     \
            "{ r5:4 = memd(r29+#80); r7:6 = memd(r29+#88) }\n"     \
            "{ c1:0 = r1:0 }\n"                                    \
            "{ c3:2 = r3:2 }\n"                                    \
            "{ c7:6 = r5:4 }\n"                                    \
            "{ c8 = r6 }\n"                                        \
            "{ c4 = r7 }\n"                                        \
            "{ r28 = memw(r29+#96) }\n"                            \
            "{ r1:0 = memd(r29+#0); r3:2 = memd(r29+#8) }\n"       \
            "{ r5:4 = memd(r29+#16); r7:6 = memd(r29+#24) }\n"     \
            "{ r9:8 = memd(r29+#32); r11:10 = memd(r29+#40) }\n"   \
            "{ r13:12 = memd(r29+#48); r15:14 = memd(r29+#56) }\n" \
            "{ dealloc_return }\n")

LOADER("counters_load_utimer", "clock_ticks");
LOADER("counters_load_upcycle", "clock_cycles");

/* ---- finding the packets ---- */

static bool reads_counter(uint32_t word)
{
    return counter_read(word) != COUNTER_NONE;
}

size_t counters_room(const struct image *image)
{
    return code_room(image, NULL, reads_counter, TRAMPOLINE_BYTES);
}

/* ---- trampolines ---- */

struct patching {
    const struct link_memory *memory;
    uint8_t *place; /* of the next trampoline */
    unsigned kept;  /* packets that are not changed */
    char names[256];
};

static void patch_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    struct patching *patching = context;
    uint8_t *packet = patching->memory->base + address;
    uint32_t words[PACKET_WORDS_MAX];
    uint32_t code[PROLOGUE_WORDS + MOVED_WORDS_MAX] = {0};
    uint32_t jump;
    const uint32_t from = (uint32_t)(uintptr_t)packet;
    const uint32_t to = (uint32_t)(uintptr_t)patching->place;
    memcpy(words, packet, size * sizeof *words);
    const size_t moved = packet_move(words, size, from, to + PROLOGUE_WORDS * 4,
                                     &code[PROLOGUE_WORDS]);
    if (moved == 0 || !packet_jump(from, to, &jump)) {
        const size_t used = strlen(patching->names);
        snprintf(patching->names + used, sizeof patching->names - used, "%s+0x%x",
                 used == 0 ? "" : ", ", (unsigned)address);
        patching->kept++;
        return;
    }
    packet_call(code, to,
                (uint32_t)(uintptr_t)(counter_read(word) == COUNTER_UTIMER
                                          ? counters_load_utimer
                                          : counters_load_upcycle));
    memcpy(patching->place, code, sizeof code);
    memcpy(patching->place + TRAMPOLINE_BYTES - sizeof from, &from, sizeof from);
    memcpy(packet, &jump, sizeof jump);
    patching->place += TRAMPOLINE_BYTES;
}

void counters_patch(const struct image *image, const struct link_memory *memory, const char *name)
{
    struct patching patching = {.memory = memory, .place = memory->trampolines};
    code_scan(image, NULL, reads_counter, patch_packet, &patching);
    if (memory->trampolines_size > 0) {
        mprotect(memory->trampolines, memory->trampolines_size, PROT_READ | PROT_EXEC);
    }
    if (patching.kept > 0) {
        shell_logf(SHELL_ERROR,
                   "%s: %u packet%s that cannot be changed read%s UTIMER or UPCYCLE as 0: %s", name,
                   patching.kept, patching.kept == 1 ? "" : "s", patching.kept == 1 ? "s" : "",
                   patching.names);
    }
}

uintptr_t counters_origin(const struct link_memory *memory, uintptr_t address)
{
    const uintptr_t distance = address - (uintptr_t)memory->trampolines;
    if (distance >= memory->trampolines_size) {
        return address;
    }
    uint32_t origin;
    const uintptr_t next = distance / TRAMPOLINE_BYTES * TRAMPOLINE_BYTES;
    memcpy(&origin, memory->trampolines + next + TRAMPOLINE_BYTES - sizeof origin, sizeof origin);
    return origin;
}
