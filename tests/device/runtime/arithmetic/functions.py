"""The functions that are compared: their symbols, kinds (see calls.h) and references.

The reference of an approximate function returns a long double, from which results may differ by a
bound. Results of the other functions are the same bits as those of the reference.
"""

from __future__ import annotations

from typing import NamedTuple

APPROXIMATE = (
    "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 lgamma log log10 log1p"
    " log2 sin sinh tan tanh tgamma"
)
APPROXIMATE_OF_TWO = "atan2 hypot pow"
EXACT = "ceil fabs floor logb nearbyint rint round sqrt trunc"
EXACT_OF_TWO = "copysign fdim fmax fmin fmod nextafter"
OTHERS = """
remainder D_DD F_FF remainder_
frexp D_DPW F_FPW frexp
modf D_DPD F_FPF modf
remquo D_DDPW F_FFPW quotient_bits
ldexp D_DW F_FW ldexp
scalbn D_DW F_FW ldexp
scalbln D_DW F_FW ldexp
ilogb W_D W_F ilogb
lrint W_D W_F to_long
lround W_D W_F round_long
llrint L_D L_F to_longlong
llround L_D L_F round_longlong
"""
"""For double and float; long double is double on the DSP."""
SINGLE = """
fma D_DDD fma
fmaf F_FFF fmaf
scalb D_DD scalb_
nexttoward D_DD nextafter
nexttowardl D_DD nextafter
nexttowardf F_FD toward
isnan W_D is_nan
isinf W_D is_infinite
__sqrtf F_F sqrtf
__hexagon_fmadf4 D_DDD fma
__qdsp_fmadf5 D_DDD fma
__hexagon_fast_negdf2 D_D negate
__qdsp_fast_negdf2 D_D negate
__extendhfsf2 F_W half_to_float
__truncsfhf2 W_F float_to_half
__truncdfhf2 W_D double_to_half
own__truncdfhf2 W_D double_to_half
"""
"""What begins with `own` is linked into skels."""
HELPERS = """
adddf3 D_DD add
subdf3 D_DD subtract
muldf3 D_DD multiply
divdf3 D_DD divide
sqrtdf2 D_D sqrt
sqrt D_D sqrt
mindf3 D_DD fmin
maxdf3 D_DD fmax
negdf2 D_D negate
addsf3 F_FF addf
subsf3 F_FF subtractf
mulsf3 F_FF multiplyf
divsf3 F_FF dividef
sqrtf F_F sqrtf
negsf2 F_F negatef
extendsfdf2 D_F extend
truncdfsf2 F_D truncate_
divsi3 W_WW quotient
modsi3 W_WW rest
udivsi3 W_WW uquotient
umodsi3 W_WW urest
divdi3 L_LL quotient_64
moddi3 L_LL rest_64
udivdi3 L_LL uquotient_64
umoddi3 L_LL urest_64
udivmodsi4 L_WW both
fixsfsi W_F f_to_w
fixsfdi L_F f_to_l
fixunssfsi W_F f_to_uw
fixunssfdi L_F f_to_ul
fixdfsi W_D d_to_w
fixdfdi L_D d_to_l
fixunsdfsi W_D d_to_uw
fixunsdfdi L_D d_to_ul
fixsfti T_F f_to_t
fixunssfti T_F f_to_ut
fixdfti T_D d_to_t
fixunsdfti T_D d_to_ut
floatsisf F_W w_to_f
floatdisf F_L l_to_f
floatunsisf F_W uw_to_f
floatundisf F_L ul_to_f
floatsidf D_W w_to_d
floatdidf D_L l_to_d
floatunsidf D_W uw_to_d
floatundidf D_L ul_to_d
floattisf F_T t_to_f
floattidf D_T t_to_d
eqsf2 EQ_FF equalf
nesf2 EQ_FF equalf
ltsf2 LT_FF lessf
lesf2 LE_FF up_tof
gtsf2 GT_FF moref
gesf2 GE_FF fromf
cmpsf2 CMP_FF orderf
unordsf2 W_FF unorderedf
eqdf2 EQ_DD equal
nedf2 EQ_DD equal
ltdf2 LT_DD less
ledf2 LE_DD up_to
gtdf2 GT_DD more
gedf2 GE_DD from
cmpdf2 CMP_DD order
unorddf2 W_DD unordered
"""
"""What compilers call, with two prefixes."""
FAST = "adddf3 subdf3 muldf3 divdf3 divsf3 sqrtdf2 sqrt sqrtf"
"""Also with the prefixes of -ffast-math."""


class Function(NamedTuple):
    symbol: str
    kind: str
    reference: str
    exact: bool

    @property
    def arguments(self) -> str:
        """The letters of the arguments."""
        return self.kind.partition("_")[2].partition("P")[0]


def _rows() -> list[Function]:
    rows = []
    for names, kind, exact in (
        (APPROXIMATE, "{0}_{0}", False),
        (APPROXIMATE_OF_TWO, "{0}_{0}{0}", False),
        (EXACT, "{0}_{0}", True),
        (EXACT_OF_TWO, "{0}_{0}{0}", True),
    ):
        for name in names.split():
            wide = name if exact else f"{name}l"
            rows += [
                Function(name, kind.format("D"), wide, exact),
                Function(f"{name}f", kind.format("F"), f"{name}f" if exact else wide, exact),
                Function(f"{name}l", kind.format("D"), wide, exact),
            ]
    for line in OTHERS.split("\n")[1:-1]:
        name, double, single, reference = line.split()
        rows += [
            Function(name, double, reference, exact=True),
            Function(f"{name}f", single, f"{reference}f", exact=True),
            Function(f"{name}l", double, reference, exact=True),
        ]
    for line in SINGLE.split("\n")[1:-1]:
        name, kind, reference = line.split()
        rows.append(Function(name, kind, reference, exact=True))
    rows += [Function(name, "D_D", f"{name}l", exact=False) for name in ("j0", "j1", "y0", "y1")]
    rows += [Function(name, "D_WD", f"{name}l", exact=False) for name in ("jn", "yn")]
    rows.append(Function("exp10f", "F_F", "exp10l", exact=False))
    rows.append(Function("own__powidf2", "D_DW", "power_of", exact=False))
    rows.append(Function("own__powisf2", "F_FW", "power_of", exact=False))
    for line in HELPERS.split("\n")[1:-1]:
        name, kind, reference = line.split()
        prefixes = ["__hexagon_", "__qdsp_"]
        prefixes += ["__hexagon_fast_", "__hexagon_fast2_"] if name in FAST.split() else []
        rows += [Function(f"{prefix}{name}", kind, reference, exact=True) for prefix in prefixes]
    return rows


FUNCTIONS = tuple(_rows())


def as_header() -> str:
    """The rows for C: ROW(NUMBER, SYMBOL, KIND, REFERENCE, EXACT)."""
    return "".join(
        f'ROW({number}, "{row.symbol}", {row.kind}, {row.reference}, {int(row.exact)})\n'
        for number, row in enumerate(FUNCTIONS)
    )
