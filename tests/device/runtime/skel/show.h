/* show.h: prints calls and their results, which the test compares with those of other libraries.
 *
 * A line is "NAME ARGUMENT... = RESULT...". Integers are decimal, "d" and "f" precede the bits of a
 * double and of a float, and text is in "double quotes" without escapes. */
#ifndef SHOW_H
#define SHOW_H

#include <stdio.h>
#include <string.h>

static inline unsigned long long bits_of(double value)
{
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline unsigned int bits_of_float(float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define D(value) bits_of(value)
#define F(value) bits_of_float(value)
#define SHOW(...) printf(__VA_ARGS__)
#define DOUBLE "d%016llx"
#define FLOAT "f%08x"

#endif
