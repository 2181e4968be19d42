#include "kernels.h"

KERNEL(op_sub_saturated, Q6_Vw_vsub_VwVw_sat(a, b))
