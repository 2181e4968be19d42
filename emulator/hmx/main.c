/* main.c: the program that computes the instructions of HMX for a DSP process, see unit.h. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "forms.h"
#include "state.h"

static struct unit unit;

bool refuse(struct unit *in, uint32_t address, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(in->reply->text, sizeof in->reply->text, format, arguments);
    va_end(arguments);
    in->reply->address = address;
    return false;
}

uint8_t *memory_at(struct unit *in, uint32_t address, uint64_t size, const char *what)
{
    const uint64_t offset = (uint64_t)address - in->vtcm_address;
    if (address < in->vtcm_address || offset + size > in->vtcm_bytes) {
        refuse(in, address,
               "%s at 0x%x, %llu bytes, outside of VTCM (0x%x to 0x%x): HMX accesses nothing else",
               what, (unsigned)address, (unsigned long long)size, (unsigned)in->vtcm_address,
               (unsigned)(in->vtcm_address + in->vtcm_bytes - 1));
        return NULL;
    }
    return in->vtcm + offset;
}

static bool load_bias(const struct operation *operation, uint32_t rs)
{
    const uint32_t size = operation->words ? 256 : 128;
    const unsigned set = unit.arch >= 0x75 ? rs & 3u : 0;
    uint8_t *memory = memory_at(&unit, rs & ~(size - 1), size, operation->syntax);
    for (size_t o = 0; memory != NULL && o < CHANNELS; o++) {
        uint32_t low, high = 0;
        memcpy(&low, memory + 4 * o, sizeof low);
        if (operation->words) {
            memcpy(&high, memory + 128 + 4 * o, sizeof high);
        }
        if (operation->kind == BIAS_LOAD) {
            unit.bias[set][o] = (uint64_t)high << 32 | low;
            unit.bias_sets |= 1u << set;
            continue;
        }
        low = (uint32_t)unit.bias[set][o];
        high = (uint32_t)(unit.bias[set][o] >> 32);
        memcpy(memory + 4 * o, &low, sizeof low);
        if (operation->words) {
            memcpy(memory + 128 + 4 * o, &high, sizeof high);
        }
    }
    return memory != NULL;
}

static void shift_fixed(void)
{
    for (size_t s = 0; s < POSITIONS; s++) {
        struct fixed_cell *cell = &unit.fixed[unit.current[FIXED]][s];
        for (size_t g = 0; g < GROUPS; g++) {
            cell->low[g] <<= 16;
            cell->high[g] <<= 16;
        }
    }
}

static bool execute_one(const struct operation *operation, const uint32_t *registers)
{
    const enum half half = operation->type == HF ? FLOAT : FIXED;
    switch (operation->kind) {
    case BIAS_LOAD:
    case BIAS_STORE:
        return load_bias(operation, registers[0]);
    case CLEAR:
        clear_set(&unit, half, 0);
        clear_set(&unit, half, 1);
        return true;
    case SWAP:
        unit.current[half] ^= 1;
        return true;
    case SHIFT:
        shift_fixed();
        return true;
    case DIRECT:
    case CONVERT:
        return convert(&unit, operation, registers[0]) &&
               (operation->kind == CONVERT || store(&unit, operation, registers[0], registers[1]));
    case STORE:
        return store(&unit, operation, registers[0], registers[1]);
    case ACTIVATION:
    case WEIGHT:
        return !is_strict(&unit) ||
               refuse(
                   &unit, 0,
                   "%s alone in its packet, which multiplies nothing: an activation and a weight "
                   "load belong in one packet",
                   operation->syntax);
    default: /* prints for simulators */
        return true;
    }
}

/* Whether the DSP has the instruction. */
static bool exists(const struct operation *operation)
{
    if (unit.arch < operation->first || (operation->last != 0 && unit.arch > operation->last)) {
        return refuse(&unit, 0, "%s, an instruction of v%x%s%.0x, on a v%x", operation->syntax,
                      (unsigned)operation->first, operation->last == 0 ? " and newer" : " to v",
                      (unsigned)operation->last, (unsigned)unit.arch);
    }
    return true;
}

static bool execute(const struct hmx_request *request)
{
    const struct operation *operations[2];
    size_t count = 0;
    for (; count < 2 && hmx_form(request->forms[count]) != NULL; count++) {
        operations[count] = operation_of(request->forms[count]);
        if (!exists(operations[count])) {
            return false;
        }
    }
    if (count == 0) {
        return refuse(&unit, 0, "an instruction of HMX that is not known");
    }
    if (count == 1) {
        return execute_one(operations[0], request->registers);
    }
    const size_t weight = operations[0]->kind == WEIGHT ? 0 : 1;
    if (operations[1 - weight]->kind != ACTIVATION || operations[weight]->kind != WEIGHT) {
        return refuse(&unit, 0, "%s and %s in one packet", operations[0]->syntax,
                      operations[1]->syntax);
    }
    return multiply(&unit, operations[1 - weight], request->registers + 2 * (1 - weight),
                    operations[weight], request->registers + 2 * weight);
}

/* Another thread has HMX: what the one before left in the registers has no meaning for it. */
static void begin_turn(uint32_t turn)
{
    unit.turn = turn;
    memset(unit.defined, 0, sizeof unit.defined);
    unit.bias_sets = 0;
}

static bool read_all(void *to, size_t size)
{
    hmx_look_for_input(STDIN_FILENO);
    for (size_t got = 0; got < size;) {
        const ssize_t more = read(STDIN_FILENO, (char *)to + got, size - got);
        if (more <= 0) {
            return false;
        }
        got += (size_t)more;
    }
    return true;
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: hmx_unit ARCH ADDRESS BYTES FD MODE (see unit.h)\n");
        return 2;
    }
    const uint32_t arch = (uint32_t)strtoul(arguments[1], NULL, 0);
    unit.arch = arch;
    unit.vtcm_address = (uint32_t)strtoul(arguments[2], NULL, 0);
    unit.vtcm_bytes = (uint32_t)strtoul(arguments[3], NULL, 0);
    unit.mode = (uint32_t)strtoul(arguments[5], NULL, 0);
    void *memory = mmap(NULL, unit.vtcm_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        (int)strtol(arguments[4], NULL, 0), 0);
    if (memory == MAP_FAILED) {
        perror("hmx_unit");
        return 1;
    }
    unit.vtcm = memory;
    syscall(SYS_close_range, 3u, ~0u, 0u); /* of the DSP process: its ends are noticed */
    for (enum half half = FIXED; half <= FLOAT; half++) {
        clear_set(&unit, half, 0);
        clear_set(&unit, half, 1);
    }
    begin_turn(0);
    struct hmx_request request;
    while (read_all(&request, sizeof request)) {
        struct hmx_reply reply = {0};
        unit.reply = &reply;
        unit.usr = request.usr;
        if (request.turn != unit.turn) {
            begin_turn(request.turn);
        }
        execute(&request);
        if (write(STDOUT_FILENO, &reply, sizeof reply) != sizeof reply) {
            return 1;
        }
    }
    return 0;
}
