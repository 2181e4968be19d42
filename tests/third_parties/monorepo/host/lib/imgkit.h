#pragma once

int imgkit_widest(void);
