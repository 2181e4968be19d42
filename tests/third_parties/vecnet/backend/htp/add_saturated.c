#include "kernels.h"

KERNEL(op_add_saturated, Q6_Vw_vadd_VwVw_sat(a, b))
