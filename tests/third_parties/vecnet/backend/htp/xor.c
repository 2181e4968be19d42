#include "kernels.h"

KERNEL(op_xor, Q6_V_vxor_VV(a, b))
