#pragma once

enum { IMGKIT_WIDEST = 4096 };
