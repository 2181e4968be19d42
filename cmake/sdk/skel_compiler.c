/* What compilers call and no DSP shell exports, or not that of every arch.  Skels import the rest, and
 * all of libm, from the shell, as those do that the Hexagon SDK builds. */
#define OWN __attribute__((weak, visibility("hidden")))

/* pow() with an integer, also of -ffast-math. */
OWN double double_power(double base, int exponent) __asm__("__powidf2");
OWN float float_power(float base, int exponent) __asm__("__powisf2");
/* A half is in the low half of the register.  The shells of v68 have no __truncdfhf2. */
OWN unsigned int to_half(double value) __asm__("__truncdfhf2");

#define POWER(name, real)                                                                        \
    real name(real base, int exponent)                                                           \
    {                                                                                            \
        unsigned int rest = exponent < 0 ? 0U - (unsigned int)exponent : (unsigned int)exponent; \
        real power = 1;                                                                          \
        for (; rest != 0; rest >>= 1, base *= base) {                                            \
            power = (rest & 1U) != 0 ? power * base : power;                                     \
        }                                                                                        \
        return exponent < 0 ? 1 / power : power;                                                 \
    }
POWER(double_power, double)
POWER(float_power, float)

/* Rounds once, to nearest: a float between double and half would round twice. */
unsigned int to_half(double value)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    unsigned int sign = (unsigned int)(bits >> 48) & 0x8000U;
    int exponent = (int)(bits >> 52 & 0x7ffU) - 1023;
    unsigned long long fraction = bits & ((1ULL << 52) - 1);
    if (exponent > 15) {
        unsigned int nan = exponent == 1024 && fraction != 0
                               ? 0x200U | (unsigned int)(fraction >> 42)
                               : 0;
        return sign | 0x7c00U | nan;
    }
    if (exponent < -25) {
        return sign;
    }
    /* The leading bit of a normal number adds 1 to the exponent's field. */
    int dropped = exponent < -14 ? 28 - exponent : 42;
    unsigned long long significand = fraction | 1ULL << 52, rest = significand << (64 - dropped);
    unsigned int half = (unsigned int)(significand >> dropped);
    half += exponent < -14 ? 0 : (unsigned int)(exponent + 14) << 10;
    return sign | (half + (rest > 1ULL << 63 || (rest == 1ULL << 63 && (half & 1U) != 0)));
}
