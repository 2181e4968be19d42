#include "kernels.h"

KERNEL(op_clamp, Q6_Vw_vmax_VwVw(Q6_Vw_vmin_VwVw(a, b), Q6_Vw_vsub_VwVw(zero, b)))
