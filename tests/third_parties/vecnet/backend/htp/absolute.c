#include "kernels.h"

KERNEL(op_absolute, Q6_Vw_vabs_Vw(a))
