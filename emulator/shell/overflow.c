/* overflow.c: whether a crash is the overflow of a stack, and how much stack its code needs. */
#include "core.h"
#include "guarded.h"

#define PACKET_WORDS_MAX 4
#define PARSE 0xc000u
#define PARSE_END 0xc000u
#define PARSE_DUPLEX 0x0000u
#define FAR (16u << 20) /* a stack pointer this far below its stack is no longer one */

/* Returns the bytes that allocframe takes from the stack in the packet at an address, 0 if there is
 * none. Source: Hexagon V67 Programmer's Reference Manual, "Allocate stack frame". */
static size_t allocated_by(const uint32_t *packet)
{
    for (int i = 0; i < PACKET_WORDS_MAX; i++) {
        const uint32_t word = packet[i];
        if ((word & PARSE) == PARSE_DUPLEX) {
            /* Two short instructions. allocframe is the second one, and of the group S2, which is
             * in pairs of these classes: bits 31:29 and 13. */
            const uint32_t class = (word >> 28 & 0xeu) | (word >> 13 & 1u);
            const bool s2 = class == 0x7 || (class >= 0xb && class <= 0xe);
            return s2 && (word & 0x1e0fu) == 0x1c00u ? (word >> 4 & 0x1fu) * 8 + 8 : 0;
        }
        if ((word & 0xffff3800u) == 0xa09d0000u) {
            return (word & 0x7ffu) * 8 + 8;
        }
        if ((word & PARSE) == PARSE_END) {
            break;
        }
    }
    return 0;
}

bool overflow_guard(uintptr_t address)
{
    return address < fault_stack.low && fault_stack.low - address <= guarded_page();
}

/* Returns the lowest address that the code of a crash uses of its stack: of its frame or the address
 * of the access, when that is lower. */
static uintptr_t lowest_use(const struct crash *crash)
{
    struct frame frame;
    uintptr_t lowest = crash->sp;
    if (frame_at(crash->pc, &frame)) {
        lowest -= allocated_by((const uint32_t *)crash->pc);
    }
    const bool below = lowest < fault_stack.low && fault_stack.low - lowest <= FAR;
    return below && lowest < crash->address ? lowest : crash->address;
}

bool is_overflow(const struct crash *crash)
{
    return overflow_guard(crash->address) ||
           (crash->address < fault_stack.low && lowest_use(crash) < crash->address);
}

void overflow_describe(const struct crash *crash, struct text *text)
{
    /* Without --strict the frames of the shell are in the space that it adds to the stack. */
    const bool whole = fault_stack.exact || fault_context.frame == 0;
    const size_t needed = (whole ? fault_stack.high : fault_context.frame) - lowest_use(crash);
    text_add(text,
             "stack overflow: the code needs at least %zu bytes of stack, %zu more than the %zu "
             "that were requested",
             needed, needed - fault_stack.asked, fault_stack.asked);
}
