#include "kernels.h"

KERNEL(op_half_difference, Q6_Vw_vnavg_VwVw(a, b))
