/* domain_default.h: another name of domain.h. */
#include "domain.h"
