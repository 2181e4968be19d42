// What GCC's crtbeginS.o has for shared libraries of ARM64 Linux, and zig does not: the handle that
// atexit, C++ and pthread_atfork register functions with, and the call of these functions when the
// library is unloaded.  Without it, they are called when the program exits, and are gone by then.
// Source: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#dso-dtor

	.text
	.type	call_exit_functions, %function
call_exit_functions:
	.cfi_startproc
	hint	#34 // bti c
	adrp	x16, :got:__cxa_finalize
	ldr	x16, [x16, :got_lo12:__cxa_finalize]
	cbz	x16, no_libc
	adrp	x0, __dso_handle
	add	x0, x0, :lo12:__dso_handle
	br	x16
no_libc:
	ret
	.cfi_endproc
	.size	call_exit_functions, . - call_exit_functions
	.weak	__cxa_finalize // libraries with -nostdlib have none

// After the destructors without a priority, as with GCC, wherever the linker puts this file.
	.section .fini_array.65535, "aw", %fini_array
	.p2align 3
	.xword	call_exit_functions

// The address and the value identify the library.
	.section .data.rel.ro, "aw", %progbits
	.p2align 3
	.weak	__dso_handle // a library may have its own start files
	.hidden	__dso_handle
	.type	__dso_handle, %object
	.size	__dso_handle, 8
__dso_handle:
	.xword	__dso_handle

	.section .note.GNU-stack, "", %progbits
