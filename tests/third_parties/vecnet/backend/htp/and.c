#include "kernels.h"

KERNEL(op_and, Q6_V_vand_VV(a, b))
