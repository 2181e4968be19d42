#pragma once

int beamcore_weight(int angle);
