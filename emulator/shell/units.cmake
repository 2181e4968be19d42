# Files that are compiled in one translation unit, see join_units.cmake.
set(shell_1 arguments buffers counts frames messages profile serve symbols)
set(shell_2 ../common/queue_ring ../common/text code_scan guarded invoke module_open regions
  stack_switch)
set(shell_3 counted_loops counted_rows hmx library link module_symbols trace user_dma)
set(shell_4 ../common/queue_end debugger image in_arguments log releases undecoded waits)
set(shell_5 ../common/queue_io facts image_tables module relocate saved_code unimplemented)
set(shell_6 ../common/wire ../hmx/forms fault main report requests running)
set(runtime_1 runtime/dl runtime/exit_functions runtime/hmx_lock runtime/libm runtime/qurt_signal)
set(runtime_2 runtime/dspqueue runtime/hap_other runtime/numbers runtime/release_requests
  runtime/vtcm)
set(runtime_3 runtime/contexts runtime/options runtime/posix runtime/posix_semaphore
  runtime/qurt_system)
set(runtime_4 runtime/park runtime/qurt_context runtime/qurt_mutex runtime/streams runtime/wide)
set(runtime_5 runtime/clock runtime/compute_res runtime/hap_mem runtime/locale runtime/qurt_pipe)
set(runtime_6 runtime/compiler runtime/cycle_counter runtime/hap_cache runtime/qurt_sync
  runtime/runtime)
set(runtime_7 runtime/ctype_tables runtime/hap_pls runtime/qurt_power runtime/signals
  runtime/threads)
set(runtime_8 runtime/environment runtime/farf runtime/hap_power runtime/stack runtime/time)
set(runtime_9 runtime/exclusive runtime/fenv runtime/heap runtime/stdio runtime/thread_local)
set(runtime_10 runtime/hap_perf runtime/posix_files runtime/qurt_mailbox runtime/qurt_thread
  runtime/strings)
set(runtime_11 runtime/hap_ps runtime/posix_sync runtime/resources runtime/unwind runtime/variadic)
set(runtime_12 runtime/files runtime/libc runtime/process runtime/qurt_tls)
set(translate_1 translate/qf_problems translate/qf_values)
set(translate_2 translate/extension_vectors translate/forms translate/functions translate/liveness
  translate/packet_graph translate/thunk_extensions translate/translate)
set(translate_3 translate/calls translate/extensions translate/qf_tags translate/thunk
  translate/thunk_origins translate/thunk_plan)
set(translate_4 translate/code translate/form_registers translate/qf_steps translate/references
  translate/thunk_code translate/thunk_vectors)
