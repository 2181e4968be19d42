#include "kernels.h"

KERNEL(op_add, Q6_Vw_vadd_VwVw(a, b))
