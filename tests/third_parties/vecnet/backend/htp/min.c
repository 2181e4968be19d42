#include "kernels.h"

KERNEL(op_min, Q6_Vw_vmin_VwVw(a, b))
