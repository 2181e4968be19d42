# Files that are compiled in one translation unit, see join_units.cmake.
set(cdsprpc_1 command handles mapping open session)
set(cdsprpc_2 config dspqueue invoke register ../common/queue_ring)
set(cdsprpc_3 control library rpcmem search settings)
set(cdsprpc_4 async crashes log session_control start)
set(cdsprpc_5 libraries notifiers program_crash uri ../common/text)
set(cdsprpc_6 memory sessions watch ../common/queue_end)
set(cdsprpc_7 message threads ../common/queue_io ../common/wire)
