#include "kernels.h"

KERNEL(op_negate, Q6_Vw_vsub_VwVw(zero, a))
