#include "kernels.h"

KERNEL(op_shift_left, Q6_Vw_vasl_VwR(a, 3))
