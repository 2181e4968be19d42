#pragma once

int filter(int level);
