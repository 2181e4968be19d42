# The files of musl that the emulated shell uses, by translation unit, below musl/src.  The link of the
# shell fails when one is missing.  Files of one unit define no name twice, except those in unit.h:
# those that do are in a unit apart.  Files of the units gnu and apart_1 define _GNU_SOURCE or get by
# with it.
set(musl_core
  ../crt/crt1 conf/sysconf dirent/closedir dirent/readdir env/__environ env/__init_tls
  env/__libc_start_main env/getenv errno/__errno_location errno/strerror exit/_Exit exit/abort
  exit/abort_lock exit/exit fcntl/open fenv/fegetexceptflag fenv/feholdexcept fenv/fesetexceptflag
  fenv/fesetround fenv/feupdateenv internal/defsysinfo internal/floatscan internal/intscan
  internal/libc internal/procfdname internal/shgetc internal/syscall_ret linux/prctl linux/sysinfo
  misc/a64l misc/getauxval misc/getrlimit misc/getsubopt mman/mmap network/recvmsg network/sendmsg
  process/_Fork process/posix_spawn_file_actions_adddup2 process/posix_spawn_file_actions_init
  process/waitpid sched/sched_yield search/tdelete search/tfind search/tsearch search/twalk
  select/poll signal/block signal/raise signal/sigaction signal/sigaltstack signal/sigismember
  signal/signal stat/futimens stat/mkdir stat/stat stat/statvfs stat/utimensat stdlib/atof
  stdlib/strtod stdlib/wcstod string/strerror_r temp/__randname temp/mkstemp thread/__lock
  thread/__syscall_cp thread/__wait thread/default_attr thread/lock_ptc
  thread/pthread_attr_destroy thread/pthread_attr_get thread/pthread_attr_init
  thread/pthread_attr_setdetachstate thread/pthread_attr_setstack thread/pthread_attr_setstacksize
  thread/pthread_cleanup_push thread/pthread_cond_broadcast thread/pthread_cond_init
  thread/pthread_cond_signal thread/pthread_cond_wait thread/pthread_condattr_destroy
  thread/pthread_condattr_init thread/pthread_condattr_setclock thread/pthread_detach
  thread/pthread_kill thread/pthread_mutex_init thread/pthread_mutex_lock
  thread/pthread_mutex_timedlock thread/pthread_mutex_trylock thread/pthread_mutex_unlock
  thread/pthread_mutexattr_destroy thread/pthread_mutexattr_init thread/pthread_mutexattr_settype
  thread/pthread_once thread/pthread_rwlock_rdlock thread/pthread_rwlock_timedrdlock
  thread/pthread_rwlock_timedwrlock thread/pthread_rwlock_tryrdlock
  thread/pthread_rwlock_trywrlock thread/pthread_rwlock_unlock thread/pthread_rwlock_wrlock
  thread/pthread_self thread/pthread_setcancelstate thread/pthread_setspecific
  thread/pthread_sigmask thread/pthread_testcancel time/__map_file time/__month_to_secs
  time/__secs_to_tm time/__tm_to_secs time/__year_to_secs time/asctime_r time/clock
  time/clock_gettime time/clock_nanosleep time/gmtime_r time/nanosleep time/strftime time/time
  time/timer_delete time/timer_settime time/times time/wcsftime unistd/ftruncate unistd/getcwd
  unistd/isatty unistd/lseek unistd/pipe2 unistd/pread unistd/read unistd/readlink unistd/readv
  unistd/write)
set(musl_math
  complex/__cexp complex/cabs complex/cabsf complex/cabsl complex/cacos complex/cacosf
  complex/cacosh complex/cacoshf complex/cacoshl complex/cacosl complex/carg complex/cargf
  complex/cargl complex/casin complex/casinf complex/casinh complex/casinhf complex/casinhl
  complex/casinl complex/catan complex/catanh complex/catanhf complex/catanhl complex/catanl
  complex/ccos complex/ccosf complex/ccosh complex/ccoshl complex/ccosl complex/cexp complex/cexpl
  complex/cimag complex/cimagf complex/cimagl complex/clog complex/clogf complex/clogl
  complex/conj complex/conjf complex/conjl complex/cpow complex/cpowf complex/cpowl complex/cproj
  complex/cprojf complex/cprojl complex/creal complex/crealf complex/creall complex/csin
  complex/csinf complex/csinhl complex/csinl complex/csqrt complex/csqrtf complex/csqrtl
  complex/ctan complex/ctanf complex/ctanh complex/ctanhf complex/ctanhl complex/ctanl math/__cos
  math/__math_invalid math/__math_invalidf math/__math_oflow math/__math_oflowf math/__math_uflow
  math/__math_uflowf math/__math_xflow math/__math_xflowf math/__sin math/acosh math/acosl
  math/asinf math/asinh math/asinhf math/asinhl math/asinl math/atan2 math/atan2l math/atanh
  math/atanhf math/atanhl math/cbrtl math/coshl math/erf math/erfl math/exp2f_data math/exp2l
  math/exp_data math/expl math/expm1 math/expm1l math/fma math/fmaf math/ilogb math/ilogbf
  math/ilogbl math/ldexp math/ldexpf math/ldexpl math/lgamma math/llrint math/llrintf math/llrintl
  math/llround math/llroundf math/llroundl math/log1pl math/logb math/logbf math/logbl math/logl
  math/nearbyint math/nearbyintf math/nearbyintl math/nextafter math/nextafterf math/nextafterl
  math/nexttoward math/nexttowardf math/nexttowardl math/pow math/pow_data math/powf_data
  math/powl math/remainder math/remainderf math/remainderl math/remquo math/remquof math/remquol
  math/scalbln math/scalblnf math/scalblnl math/scalbn math/scalbnf math/scalbnl math/signgam
  math/sinh math/sinhf math/sinhl math/tanhl math/tgammaf math/tgammal)
