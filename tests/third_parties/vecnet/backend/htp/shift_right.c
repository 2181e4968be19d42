#include "kernels.h"

KERNEL(op_shift_right, Q6_Vw_vasr_VwR(a, 3))
