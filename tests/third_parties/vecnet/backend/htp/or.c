#include "kernels.h"

KERNEL(op_or, Q6_V_vor_VV(a, b))
