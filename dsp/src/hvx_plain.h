/*
 * The HVX operations of hvx.h in plain C, for machines other than Hexagon.  Names and
 * semantics are those of the intrinsics.  The code is simple rather than fast.  Like HVX, it
 * treats memory as little-endian.
 */
#ifndef HVX_PLAIN_H
#define HVX_PLAIN_H

typedef union {
    int8_t b[HVX_BYTES];
    uint32_t w[HVX_WORDS];
} HVX_Vector;

typedef struct {
    uint8_t byte[HVX_BYTES]; /* 1: this byte is selected */
} HVX_VectorPred;

static inline HVX_Vector hvx_load(const void *from)
{
    HVX_Vector value;

    memcpy(&value, from, sizeof value);
    return value;
}

static inline void hvx_store(void *to, HVX_Vector value)
{
    memcpy(to, &value, sizeof value);
}

static inline HVX_Vector Q6_V_vzero(void)
{
    const HVX_Vector zero = {{0}};

    return zero;
}

static inline HVX_Vector Q6_V_vsplat_R(int32_t word)
{
    HVX_Vector all;

    for (size_t i = 0; i < HVX_WORDS; i++)
        all.w[i] = (uint32_t)word;
    return all;
}

static inline HVX_Vector Q6_Vb_vsplat_R(int32_t byte)
{
    HVX_Vector all;

    memset(&all, byte, sizeof all);
    return all;
}

static inline HVX_Vector Q6_V_vand_VV(HVX_Vector u, HVX_Vector v)
{
    for (size_t i = 0; i < HVX_WORDS; i++)
        u.w[i] &= v.w[i];
    return u;
}

static inline HVX_Vector Q6_V_vor_VV(HVX_Vector u, HVX_Vector v)
{
    for (size_t i = 0; i < HVX_WORDS; i++)
        u.w[i] |= v.w[i];
    return u;
}

/* Shifts 32-bit lanes to the left. */
static inline HVX_Vector Q6_Vw_vasl_VwR(HVX_Vector u, int32_t bits)
{
    for (size_t i = 0; i < HVX_WORDS; i++)
        u.w[i] <<= bits;
    return u;
}

/* Shifts unsigned bytes to the right. */
static inline HVX_Vector Q6_Vub_vlsr_VubR(HVX_Vector u, int32_t bits)
{
    for (size_t i = 0; i < HVX_BYTES; i++)
        u.b[i] = (int8_t)((uint8_t)u.b[i] >> bits);
    return u;
}

/* Subtracts bytes, with wrapping. */
static inline HVX_Vector Q6_Vb_vsub_VbVb(HVX_Vector u, HVX_Vector v)
{
    for (size_t i = 0; i < HVX_BYTES; i++)
        u.b[i] = (int8_t)(u.b[i] - v.b[i]);
    return u;
}

/* Adds 32-bit lanes, with wrapping. */
static inline HVX_Vector Q6_Vw_vadd_VwVw(HVX_Vector u, HVX_Vector v)
{
    for (size_t i = 0; i < HVX_WORDS; i++)
        u.w[i] += v.w[i];
    return u;
}

/* Sets each 32-bit lane to the sum of the products of its four pairs of signed bytes. */
static inline HVX_Vector Q6_Vw_vrmpy_VbVb(HVX_Vector u, HVX_Vector v)
{
    HVX_Vector sum;

    for (size_t i = 0; i < HVX_WORDS; i++) {
        int32_t lane = 0;

        for (size_t k = 4 * i; k < 4 * i + 4; k++)
            lane += u.b[k] * v.b[k];
        sum.w[i] = (uint32_t)lane;
    }
    return sum;
}

static inline HVX_Vector Q6_Vw_vrmpyacc_VwVbVb(HVX_Vector sums, HVX_Vector u, HVX_Vector v)
{
    return Q6_Vw_vadd_VwVw(sums, Q6_Vw_vrmpy_VbVb(u, v));
}

/* In seven steps, takes each byte from the place whose number differs in one bit, from 1 to 64, if the
 * byte's control has the bit. */
static inline HVX_Vector Q6_V_vrdelta_VV(HVX_Vector v, HVX_Vector control)
{
    for (size_t bit = 1; bit < HVX_BYTES; bit *= 2) {
        const HVX_Vector from = v;

        for (size_t i = 0; i < HVX_BYTES; i++)
            v.b[i] = from.b[(control.b[i] & (int)bit) != 0 ? i ^ bit : i];
    }
    return v;
}

/* Rotates towards byte 0: byte i of the result is byte i + count of v. */
static inline HVX_Vector Q6_V_vror_VR(HVX_Vector v, int32_t count)
{
    HVX_Vector turned;

    for (size_t i = 0; i < HVX_BYTES; i++)
        turned.b[i] = v.b[(i + (size_t)count) % HVX_BYTES];
    return turned;
}

/* Selects the first `count` bytes; a multiple of 128 selects all. */
static inline HVX_VectorPred Q6_Q_vsetq2_R(int32_t count)
{
    HVX_VectorPred first;

    for (size_t i = 0; i < HVX_BYTES; i++)
        first.byte[i] = i <= (((size_t)count - 1) & (HVX_BYTES - 1));
    return first;
}

/* Takes the bytes that q selects from u, and the others from v. */
static inline HVX_Vector Q6_V_vmux_QVV(HVX_VectorPred q, HVX_Vector u, HVX_Vector v)
{
    for (size_t i = 0; i < HVX_BYTES; i++)
        u.b[i] = q.byte[i] ? u.b[i] : v.b[i];
    return u;
}

/* Selects the bytes of the signed 32-bit lanes of u that are larger than those of v. */
static inline HVX_VectorPred Q6_Q_vcmp_gt_VwVw(HVX_Vector u, HVX_Vector v)
{
    HVX_VectorPred larger;

    for (size_t i = 0; i < HVX_BYTES; i++)
        larger.byte[i] = (int32_t)u.w[i / 4] > (int32_t)v.w[i / 4];
    return larger;
}

#endif
