#include "kernels.h"

KERNEL(op_average, Q6_Vw_vavg_VwVw(a, b))
