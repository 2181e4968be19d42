#include "kernels.h"

KERNEL(op_sub, Q6_Vw_vsub_VwVw(a, b))
