#include "kernels.h"

KERNEL(op_max, Q6_Vw_vmax_VwVw(a, b))
