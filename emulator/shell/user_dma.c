/* user_dma.c: user DMA, which copies memory while the thread goes on.
 *
 * Descriptors and their bits are those that public DMA code of skels uses. A copy is made when it
 * is started. With --strict it is made when the thread asks for it, with dmpoll or dmwait, so that
 * code that does not wait reads old bytes. */
#include "user_dma.h"

#include <string.h>
#include <sys/mman.h>

#include "code_scan.h"
#include "counter_packet.h"
#include "runtime/runtime.h"

#define PARSE 0xc000u
#define DONE 0x80000000u
#define CHAIN_MAX (1 << 20)

enum instruction {
    DMSTART = 0xa6000020,
    DMLINK = 0xa6000040,
    DMRESUME = 0xa6000080,
    DMWAIT = 0xa8000020,
    DMPOLL = 0xa8000040,
    DMPAUSE = 0xa8000060,
};

/* ---- copies ---- */

enum { DESCRIPTOR_1D = 0, DESCRIPTOR_2D = 1, STRIDES_24_BITS = 9 };

/* Words 4 to 6 exist for two dimensions only. Two layouts have them: with numbers of 16 bits, and,
 * from v75 on, of 24 bits. */
struct descriptor {
    uint32_t next;
    uint32_t control; /* length or a stride, type in bits 24 and 25, done in bit 31 */
    uint32_t source, destination;
    uint32_t layout, size, strides;
};

struct copy {
    uint32_t width, rows, source_stride, destination_stride; /* bytes */
};

static struct copy copy_of(const volatile struct descriptor *descriptor)
{
    const uint32_t control = descriptor->control, type = control >> 24 & 3u;
    if (type == DESCRIPTOR_1D) {
        return (struct copy){.width = control & 0xffffffu, .rows = 1};
    }
    if (type != DESCRIPTOR_2D) {
        die("the DMA descriptor at %p has the type %u, which is unknown", (const void *)descriptor,
            (unsigned)type);
    }
    const uint32_t size = descriptor->size, strides = descriptor->strides;
    if ((descriptor->layout & 0xffu) == STRIDES_24_BITS) {
        return (struct copy){.width = size & 0xffffffu,
                             .rows = size >> 24 | (strides & 0xffu) << 8,
                             .source_stride = strides >> 8,
                             .destination_stride = control & 0xffffffu};
    }
    return (struct copy){.width = size & 0xffffu,
                         .rows = size >> 16,
                         .source_stride = strides & 0xffffu,
                         .destination_stride = strides >> 16};
}

/* Makes the copies of a chain that are not done yet. */
static void run_chain(uint32_t address)
{
    for (int i = 0; address != 0; i++) {
        volatile struct descriptor *descriptor = (void *)(uintptr_t)address;
        if (i == CHAIN_MAX) {
            die("a chain of DMA descriptors has no end: it comes back to 0x%x", (unsigned)address);
        }
        if ((descriptor->control & DONE) == 0) {
            const struct copy copy = copy_of(descriptor);
            const char *from = (const char *)(uintptr_t)descriptor->source;
            char *to = (char *)(uintptr_t)descriptor->destination;
            for (uint32_t row = 0; row < copy.rows; row++) {
                memmove(to, from, copy.width);
                from += copy.source_stride;
                to += copy.destination_stride;
            }
            descriptor->control |= DONE;
        }
        address = descriptor->next;
    }
}

/* ---- instructions ---- */

static _Thread_local uint32_t pending; /* the first descriptor of a chain to copy */

static void start(uint32_t first)
{
    if (shell_facts()->strict == STRICT_OFF) {
        run_chain(first);
    } else if (pending == 0) {
        pending = first;
    }
}

static void finish(void)
{
    const uint32_t first = pending;
    pending = 0;
    run_chain(first);
}

/* Executes an instruction. `registers` are r0 to r28. */
void user_dma_execute(uint32_t *registers, uint32_t word);

void user_dma_execute(uint32_t *registers, uint32_t word)
{
    const uint32_t first = registers[word >> 16 & 31u], second = registers[word >> 8 & 31u];
    if (word >> 24 == 0xa6) {
        switch (word & 0xe0u) {
        case DMSTART & 0xe0u:
            start(first);
            break;
        case DMLINK & 0xe0u:
            if (first != 0) {
                ((volatile struct descriptor *)(uintptr_t)first)->next = second;
            }
            start(second);
            break;
        default: /* dmresume: nothing was interrupted */
            break;
        }
        return;
    }
    finish();
    registers[word & 31u] = 0; /* idle */
}

/* Stores r0 to r28 and what C code may change, calls user_dma_execute with the word that is 16
 * bytes behind the return address, and loads them again. */