set(musl_text
  ctype/iswalnum ctype/iswalpha ctype/iswblank ctype/iswcntrl ctype/iswctype ctype/iswdigit
  ctype/iswgraph ctype/iswlower ctype/iswprint ctype/iswspace ctype/iswupper ctype/iswxdigit
  ctype/towctrans ctype/wctrans locale/__lctrans locale/__mo_lookup locale/c_locale
  locale/freelocale locale/langinfo locale/newlocale locale/uselocale locale/wcscoll
  locale/wcsxfrm multibyte/btowc multibyte/c16rtomb multibyte/c32rtomb multibyte/internal
  multibyte/mblen multibyte/mbrlen multibyte/mbrtoc16 multibyte/mbrtoc32 multibyte/mbrtowc
  multibyte/mbsinit multibyte/mbsnrtowcs multibyte/mbsrtowcs multibyte/mbstowcs multibyte/mbtowc
  multibyte/wcrtomb multibyte/wcsnrtombs multibyte/wcsrtombs multibyte/wcstombs multibyte/wctob
  multibyte/wctomb stdio/__fdopen stdio/__fmodeflags stdio/__lockfile stdio/__overflow
  stdio/__stdio_close stdio/__stdio_exit stdio/__stdio_read stdio/__stdio_seek stdio/__stdio_write
  stdio/__stdout_write stdio/__toread stdio/__towrite stdio/__uflow stdio/clearerr stdio/ext2
  stdio/fclose stdio/feof stdio/ferror stdio/fgetc stdio/fgets stdio/fgetwc stdio/fgetws
  stdio/fileno stdio/flockfile stdio/fopen stdio/fprintf stdio/fputc stdio/fputs stdio/fputwc
  stdio/fputws stdio/fread stdio/freopen stdio/fscanf stdio/fseek stdio/ftell stdio/funlockfile
  stdio/fwide stdio/fwrite stdio/getwc stdio/ofl stdio/ofl_add stdio/perror stdio/printf
  stdio/putc stdio/remove stdio/rename stdio/rewind stdio/setvbuf stdio/snprintf stdio/sprintf
  stdio/tempnam stdio/tmpfile stdio/tmpnam stdio/ungetc stdio/ungetwc stdio/vfprintf stdio/vfscanf
  stdio/vsnprintf stdio/vsprintf stdio/vsscanf stdio/vswscanf)
set(musl_gnu
  dirent/opendir fcntl/fcntl ldso/dladdr linux/clone linux/gettid linux/memfd_create linux/sbrk
  math/lgammal math/scalb misc/getopt misc/syscall mman/mremap process/posix_spawn sched/affinity
  search/hsearch stat/fstat stdio/fopencookie stdio/getw stdio/putw stdlib/ecvt stdlib/fcvt
  stdlib/gcvt temp/mkostemps temp/mktemp thread/pthread_create thread/pthread_getattr_np
  time/timegm)
set(musl_apart_1
  complex/__cexpf complex/catanf complex/ccoshf complex/cexpf ctype/iswpunct locale/locale_map
  math/atan2f math/erff math/expm1f math/j0 math/powf mman/munmap stdio/fflush stdio/ftrylockfile
  stdio/vfwprintf stdio/vfwscanf stdio/vswprintf stdlib/wcstol thread/__timedwait
  thread/pthread_cond_timedwait thread/pthread_join time/strptime)
set(musl_apart_2
  complex/csinh math/__expo2 math/j1 math/lgamma_r process/fork stat/fstatat stdio/stderr)
set(musl_apart_3
  complex/csinhf math/__expo2f math/jn math/tgamma stdio/stdout thread/pthread_key_create
  thread/vmlock time/__tz)
