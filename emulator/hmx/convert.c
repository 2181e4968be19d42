/* convert.c: what all converts have in common. */
#include "convert.h"

#include <string.h>

/* The operands of a direct store, as those of cvt. */
static uint32_t operands_of(const struct operation *operation)
{
    const bool is_signed = operation->type == HF ? !operation->positive : !operation->saturates;
    const uint32_t normal = 3u << 9; /* of uh:2x2 */
    return normal | (operation->retain ? RS_RETAIN : 0) | (is_signed ? RS_SIGNED : 0);
}

/* With strict: whether the result has a meaning. */
static bool check(struct unit *unit, const struct operation *operation, enum half half,
                  const uint64_t *words, unsigned set)
{
    const char *missing = half == FLOAT ? "mxclracc.hf" : "mxclracc";
    if (!unit->defined[half][unit->current[half]]) {
        return refuse(unit, 0,
                      "%s reads accumulators that were not cleared since HMX was locked: %s comes "
                      "first",
                      operation->syntax, missing);
    }
    if ((unit->bias_sets >> set & 1u) == 0) {
        return refuse(unit, 0,
                      "%s reads scales that were not loaded since HMX was locked, with bias=mxmem "
                      "or bias=mxmem2",
                      operation->syntax);
    }
    if (half == FLOAT && !has_float(unit)) {
        return refuse(unit, 0, "%s on a chip whose HMX has no floating point: all results are 0",
                      operation->syntax);
    }
    unsigned zeros = 0;
    for (unsigned o = 0; half == FLOAT && o < CHANNELS; o++) {
        zeros += bits(words[o], 14, 0) == 0 && bits(words[o], 35, 32) == 0;
        if (unit->arch < 0x73 && bits(words[o], 15, 0) == 0x3c00) {
            return refuse(unit, 0,
                          "%s with the scale 0x3c00 for channel %u, which is 1.0 from v73 on only: "
                          "here, it limits results to 1.999; 0 is the scale 1",
                          operation->syntax, o);
        }
    }
    if (unit->arch >= 0x73 && zeros == CHANNELS) {
        return refuse(unit, 0,
                      "%s with a scale of 0 for all channels: from v73 on, the scale is a number "
                      "(1.0 is 0x3c00), and 0 is right for v68 and v69 only",
                      operation->syntax);
    }
    return true;
}

bool convert(struct unit *unit, const struct operation *operation, uint32_t rs)
{
    const enum half half = operation->type == HF || operation->type == F8 ? FLOAT : FIXED;
    const bool is_direct = operation->kind == DIRECT;
    const unsigned set = unit->arch >= 0x75 && !is_direct ? rs >> 12 & 3u : 0;
    const uint64_t *words = unit->bias[set];
    const uint32_t operands = is_direct ? operands_of(operation) : rs;
    if (is_strict(unit) && !check(unit, operation, half, words, set)) {
        return false;
    }
    const bool feedback = (operands & RS_FEEDBACK) != 0 &&
                          !(operation->type == UH && !operation->two_by_two);
    cells *results = &unit->last[half];
    if (!feedback) {
        memmove(unit->states[1], unit->states[0], (STATES - 1) * sizeof *unit->states);
    }
    const uint32_t used = feedback ? operands : operands & ~(uint32_t)RS_FEEDBACK;
    if (half == FIXED) {
        convert_fixed(unit, operation, used, words, results);
    } else if (!has_float(unit)) {
        memset(results, 0, sizeof *results);
    } else if (unit->arch < 0x73) {
        convert_exact(unit, operation, words, results);
    } else {
        convert_floats(unit, operation, used, words, results);
    }
    memcpy(unit->states[0], results, sizeof *results);
    if ((operands & RS_RETAIN) == 0) {
        clear_set(unit, half, unit->current[half]);
        unit->current[half] ^= 1u;
    }
    return true;
}