void user_dma_enter(void);
__asm__(".text\n.p2align 4\nuser_dma_enter:\n"
        "{ allocframe(r29,#160):raw }\n"
        "{ memd(r29+#0) = r1:0; memd(r29+#8) = r3:2 }\n"
        "{ memd(r29+#16) = r5:4; memd(r29+#24) = r7:6 }\n"
        "{ memd(r29+#32) = r9:8; memd(r29+#40) = r11:10 }\n"
        "{ memd(r29+#48) = r13:12; memd(r29+#56) = r15:14 }\n"
        "{ memd(r29+#64) = r17:16; memd(r29+#72) = r19:18 }\n"
        "{ memd(r29+#80) = r21:20; memd(r29+#88) = r23:22 }\n"
        "{ memd(r29+#96) = r25:24; memd(r29+#104) = r27:26 }\n"
        "{ memw(r29+#112) = r28 }\n"
        "{ r1:0 = c1:0 }\n{ r3:2 = c3:2 }\n{ r5:4 = c7:6 }\n{ r6 = c8 }\n{ r7 = c4 }\n"
        "{ memd(r29+#120) = r1:0; memd(r29+#128) = r3:2 }\n"
        "{ memd(r29+#136) = r5:4; memd(r29+#144) = r7:6 }\n"
        "{ r0 = r29; r1 = memw(r31+#16) }\n"
        "{ call user_dma_execute }\n"
        "{ r1:0 = memd(r29+#120); r3:2 = memd(r29+#128) }\n"
        "{ r5:4 = memd(r29+#136); r7:6 = memd(r29+#144) }\n"
        "{ c1:0 = r1:0 }\n{ c3:2 = r3:2 }\n{ c7:6 = r5:4 }\n{ c8 = r6 }\n{ c4 = r7 }\n"
        "{ r1:0 = memd(r29+#0); r3:2 = memd(r29+#8) }\n"
        "{ r5:4 = memd(r29+#16); r7:6 = memd(r29+#24) }\n"
        "{ r9:8 = memd(r29+#32); r11:10 = memd(r29+#40) }\n"
        "{ r13:12 = memd(r29+#48); r15:14 = memd(r29+#56) }\n"
        "{ r17:16 = memd(r29+#64); r19:18 = memd(r29+#72) }\n"
        "{ r21:20 = memd(r29+#80); r23:22 = memd(r29+#88) }\n"
        "{ r25:24 = memd(r29+#96); r27:26 = memd(r29+#104) }\n"
        "{ r28 = memw(r29+#112) }\n"
        "{ dealloc_return }\n");

/* ---- stubs ---- */

struct stub {
    uint32_t prologue[PROLOGUE_WORDS];
    uint32_t back;
    uint32_t origin;
    uint32_t word;
};
#define RETURN_AT 16u /* of the call in the prologue */
_Static_assert(offsetof(struct stub, word) == RETURN_AT + 16, "user_dma_enter finds the word");

bool is_user_dma(uint32_t word)
{
    const uint32_t plain = word & ~PARSE;
    if ((word & PARSE) == 0) {
        return false;
    }
    switch (plain & ~(31u << 16)) {
    case DMSTART:
    case DMRESUME:
        return true;
    default:
        break;
    }
    switch (plain & ~31u) {
    case DMWAIT:
    case DMPOLL:
    case DMPAUSE:
        return true;
    default:
        return (plain & ~(31u << 16 | 31u << 8)) == DMLINK;
    }
}

size_t user_dma_room(const struct image *image, const struct functions *functions)
{
    return code_room(image, functions, is_user_dma, sizeof(struct stub));
}

struct patching {
    const struct link_memory *memory;
    struct stub *next;
};

/* These instructions have no others in their packets. */
static void patch_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    struct patching *patching = context;
    uint8_t *packet = patching->memory->base + address;
    const uint32_t from = (uint32_t)(uintptr_t)packet;
    const uint32_t to = (uint32_t)(uintptr_t)patching->next;
    struct stub stub = {.origin = from, .word = word};
    uint32_t jump;
    if (size != 1 || !packet_jump(from, to, &jump) ||
        !packet_jump(to + offsetof(struct stub, back), from + 4, &stub.back)) {
        return;
    }
    packet_call(stub.prologue, to, (uint32_t)(uintptr_t)user_dma_enter);
    *patching->next++ = stub;
    memcpy(packet, &jump, sizeof jump);
}

void user_dma_patch(const struct image *image, const struct functions *functions,
                    const struct link_memory *memory)
{
    struct patching patching = {.memory = memory, .next = (struct stub *)(void *)memory->user_dma};
    if (memory->user_dma_size > 0) {
        code_scan(image, functions, is_user_dma, patch_packet, &patching);
        mprotect(memory->user_dma, memory->user_dma_size, PROT_READ | PROT_EXEC);
    }
}

uintptr_t user_dma_origin(const struct link_memory *memory, uintptr_t address)
{
    const uintptr_t distance = address - (uintptr_t)memory->user_dma;
    if (distance >= memory->user_dma_size) {
        return address;
    }
    const struct stub *stubs = (const struct stub *)(const void *)memory->user_dma;
    const bool returns = distance % sizeof *stubs == RETURN_AT; /* then it is behind the packet */
    return stubs[distance / sizeof *stubs].origin + (returns ? 4 : 0);
}
