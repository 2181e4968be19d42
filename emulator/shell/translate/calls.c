/* calls.c: which instructions a function of the shell executes, and which loops wait.
 *
 * In qemu's user emulation, the registers UTIMER (c31:30) and UPCYCLE (c15:14) read as 0, and
 * barriers do nothing: on x86, a load could overtake a store before it. The encodings are those of the
 * Hexagon V67 Programmer's Reference Manual; of LLVM's assembler for user DMA; and, for HMX, of public
 * skels for v73 to v81, in which no other instruction has them. */
#include "calls.h"

#include <stddef.h>

#include "forms.h"
#include "hmx.h"
#include "references.h"
#include "runtime/runtime.h"
#include "user_dma.h"
#include "waits.h"

CALLED(call_clock_ticks, clock_ticks)
CALLED(call_clock_cycles, clock_cycles)
CALLED(call_user_dma_start, user_dma_start)
CALLED(call_user_dma_link, user_dma_link)
CALLED(call_user_dma_finish, user_dma_finish)
CALLED(call_nothing, calls_nothing)
CALLED(call_barrier, calls_barrier)
CALLED(call_hmx, hmx_packet)
CALLED(call_wait, waits_round)
__asm__(".globl call_hmx,call_wait\n"); /* thunk.c writes their calls */

void calls_nothing(void);
void calls_barrier(void);

void calls_nothing(void)
{
}

/* An exchange is a barrier in qemu, too. */
void calls_barrier(void)
{
    static uint32_t unused;
    __atomic_exchange_n(&unused, 1, __ATOMIC_SEQ_CST);
}

#define NOP 0x7f000000u
#define ALL (0xffffffffu & ~PARSE)
#define RS (0x1fu << 16)
#define RT (0x1fu << 8)
#define RD 0x1fu
#define RDD 0x1eu
#define PAIR(number) (0x68000000u | (number) << 16)   /* Rdd = C(number+1):number */
#define SINGLE(number) (0x6a000000u | (number) << 16) /* Rd = Cnumber */
#define PKTCOUNT 18u

#define COUNTER(name, number, function)                                              \
    {name, ALL & ~RDD, PAIR(number), function, 0, PAIR(PKTCOUNT), RDD},              \
        {name, ALL & ~RD, SINGLE(number), function, 0, SINGLE(PKTCOUNT), RD},        \
    {                                                                                \
        name, ALL & ~RD, SINGLE((number) + 1), function, 0, SINGLE(PKTCOUNT + 1), RD \
    }
#define STATE(name, bits) {name, ALL & ~RD, bits, call_user_dma_finish, 0, SINGLE(PKTCOUNT), RD}

static const struct call calls[] = {
    COUNTER("Rd=UTIMER", 30u, call_clock_ticks),
    COUNTER("Rd=UPCYCLE", 14u, call_clock_cycles),
    {"dmstart(Rs)", ALL & ~RS, 0xa6000020u, call_user_dma_start, 1, NOP, 0},
    {"dmlink(Rs,Rt)", ALL & ~(RS | RT), 0xa6000040u, call_user_dma_link, 2, NOP, 0},
    {"dmresume(Rs)", ALL & ~RS, 0xa6000080u, call_nothing, 0, NOP, 0},
    STATE("Rd=dmwait", 0xa8000020u),
    STATE("Rd=dmpoll", 0xa8000040u),
    STATE("Rd=dmpause", 0xa8000060u),
    {"barrier", ALL, 0xa8000000u, call_barrier, 0, NOP, 0},
    {"syncht", ALL, 0xa8400000u, call_barrier, 0, NOP, 0},
    {"pause", ALL & 0xffc00000u, 0x54400000u, call_wait, 0, NOP, 0},
    {HMX, 0xffe000c0u, 0x920000c0u, call_hmx, 0, NOP, 0}, /* loads */
    {HMX, 0xffe020c0u, 0x92002040u, call_hmx, 0, NOP, 0}, /* loads of weights, from v73 on */
    {HMX, 0xffe00000u, 0xa6e00000u, call_hmx, 0, NOP, 0}, /* the others */
};

const struct call *call_of(uint32_t word)
{
    const bool may_be = (word & PARSE) != 0 && has_class(word, CALL_CLASSES);
    for (size_t i = 0; may_be && i < sizeof calls / sizeof *calls; i++) {
        if ((word & calls[i].mask) == calls[i].bits) {
            return &calls[i];
        }
    }
    return NULL;
}

/* ---- loops that wait without pause ---- */

/* rD = mem(Rs+#), or memw_locked(Rs) */
static bool loads(uint32_t word)
{
    return (word & 0xf9000000u) == 0x91000000u || (word & 0xffe020e0u) == 0x92000000u;
}

/* Whether a load writes the register, or one of the pair, from which another one has its address. */
static bool gives_address(uint32_t load, uint32_t other)
{
    const bool pair = (load & 0xf9e00000u) == 0x91c00000u || (load & 0xf9001000u) == 0x90001000u;
    return ((load ^ other >> 16) & (pair ? 30u : 31u)) == 0;
}

static bool jumps_back(uint32_t word, uint32_t kind, uint32_t words)
{
    uint32_t target;
    return (word & 0xf8000000u) == kind && referred_address(word, 0, 0, &target) &&
           target == 0u - words * 4;
}

#define OF_NEW_VALUE 0x20000000u
#define COMPARE_AND_JUMP 0x10000000u

bool may_spin(uint32_t word)
{
    return jumps_back(word, OF_NEW_VALUE, 0) || jumps_back(word, OF_NEW_VALUE, 1) ||
           jumps_back(word, COMPARE_AND_JUMP, 1);
}

bool spins(const uint32_t *packet, size_t size)
{
    const uint32_t before = packet[-1]; /* { load } */
    const bool follows_load = loads(before) && ends_packet(before) && ends_packet(packet[-2]) &&
                              !gives_address(before, before);
    if (size == 1) { /* { p = cmp; if (p.new) jump to the load } */
        return follows_load && jumps_back(packet[0], COMPARE_AND_JUMP, 1);
    }
    /* { load; if (cmp(.new)) jump to the packet, or to the load before it } */
    const bool only_loads = size == 2 && loads(packet[0]) && !gives_address(packet[0], packet[0]);
    return only_loads && (jumps_back(packet[1], OF_NEW_VALUE, 0) ||
                          (jumps_back(packet[1], OF_NEW_VALUE, 1) && follows_load &&
                           !gives_address(packet[0], before)));
}
