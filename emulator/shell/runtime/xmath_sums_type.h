/* xmath_sums_type.h: a template, see xmath.h: numbers of extended precision.
 *
 * A number is an array of terms in decreasing order, whose sum it is. Each term has at most half of
 * the bits of a significand, so that a product of two terms is exact. The first zero ends it. */

/* An exact sum: terms that do not overlap, the smallest first (J. R. Shewchuk, "Adaptive Precision
 * Floating-Point Arithmetic", 1997). */
struct FN(sum) {
    int count;
    REAL terms[SUM_MAX];
};

static void FN(add)(struct FN(sum) * sum, REAL x)
{
    int count = 0;
    for (int i = 0; i < sum->count; i++) {
        REAL term = sum->terms[i], total = x + term;
        REAL part = total - x;
        REAL error = (x - (total - part)) + (term - part);
        x = total;
        if (error != 0) {
            sum->terms[count++] = error;
        }
    }
    if (x != 0 && count < SUM_MAX) {
        sum->terms[count++] = x;
    }
    sum->count = count;
}

static void FN(add_terms)(struct FN(sum) * sum, const REAL *terms, int count, REAL factor)
{
    for (int i = 0; i < count && terms[i] != 0; i++) {
        REAL product = terms[i] * factor;
        FN(add)(sum, M(fma)(terms[i], factor, -product));
        FN(add)(sum, product);
    }
}

static REAL FN(value)(const struct FN(sum) * sum)
{
    REAL value = 0;
    for (int i = 0; i < sum->count; i++) {
        value += sum->terms[i];
    }
    return value;
}

/* Writes a sum as `count` terms of half of the bits. */
static REAL *FN(store)(REAL *terms, int count, struct FN(sum) * sum)
{
    for (int i = 0; i < count; i++) {
        REAL value = FN(value)(sum);
        if (isfinite(value) && value != 0) {
            int exponent;
            REAL fraction = M(frexp)(value, &exponent);
            value = M(scalbn)(M(trunc)(M(scalbn)(fraction, HALF_BITS)), exponent - HALF_BITS);
        }
        terms[i] = value;
        if (value == 0 || !isfinite(value)) {
            for (int rest = i + 1; rest < count; rest++) {
                terms[rest] = 0;
            }
            break;
        }
        FN(add)(sum, -value);
    }
    return terms;
}

static REAL FN(sum_get)(const REAL *terms, int count)
{
    struct FN(sum) sum = {.count = 0};
    if (count > 0 && !isfinite(terms[0])) {
        return terms[0];
    }
    FN(add_terms)(&sum, terms, count, 1);
    return FN(value)(&sum);
}

static REAL *FN(sum_set)(REAL *terms, int count, REAL x)
{
    struct FN(sum) sum = {.count = 1, .terms = {x}};
    return FN(store)(terms, count, &sum);
}

static REAL *FN(sum_add)(REAL *terms, int count, REAL x)
{
    struct FN(sum) sum = {.count = 0};
    FN(add_terms)(&sum, terms, count, 1);
    FN(add)(&sum, x);
    return FN(store)(terms, count, &sum);
}

static REAL *FN(sum_multiply)(REAL *terms, int count, REAL x)
{
    struct FN(sum) sum = {.count = 0};
    FN(add_terms)(&sum, terms, count, x);
    return FN(store)(terms, count, &sum);
}

static REAL *FN(sum_move)(REAL *terms, int count, const REAL *from)
{
    return memmove(terms, from, (size_t)(count < 0 ? 0 : count) * sizeof *terms);
}

static REAL *FN(sum_combine)(REAL *terms, int count, const REAL *other, int size, REAL sign)
{
    struct FN(sum) sum = {.count = 0};
    FN(add_terms)(&sum, terms, count, 1);
    FN(add_terms)(&sum, other, size, sign);
    return FN(store)(terms, count, &sum);
}

static REAL *FN(sum_plus)(REAL *terms, int count, const REAL *other, int size)
{
    return FN(sum_combine)(terms, count, other, size, 1);
}

static REAL *FN(sum_minus)(REAL *terms, int count, const REAL *other, int size)
{
    return FN(sum_combine)(terms, count, other, size, -1);
}

static REAL *FN(sum_scale)(REAL *terms, int count, int exponent)
{
    for (int i = 0; i < count; i++) {
        terms[i] = M(scalbn)(terms[i], exponent);
    }
    return terms;
}

/* The last arguments of these functions are memory for intermediate results, which they do not
 * need. */
static REAL *FN(sum_times)(REAL *terms, int count, const REAL *other, int size)
{
    struct FN(sum) sum = {.count = 0};
    for (int i = 0; i < size && other[i] != 0; i++) {
        FN(add_terms)(&sum, terms, count, other[i]);
    }
    return FN(store)(terms, count, &sum);
}

/* Newton's method: y += y * (1 - x * y). */
static REAL *FN(sum_invert)(REAL *terms, int count)
{
    REAL guess[TERMS_MAX], rest[TERMS_MAX];
    int size = count < TERMS_MAX ? count : TERMS_MAX;
    REAL start = 1 / FN(sum_get)(terms, count);
    FN(sum_set)(guess, size, start);
    for (int step = 0; isfinite(start) && start != 0 && step < 4; step++) {
        FN(sum_move)(rest, size, guess);
        FN(sum_times)(rest, size, terms, size);
        FN(sum_multiply)(rest, size, -1);
        FN(sum_add)(rest, size, 1);
        FN(sum_times)(rest, size, guess, size);
        FN(sum_plus)(guess, size, rest, size);
    }
    return FN(sum_move)(terms, size, guess);
}

/* The same for the inverse of the root, y += y * (1 - x * y * y) / 2, whose product with x is it. */
static REAL *FN(sum_root)(REAL *terms, int count)
{
    REAL guess[TERMS_MAX], rest[TERMS_MAX];
    int size = count < TERMS_MAX ? count : TERMS_MAX;
    REAL value = FN(sum_get)(terms, count);
    if (!(value > 0) || isinf(value)) {
        return FN(sum_set)(terms, count, M(sqrt)(value));
    }
    FN(sum_set)(guess, size, 1 / M(sqrt)(value));
    for (int step = 0; step < 4; step++) {
        FN(sum_move)(rest, size, guess);
        FN(sum_times)(rest, size, guess, size);
        FN(sum_times)(rest, size, terms, size);
        FN(sum_multiply)(rest, size, -1);
        FN(sum_add)(rest, size, 1);
        FN(sum_times)(rest, size, guess, size);
        FN(sum_multiply)(rest, size, (REAL)0.5);
        FN(sum_plus)(guess, size, rest, size);
    }
    return FN(sum_times)(terms, size, guess, size);
}
