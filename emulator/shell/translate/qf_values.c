/* qf_values.c: finds operands whose values make results of qf instructions wrong, while they are executed. */
#include "qf_values.h"

#include <string.h>

#include "calls.h"
#include "counts.h"
#include "qf_problems.h"
#include "qf_tags.h"
#include "thunk_area.h"
#include "thunk_code.h"

static const char sign_of_zero[] = "0 is added to -0, which makes it 0: adding -0 keeps it";
static const char not_qf[] = "a vector that no qf instruction wrote is read as qf";
static const char cleared[] =
    "a cleared vector is a factor in qf, where its words are 2^-150, not 0";

/* An instruction; `u` and `v` are vectors. As bytes, because it is in the code of a thunk. */
struct instruction_values {
    uint8_t operation, to;
    struct {
        uint8_t format, vector;
    } operands[2];
    uint8_t has_bits; /* for each operand, whether its extension bits are in memory */
    uint8_t rest;
};
struct packet_values {
    uint32_t address, count;
    struct instruction_values instructions[];
};

static bool is_clear(const int32_t *vector)
{
    int32_t any = 0;
    for (size_t i = 0; i < 32; i++) {
        any |= vector[i];
    }
    return any == 0;
}

/* Whether an operand with the sign of a 0 gets a 0 of another sign added to it, to convert it. */
static bool loses_sign(const struct instruction_values *in, const int32_t *const values[2])
{
    const bool halves = in->operands[0].format == HF;
    if (in->operation != SUM || (!halves && in->operands[0].format != SF) || !is_clear(values[1])) {
        return false;
    }
    for (size_t i = 0; i < 32; i++) {
        const uint32_t word = (uint32_t)values[0][i];
        if (halves ? (word & 0xffffu) == 0x8000u || word >> 16 == 0x8000u : word == 1u << 31) {
            return true;
        }
    }
    return false;
}

/* Returns whether an operand is reported: then what its value does is no news. */
static bool find_untyped(const struct packet_values *packet, const struct instruction_values *in,
                         const int32_t *const values[2])
{
    bool found = false;
    for (size_t i = 0; i < 2; i++) {
        const enum format format = (enum format)in->operands[i].format;
        if (format == QF32 || format == QF16) {
            const bool is_zero = is_clear(values[i]);
            const bool is_factor = in->operation == PRODUCT;
            if (!is_zero || is_factor) {
                found |= qf_tags_untyped(in->operands[i].vector, packet->address,
                                         is_zero ? cleared : not_qf);
            }
        }
    }
    return found;
}

static void look_at(const struct packet_values *packet, size_t number)
{
    const struct instruction_values *in = &packet->instructions[number];
    const int32_t *values[2], *bits[2];
    for (size_t i = 0; i < 2; i++) {
        values[i] = thunk_area.vectors[2 * number + i];
        bits[i] = (in->has_bits >> i & 1u) != 0 ? thunk_area.extensions[in->operands[i].vector]
                                                : thunk_reset_bits;
    }
    const enum format formats[2] = {(enum format)in->operands[0].format,
                                    (enum format)in->operands[1].format};
    const bool halves = formats[0] == QF16 || formats[0] == HF;
    const char *problem = loses_sign(in, values) ? sign_of_zero : NULL;
    if (find_untyped(packet, in, values)) {
        return;
    }
    for (size_t lane = 0; lane < (halves ? 64 : 32) && problem == NULL; lane++) {
        const size_t word = halves ? lane / 2 : lane;
        const unsigned half = halves ? lane & 1u : 0;
        struct number numbers[2] = {{0}};
        for (size_t i = 0; i < 2 && formats[i] != NONE; i++) {
            numbers[i] = qf_number(formats[i], (uint32_t)values[i][word] >> (16 * half),
                                   (uint32_t)bits[i][word] >> (2 * half));
        }
        problem = qf_problem((enum operation)in->operation, formats, (enum format)in->to, numbers);
    }
    if (problem != NULL) {
        qf_tags_value(packet->address, problem);
    }
}

