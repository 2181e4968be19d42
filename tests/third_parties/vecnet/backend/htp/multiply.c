#include "kernels.h"

KERNEL(op_multiply, Q6_Vw_vmpyie_VwVuh(a, Q6_V_vand_VV(b, Q6_V_vsplat_R(0x7fff))))
