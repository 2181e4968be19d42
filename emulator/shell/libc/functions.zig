// The functions of zig's C library and of its compiler runtime that the emulated shell uses.  libc.cmake
// copies this file beside c.zig and compiler_rt.zig, which export these names only: the others are not
// compiled.  The link of the shell fails when one is missing.
pub const panic = @import("std").debug.no_panic;

comptime {
    _ = @import("c.zig");
    _ = @import("compiler_rt.zig");
}

// zig fmt: off
pub const Used = enum {
    __cosl, __divdc3, __divsc3, __dup3, __extendhfsf2, __gnu_f2h_ieee, __gnu_h2f_ieee,
    __hexagon_adddf3, __hexagon_divdf3, __hexagon_divdi3, __hexagon_divsf3, __hexagon_divsi3,
    __hexagon_fast2_sqrtdf2, __hexagon_fast2_sqrtf, __hexagon_fast_adddf3,
    __hexagon_fast_divdf3, __hexagon_fast_divsf3, __hexagon_fast_muldf3, __hexagon_fast_subdf3,
    __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes, __hexagon_moddi3, __hexagon_modsi3,
    __hexagon_muldf3, __hexagon_sqrt, __hexagon_sqrtdf2, __hexagon_sqrtf, __hexagon_subdf3,
    __hexagon_udivdi3, __hexagon_udivsi3, __hexagon_umoddi3, __hexagon_umodsi3, __mprotect,
    __muldc3, __mulsc3, __sinl, __strchrnul, __strtoimax_internal, __strtol_internal,
    __strtoll_internal, __strtoul_internal, __strtoull_internal, __strtoumax_internal,
    __truncdfhf2, __truncsfhf2, _exit, abs, access, acos, acosf, acoshf, aligned_alloc, asin,
    atan, atanf, atanl, atoi, atol, atoll, bcmp, bcopy, bsearch, bzero, calloc, cbrt, cbrtf,
    ceil, ceilf, ceill, close, copysign, copysignf, copysignl, cos, cosf, cosh, coshf, cosl,
    div, drand48, dup2, dup3, erand48, execve, exp, exp10f, exp2, exp2f, expf, fabs, fabsf,
    fabsl, fallocate, fdim, fdimf, fdiml, ffs, ffsl, flock, floor, floorf, floorl, fmax, fmaxf,
    fmaxl, fmin, fminf, fminl, fmod, fmodf, fmodl, free, frexp, frexpf, frexpl, geteuid, getpid,
    getppid, hypot, hypotf, hypotl, imaxabs, imaxdiv, index, isalnum, isalpha, isascii, isblank,
    iscntrl, isdigit, isgraph, islower, isprint, ispunct, isspace, isupper, isxdigit, jrand48,
    labs, lcong48, ldiv, llabs, lldiv, log, log10, log10l, log1p, log1pf, log2, log2l, logf,
    lrand48, lrint, lrintf, lrintl, lround, lroundf, lroundl, malloc, memalign, memccpy, memchr,
    memcmp, memcpy, memmove, memset, modf, modff, modfl, mprotect, mrand48, nan, nanf, nanl,
    nrand48, pipe, qsort, rand, rand_r, realloc, rindex, rint, rintf, rintl, rmdir, round,
    roundf, roundl, seed48, sin, sinf, sinl, sqrt, sqrtf, sqrtl, srand, srand48, strcasecmp,
    strcat, strchr, strchrnul, strcmp, strcoll, strcpy, strcspn, strdup, strlcat, strlcpy,
    strlen, strncasecmp, strncat, strncmp, strncpy, strnlen, strpbrk, strrchr, strsep, strspn,
    strstr, strtoimax, strtok, strtok_r, strtol, strtoll, strtoul, strtoull, strtoumax, strxfrm,
    swab, tan, tanf, tanh, tanhf, tanl, toascii, trunc, truncf, truncl, unlink, wcscat, wcschr,
    wcscmp, wcscpy, wcscspn, wcslen, wcsncat, wcsncmp, wcsncpy, wcsnlen, wcspbrk, wcsrchr,
    wcsspn, wcsstr, wcstok, wmemchr, wmemcmp, wmemcpy, wmemmove, wmemset,
};
