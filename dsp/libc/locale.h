/* locale.h: with the conventions in the order of the DSP's C library, which is Dinkumware's.
 *
 * Those of money come first, so with zig's order decimal_point would be currency_symbol. */
#pragma GCC system_header

#ifndef _LOCALE_H
#define lconv __musl_lconv
#define localeconv __musl_localeconv
#include_next <locale.h>
#undef lconv
#undef localeconv

struct lconv {
    char *currency_symbol, *int_curr_symbol, *mon_decimal_point, *mon_grouping;
    char *mon_thousands_sep, *negative_sign, *positive_sign;
    char frac_digits, int_frac_digits;
    char n_cs_precedes, n_sep_by_space, n_sign_posn, p_cs_precedes, p_sep_by_space, p_sign_posn;
    char int_n_cs_precedes, int_n_sep_by_space, int_n_sign_posn;
    char int_p_cs_precedes, int_p_sep_by_space, int_p_sign_posn;
    char *decimal_point, *grouping, *thousands_sep;
    char *__more[6];
};

#ifdef __cplusplus
extern "C"
#endif
    struct lconv *localeconv(void);

#undef NULL
#define NULL 0
#endif
