#include "kernels.h"

KERNEL(op_not, Q6_V_vnot_V(a))