/* Called before a packet is executed; its operands are in the area. */
void qf_values_packet(const struct packet_values *packet);
void qf_values_packet(const struct packet_values *packet)
{
    counts_pause();
    for (uint32_t i = 0; i < packet->count; i++) {
        look_at(packet, i);
    }
    counts_resume();
}

/* ---- thunks ---- */

static enum format format_of(const char *type)
{
    static const char *const names[] = {[QF32] = "qf32", "qf16", "sf", "hf", "bf"};
    unsigned format = FORMATS - 1u;
    while (format > NONE && strncmp(type, names[format], strlen(names[format])) != 0) {
        format--;
    }
    return (enum format)format;
}

/* Returns what an instruction does; OTHER if that depends on no value that is known before the packet. */
static struct instruction_values values_of(uint32_t word, uint32_t forwarded,
                                           const struct memory_use *use)
{
    struct instruction_values in = {.operation = OTHER};
    const struct form *form = form_of(word);
    const char *at = form != NULL ? strchr(form->syntax, '=') : NULL;
    if (at == NULL || strstr(form->syntax, "qf") == NULL || strstr(form->syntax, "f8") != NULL ||
        strchr(at, 'R') != NULL) {
        return in;
    }
    const char *operand = strchr(at, 'V');
    in.to = (uint8_t)format_of(strchr(form->syntax, '.') + 1);
    in.operation = operand == at + 1 && in.to >= SF ? CONVERSION : OTHER;
    for (unsigned each = SUM; each <= PRODUCT; each++) {
        static const char *const names[] = {[SUM] = "=vadd(", "=vsub(", "=vmpy("};
        in.operation = strncmp(at, names[each], 6) == 0 ? (uint8_t)each : in.operation;
    }
    const bool is_pair = operand != NULL && strncmp(operand, "Vuu", 3) == 0;
    for (size_t i = 0; i < 2 && operand != NULL && in.operation != OTHER; i++) {
        const unsigned vector = is_pair ? (word >> 8 & 30u) + (unsigned)i
                                        : word >> (8 + 8 * i) & 31u;
        in.operands[i].format = (uint8_t)format_of(strchr(operand, '.') + 1);
        in.operands[i].vector = (uint8_t)vector;
        in.has_bits |= (uint8_t)((use->loaded >> vector & 1u) << i);
        if ((forwarded >> vector & 1u) != 0) {
            in.operation = OTHER;
        }
        operand = is_pair ? operand : strchr(operand + 1, 'V');
    }
    return in;
}

CALLED(call_qf_values, qf_values_packet)

void qf_values_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                     const struct memory_use *use)
{
    struct instruction_values values[PACKET_WORDS_MAX];
    uint32_t forwarded = 0, count = 0;
    if (!qf_tags_are_kept()) {
        return;
    }
    for (size_t i = 0; i < size; i++) {
        forwarded |= is_vector(packet[i]) ? extended_by(packet[i]).loaded : 0;
    }
    for (size_t i = 0; i < size; i++) {
        values[count] = is_vector(packet[i]) ? values_of(packet[i], forwarded, use)
                                             : (struct instruction_values){.operation = OTHER};
        count += values[count].operation != OTHER;
    }
    if (count == 0) {
        return;
    }
    const uint32_t at = code->address + (uint32_t)code->used * 4 + 4;
    code_jump(code, at + 8 + count * (uint32_t)sizeof *values);
    code_put(code, from);
    code_put(code, count);
    code_data(code, values, count * sizeof *values);
    put_enter(code);
    for (uint32_t i = 0; i < 2 * count; i++) {
        if (values[i / 2].operands[i % 2].format != NONE) {
            put_store(code, values[i / 2].operands[i % 2].vector, i);
        }
    }
    code_constant(code, 0, at);
    code_call(code, address_of((const void *)(uintptr_t)call_qf_values));
    put_leave(code);
}
