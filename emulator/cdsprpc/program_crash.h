/* program_crash.h: reports the crash of the program itself, on the ARM64 side. */
#ifndef BUILDTOOL_CDSPRPC_PROGRAM_CRASH_H
#define BUILDTOOL_CDSPRPC_PROGRAM_CRASH_H

/* Handles the signals of crashes that have no handler yet, if `buildtool` reads reports. */
void program_crash_catch(void);
/* Removes the handlers, before the library is unloaded. */
void program_crash_forget(void);

#endif
