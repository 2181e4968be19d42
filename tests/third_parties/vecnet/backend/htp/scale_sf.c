#include "kernels.h"

KERNEL(op_scale_sf, Q6_Vsf_vmpy_VsfVsf(a, b))
