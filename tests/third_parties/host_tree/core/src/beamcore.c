#include "beamcore.h"

int beamcore_weight(int angle) { return 180 - angle; }
