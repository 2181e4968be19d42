#include "kernels.h"

KERNEL(op_scale_qf32, Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(a, b)))
