#include "kernels.h"

KERNEL(op_relu, Q6_Vw_vmax_VwVw(a, zero))
