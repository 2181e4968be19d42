#include "kernels.h"

KERNEL(op_greater, Q6_V_vand_QR(Q6_Q_vcmp_gt_VwVw(a, b), -1))
