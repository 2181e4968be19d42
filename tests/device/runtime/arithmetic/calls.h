/* calls.h: calls a function with arguments and results in words of 64 bits.
 *
 * A kind is RESULTS_ARGUMENTS: D double, F float, W 32 bits, L 64 bits, T 128 bits, P a pointer
 * to a second result. The result of EQ, LT … is an int, which is compared with 0; that of CMP has the
 * sign of the order. In the reference it is 1, 0 or -1. */
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>
#include <string.h>

enum kind {
    D_D,
    D_DD,
    D_DDD,
    D_DW,
    D_WD,
    D_DPW,
    D_DPD,
    D_DDPW,
    D_F,
    D_W,
    D_L,
    D_T,
    F_F,
    F_FF,
    F_FFF,
    F_FW,
    F_FPW,
    F_FPF,
    F_FFPW,
    F_FD,
    F_D,
    F_W,
    F_L,
    F_T,
    W_D,
    W_F,
    W_DD,
    W_FF,
    W_WW,
    L_D,
    L_F,
    L_LL,
    L_WW,
    T_D,
    T_F,
    EQ_DD,
    LT_DD,
    LE_DD,
    GT_DD,
    GE_DD,
    CMP_DD,
    EQ_FF,
    LT_FF,
    LE_FF,
    GT_FF,
    GE_FF,
    CMP_FF
};

struct pair {
    uint64_t low, high;
};

static inline double real(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline float single(uint64_t word)
{
    uint32_t bits = (uint32_t)word;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline uint64_t bits_of_single(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

#define CALL(result, parameters, ...) ((result(*) parameters)function)(__VA_ARGS__)
#define D(i) real(in[i])
#define F(i) single(in[i])
#define W(i) (int32_t)in[i]
#define GIVES_D(...) out[0] = bits_of(CALL(double, __VA_ARGS__))
#define GIVES_F(...) out[0] = bits_of_single(CALL(float, __VA_ARGS__))
#define GIVES_W(...) out[0] = (uint32_t)CALL(int32_t, __VA_ARGS__)
#define GIVES_L(...) out[0] = CALL(uint64_t, __VA_ARGS__)
#define IS(kind, statement) \
    case kind: {            \
        statement;          \
        break;              \
    }

#ifdef REFERENCE
#define HOLDS(condition) out[0] = (uint32_t)is
#else
#define HOLDS(condition) out[0] = (uint32_t)(condition)
#endif
#define COMPARISONS(arguments, call)                                             \
    IS(EQ_##arguments, int32_t is = call; HOLDS(is == 0));                       \
    IS(LT_##arguments, int32_t is = call; HOLDS(is < 0));                        \
    IS(LE_##arguments, int32_t is = call; HOLDS(is <= 0));                       \
    IS(GT_##arguments, int32_t is = call; HOLDS(is > 0));                        \
    IS(GE_##arguments, int32_t is = call; HOLDS(is >= 0));                       \
    IS(CMP_##arguments, int32_t is = call; HOLDS(is == 0 ? 0 : is < 0 ? -1 : 1))

static inline void call(enum kind kind, void (*function)(void), const uint64_t in[3],
                        uint64_t out[2])
{
    int32_t whole = 0;
    double second = 0;
    float second_single = 0;
    struct pair wide = {in[0], in[1]};
    out[1] = 0;
    switch (kind) {
        IS(D_D, GIVES_D((double), D(0)));
        IS(D_DD, GIVES_D((double, double), D(0), D(1)));
        IS(D_DDD, GIVES_D((double, double, double), D(0), D(1), D(2)));
        IS(D_DW, GIVES_D((double, int32_t), D(0), W(1)));
        IS(D_WD, GIVES_D((int32_t, double), W(0), D(1)));
        IS(D_DPW, GIVES_D((double, int32_t *), D(0), &whole); out[1] = (uint32_t)whole);
        IS(D_DPD, GIVES_D((double, double *), D(0), &second); out[1] = bits_of(second));
        IS(D_DDPW, GIVES_D((double, double, int32_t *), D(0), D(1), &whole);
           out[1] = (uint32_t)whole);
        IS(D_F, GIVES_D((float), F(0)));
        IS(D_W, GIVES_D((int32_t), W(0)));
        IS(D_L, GIVES_D((uint64_t), in[0]));
        IS(D_T, GIVES_D((struct pair), wide));
        IS(F_F, GIVES_F((float), F(0)));
        IS(F_FF, GIVES_F((float, float), F(0), F(1)));
        IS(F_FFF, GIVES_F((float, float, float), F(0), F(1), F(2)));
        IS(F_FW, GIVES_F((float, int32_t), F(0), W(1)));
        IS(F_FPW, GIVES_F((float, int32_t *), F(0), &whole); out[1] = (uint32_t)whole);
        IS(F_FPF, GIVES_F((float, float *), F(0), &second_single);
           out[1] = bits_of_single(second_single));
        IS(F_FFPW, GIVES_F((float, float, int32_t *), F(0), F(1), &whole);
           out[1] = (uint32_t)whole);
        IS(F_FD, GIVES_F((float, double), F(0), D(1)));
        IS(F_D, GIVES_F((double), D(0)));
        IS(F_W, GIVES_F((int32_t), W(0)));
        IS(F_L, GIVES_F((uint64_t), in[0]));
        IS(F_T, GIVES_F((struct pair), wide));
        IS(W_D, GIVES_W((double), D(0)));
        IS(W_F, GIVES_W((float), F(0)));
        IS(W_DD, GIVES_W((double, double), D(0), D(1)));
        IS(W_FF, GIVES_W((float, float), F(0), F(1)));
        IS(W_WW, GIVES_W((int32_t, int32_t), W(0), W(1)));
        IS(L_D, GIVES_L((double), D(0)));
        IS(L_F, GIVES_L((float), F(0)));
        IS(L_LL, GIVES_L((uint64_t, uint64_t), in[0], in[1]));
        IS(L_WW, GIVES_L((int32_t, int32_t), W(0), W(1)));
        IS(T_D, wide = CALL(struct pair, (double), D(0)); out[0] = wide.low; out[1] = wide.high);
        IS(T_F, wide = CALL(struct pair, (float), F(0)); out[0] = wide.low; out[1] = wide.high);
        COMPARISONS(DD, CALL(int32_t, (double, double), D(0), D(1)));
        COMPARISONS(FF, CALL(int32_t, (float, float), F(0), F(1)));
    }
}
#endif
