/* AEEStdErr.h: error codes of FastRPC.
 *
 * A name has two values: the plain one for errors of the ARM side, and that plus 0x80000400 for
 * errors of the DSP side. So the value tells where a call failed.
 *
 * The names and values are those of the open-source libcdsprpc (quic/fastrpc, inc/AEEStdErr.h). */
#ifndef AEESTDERR_H
#define AEESTDERR_H

#define DSP_AEE_EOFFSET 0x80000400

/* 0x80000400 as an int, so that an int function returns a code without a conversion. The
 * preprocessor can still compare it. */
#if defined(__hexagon__)
#define AEE_EOFFSET (-0x7ffffc00)
#else
#define AEE_EOFFSET 0x00000000
#endif

/* Codes below this are from the kernel driver. Codes up to HLOS_ERR_END are from the ARM side. */
#define KERNEL_ERRNO_START (-1024)
#define HLOS_ERR_END 1024

#define AEE_SUCCESS 0
#define AEE_EUNKNOWN (-1)

/* Values that are the same on both sides. */
#define AEE_ENOSUCH 39      /* no such name, port or socket */
#define AEE_EINTERRUPTED 46 /* interrupted: return to the host and call again */
#define AEE_ECONNRESET 104  /* the DSP restarted */
#define AEE_EWOULDBLOCK 516 /* would block */

/* Basic errors. */
#define AEE_EFAILED (AEE_EOFFSET + 0x001)            /* general failure */
#define AEE_ENOMEMORY (AEE_EOFFSET + 0x002)          /* out of memory */
#define AEE_ECLASSNOTSUPPORT (AEE_EOFFSET + 0x003)   /* class not supported */
#define AEE_EVERSIONNOTSUPPORT (AEE_EOFFSET + 0x004) /* version not supported */
#define AEE_EALREADYLOADED (AEE_EOFFSET + 0x005)     /* already loaded */
#define AEE_EUNABLETOLOAD (AEE_EOFFSET + 0x006)      /* shared object not found or not loadable */
#define AEE_EUNABLETOUNLOAD (AEE_EOFFSET + 0x007)    /* cannot unload */
#define AEE_EALARMPENDING (AEE_EOFFSET + 0x008)      /* alarm pending */
#define AEE_EINVALIDTIME (AEE_EOFFSET + 0x009)       /* invalid time */
#define AEE_EBADCLASS (AEE_EOFFSET + 0x00A)          /* no class object */
#define AEE_EBADMETRIC (AEE_EOFFSET + 0x00B)         /* invalid metric */
#define AEE_EEXPIRED (AEE_EOFFSET + 0x00C)           /* expired */
#define AEE_EBADSTATE                                                                            \
    (AEE_EOFFSET + 0x00D) /* not in the expected state; for a handle: its DSP process is gone */
#define AEE_EBADPARM (AEE_EOFFSET + 0x00E)            /* invalid parameter */
#define AEE_ESCHEMENOTSUPPORTED (AEE_EOFFSET + 0x00F) /* URI scheme not supported */
#define AEE_EBADITEM (AEE_EOFFSET + 0x010)            /* value out of range */
#define AEE_EINVALIDFORMAT (AEE_EOFFSET + 0x011)      /* invalid format */
#define AEE_EINCOMPLETEITEM (AEE_EOFFSET + 0x012)     /* item shorter than announced */
#define AEE_ENOPERSISTMEMORY (AEE_EOFFSET + 0x013)    /* no persistent memory left */
#define AEE_EUNSUPPORTED (AEE_EOFFSET + 0x014)        /* not implemented here */
#define AEE_EPRIVLEVEL (AEE_EOFFSET + 0x015)          /* not enough privilege */
#define AEE_ERESOURCENOTFOUND (AEE_EOFFSET + 0x016)   /* resource not found */
#define AEE_EREENTERED (AEE_EOFFSET + 0x017)          /* not re-entrant */
#define AEE_EBADTASK (AEE_EOFFSET + 0x018)            /* wrong task */
#define AEE_EALLOCATED (AEE_EOFFSET + 0x019)          /* memory left allocated */
#define AEE_EALREADY (AEE_EOFFSET + 0x01A)            /* already in progress */
#define AEE_EADSAUTHBAD (AEE_EOFFSET + 0x01B)         /* mutual authorisation failed */
#define AEE_ENEEDSERVICEPROG (AEE_EOFFSET + 0x01C)    /* needs service programming */
#define AEE_EMEMPTR (AEE_EOFFSET + 0x01D)             /* pointer should be NULL */
#define AEE_EHEAP (AEE_EOFFSET + 0x01E)               /* heap is corrupt */
#define AEE_EIDLE (AEE_EOFFSET + 0x01F)               /* idle */
#define AEE_EITEMBUSY (AEE_EOFFSET + 0x020)           /* item busy */
#define AEE_EBADSID (AEE_EOFFSET + 0x021)             /* invalid subscriber id */
#define AEE_ENOTYPE (AEE_EOFFSET + 0x022)             /* no type found */
#define AEE_ENEEDMORE (AEE_EOFFSET + 0x023)           /* more data needed */
#define AEE_EADSCAPS (AEE_EOFFSET + 0x024)            /* capabilities do not match */
#define AEE_EBADSHUTDOWN (AEE_EOFFSET + 0x025)        /* was not closed properly */
#define AEE_EBUFFERTOOSMALL (AEE_EOFFSET + 0x026)     /* destination too small */
#define AEE_EACKPENDING (AEE_EOFFSET + 0x028)         /* acknowledgement pending */
#define AEE_ENOTOWNER (AEE_EOFFSET + 0x029)           /* not the owner */
#define AEE_EINVALIDITEM (AEE_EOFFSET + 0x02A)        /* invalid item */
#define AEE_ENOTALLOWED (AEE_EOFFSET + 0x02B)         /* not allowed */
#define AEE_EINVHANDLE (AEE_EOFFSET + 0x02C)          /* invalid handle */
#define AEE_EOUTOFHANDLES (AEE_EOFFSET + 0x02D)       /* handle table full */
#define AEE_ENOMORE (AEE_EOFFSET + 0x02F)             /* no more items */
#define AEE_ECPUEXCEPTION (AEE_EOFFSET + 0x030)       /* CPU exception */
#define AEE_EREADONLY (AEE_EOFFSET + 0x031)           /* read only */
#define AEE_ERPC (AEE_EOFFSET + 0x200)                /* failure inside FastRPC itself */
#define AEE_EFILE (AEE_EOFFSET + 0x201)               /* file handling failed */

/* Loading and verification of modules. */
#define AEE_EINVALIDMSG (AEE_EOFFSET + 0x032)        /* invalid message */
#define AEE_EINVALIDTHREAD (AEE_EOFFSET + 0x033)     /* invalid thread */
#define AEE_EINVALIDPROCESS (AEE_EOFFSET + 0x034)    /* invalid process */
#define AEE_EINVALIDFILENAME (AEE_EOFFSET + 0x035)   /* invalid file name */
#define AEE_EINVALIDDIGESTSIZE (AEE_EOFFSET + 0x036) /* invalid digest size */
#define AEE_EINVALIDSEGS (AEE_EOFFSET + 0x037)       /* invalid segments */
#define AEE_EINVALIDSIGNATURE (AEE_EOFFSET + 0x038)  /* invalid signature */
#define AEE_EINVALIDDOMAIN (AEE_EOFFSET + 0x039)     /* invalid domain */
#define AEE_EINVALIDFD (AEE_EOFFSET + 0x03A)         /* invalid file descriptor */
#define AEE_EINVALIDDEVICE (AEE_EOFFSET + 0x03B)     /* device node could not be opened */
#define AEE_EINVALIDMODE (AEE_EOFFSET + 0x03C)       /* invalid mode */
#define AEE_EINVALIDPROCNAME (AEE_EOFFSET + 0x03D)   /* invalid process name */
#define AEE_ENOSUCHMOD (AEE_EOFFSET + 0x03E)         /* no such module */
#define AEE_ENOSUCHINSTANCE (AEE_EOFFSET + 0x03F)    /* no such instance */
#define AEE_ENOSUCHTHREAD (AEE_EOFFSET + 0x040)      /* no such thread */
#define AEE_ENOSUCHPROCESS (AEE_EOFFSET + 0x041)     /* no such process */
#define AEE_ENOSUCHSYMBOL (AEE_EOFFSET + 0x042)      /* the module lacks the symbol */
#define AEE_ENOSUCHDEVICE (AEE_EOFFSET + 0x043)      /* no such device */
#define AEE_ENOSUCHPROP (AEE_EOFFSET + 0x044)        /* no such property */
#define AEE_ENOSUCHFILE (AEE_EOFFSET + 0x045)        /* no such file */
#define AEE_ENOSUCHHANDLE (AEE_EOFFSET + 0x046)      /* no such handle */
#define AEE_ENOSUCHSTREAM (AEE_EOFFSET + 0x047)      /* no such stream */
#define AEE_ENOSUCHMAP (AEE_EOFFSET + 0x048)         /* address not mapped on the DSP */
#define AEE_ENOSUCHREGISTER (AEE_EOFFSET + 0x049)    /* no such register */
#define AEE_ENOSUCHCLIENT (AEE_EOFFSET + 0x04A)      /* no such client */
#define AEE_EBADDOMAIN (AEE_EOFFSET + 0x04B)         /* domain not initialised */
#define AEE_EBADOFFSET (AEE_EOFFSET + 0x04C)         /* bad offset */
#define AEE_EBADSIZE (AEE_EOFFSET + 0x04D)           /* bad size */
#define AEE_EBADPERMS (AEE_EOFFSET + 0x04E)          /* bad permissions of a file, map or memory */
#define AEE_EBADFD (AEE_EOFFSET + 0x04F)             /* bad file descriptor */
#define AEE_EBADPID (AEE_EOFFSET + 0x050)            /* bad process id */
#define AEE_EBADTID (AEE_EOFFSET + 0x051)            /* bad thread id */
#define AEE_EBADELF (AEE_EOFFSET + 0x052)         /* corrupt ELF file, or one for another machine */
#define AEE_EBADASID (AEE_EOFFSET + 0x053)        /* bad address space id */
#define AEE_EBADCONTEXT (AEE_EOFFSET + 0x054)     /* bad context */
#define AEE_EBADMEMALIGN (AEE_EOFFSET + 0x055)    /* bad alignment */
#define AEE_EIOCTL (AEE_EOFFSET + 0x056)          /* ioctl failed */
#define AEE_EFOPEN (AEE_EOFFSET + 0x057)          /* open failed */
#define AEE_EFGETS (AEE_EOFFSET + 0x058)          /* reading a line failed */
#define AEE_EFFLUSH (AEE_EOFFSET + 0x059)         /* flush failed */
#define AEE_EFCLOSE (AEE_EOFFSET + 0x05A)         /* close failed */
#define AEE_EEOF (AEE_EOFFSET + 0x05B)            /* end of file */
#define AEE_EFREAD (AEE_EOFFSET + 0x05C)          /* read failed */
#define AEE_EFWRITE (AEE_EOFFSET + 0x05D)         /* write failed */
#define AEE_EFGETPOS (AEE_EOFFSET + 0x05E)        /* fgetpos failed */
#define AEE_EFSETPOS (AEE_EOFFSET + 0x05F)        /* fsetpos failed */
#define AEE_EFTELL (AEE_EOFFSET + 0x060)          /* ftell failed */
#define AEE_EFSEEK (AEE_EOFFSET + 0x061)          /* fseek failed */
#define AEE_EFLEN (AEE_EOFFSET + 0x062)           /* file longer than expected */
#define AEE_EGETENV (AEE_EOFFSET + 0x063)         /* getenv failed */
#define AEE_ESETENV (AEE_EOFFSET + 0x064)         /* setenv failed */
#define AEE_EMMAP (AEE_EOFFSET + 0x065)           /* mmap failed */
#define AEE_EIONMAP (AEE_EOFFSET + 0x066)         /* mapping of a shared buffer failed */
#define AEE_EIONALLOC (AEE_EOFFSET + 0x067)       /* allocation of a shared buffer failed */
#define AEE_ENORPCMEMORY (AEE_EOFFSET + 0x068)    /* no shared memory, or no access to it */
#define AEE_ENOROOTOFTRUST (AEE_EOFFSET + 0x069)  /* no root of trust */
#define AEE_ENOTLOCKED (AEE_EOFFSET + 0x06A)      /* was not locked */
#define AEE_ENOTINITIALIZED (AEE_EOFFSET + 0x06B) /* not initialised */
#define AEE_EUNSUPPORTEDAPI (AEE_EOFFSET + 0x06C) /* request id not supported */
#define AEE_EUNPACK (AEE_EOFFSET + 0x06D)         /* unpacking failed */
#define AEE_EPOLL (AEE_EOFFSET + 0x06E)           /* poll failed */
#define AEE_EEVENTREAD (AEE_EOFFSET + 0x06F)      /* reading an event failed */
#define AEE_EMAXBUFS (AEE_EOFFSET + 0x070)        /* too many buffers */
#define AEE_EINVARGS (AEE_EOFFSET + 0x071)        /* invalid arguments */
#define AEE_ECONNREFUSED                                                                          \
    (AEE_EOFFSET + 0x072) /* no connection to the DSP: no device node, no permission, DSP down */
#define AEE_EUNSIGNEDMOD (AEE_EOFFSET + 0x081)       /* unsigned module in a signed process */
#define AEE_EINVALIDHASH (AEE_EOFFSET + 0x082)       /* invalid hash */
#define AEE_EBADVA (AEE_EOFFSET + 0x083)             /* bad virtual address */
#define AEE_ENOSUCHJOB (AEE_EOFFSET + 0x084)         /* no such job */
#define AEE_ENOSUCHGROUP (AEE_EOFFSET + 0x084)       /* no such static process group */
#define AEE_EBADMAPREFCNT (AEE_EOFFSET + 0x085)      /* bad reference count of a map */
#define AEE_EBADPAGECNT (AEE_EOFFSET + 0x086)        /* bad page count */
#define AEE_EMAPALREADYPRESENT (AEE_EOFFSET + 0x087) /* already mapped */
#define AEE_ENOFREESECTION (AEE_EOFFSET + 0x088)     /* no free section */
#define AEE_U2GCLIENT_OPEN (AEE_EOFFSET + 0x089)     /* client open failed */
#define AEE_ENOSESSION (AEE_EOFFSET + 0x08A)         /* no session available */

/* Errors of the transport. */
#define AEE_EGLINK_OFFSET (AEE_EOFFSET + 0x100)     /* first of the transport's codes */
#define AEE_EGLINKBADPACKET (AEE_EOFFSET + 0x101)   /* bad packet size */
#define AEE_EGLINKALREADYOPEN (AEE_EOFFSET + 0x102) /* port already open */
#define AEE_EGLINKOPENFAILED (AEE_EOFFSET + 0x103)  /* port open failed */
#define AEE_EGLINKWRITE (AEE_EOFFSET + 0x104)       /* port write failed */
#define AEE_EGLINKREGISTER (AEE_EOFFSET + 0x105)    /* callback registration failed */
#define AEE_ESMD_OFFSET (AEE_EOFFSET + 0x100)       /* the same with its older name */
#define AEE_ESMDBADPACKET (AEE_EOFFSET + 0x101)     /* bad packet size */
#define AEE_ESMDALREADYOPEN (AEE_EOFFSET + 0x102)   /* port already open */
#define AEE_ESMDOPENFAILED (AEE_EOFFSET + 0x103)    /* port open failed */

/* Errors of the device access layer. */
#define AEE_EDAL_OFFSET (AEE_EOFFSET + 0x120)       /* first of these codes */
#define AEE_EDALDEVATTACH (AEE_EOFFSET + 0x121)     /* attach failed */
#define AEE_EDALINTREGISTER (AEE_EOFFSET + 0x122)   /* interrupt registration failed */
#define AEE_EDALINTUNREGISTER (AEE_EOFFSET + 0x123) /* interrupt deregistration failed */
#define AEE_EDALGETPROP (AEE_EOFFSET + 0x124)       /* property not read */
#define AEE_EDALGETVAL (AEE_EOFFSET + 0x125)        /* value not read */
#define AEE_EDCVSREQUEST (AEE_EOFFSET + 0x126)      /* clock request failed */

/* Errors of QuRT. */
#define AEE_EQURT_OFFSET (AEE_EOFFSET + 0x140)        /* first of these codes */
#define AEE_EQURTREGIONCREATE (AEE_EOFFSET + 0x141)   /* region not created */
#define AEE_EQURTCACHECLEAN (AEE_EOFFSET + 0x142)     /* cache clean failed */
#define AEE_EQURTREGIONGETATTR (AEE_EOFFSET + 0x143)  /* region attribute not read */
#define AEE_EQURTBADREGIONPERMS (AEE_EOFFSET + 0x144) /* bad region permissions */
#define AEE_EQURTMEMPOOLADD (AEE_EOFFSET + 0x145)     /* not added to the memory pool */
#define AEE_EQURTREGISTERDEV (AEE_EOFFSET + 0x146)    /* device not registered */
#define AEE_EQURTMEMPOOLCREATE (AEE_EOFFSET + 0x147)  /* memory pool not created */
#define AEE_EQURTGETVA (AEE_EOFFSET + 0x148)          /* address not found */
#define AEE_EQURTREGIONDELETE (AEE_EOFFSET + 0x149)   /* region not deleted */
#define AEE_EQURTMEMPOOLATTACH (AEE_EOFFSET + 0x14A)  /* memory pool not attached */
#define AEE_EQURTTHREADCREATE (AEE_EOFFSET + 0x14B)   /* thread not created */
#define AEE_EQURTCOPYTOUSER (AEE_EOFFSET + 0x14C)     /* copy to user failed */
#define AEE_EQURTMEMMAPCREATE (AEE_EOFFSET + 0x14D)   /* map not created */
#define AEE_EQURTINVHANDLE (AEE_EOFFSET + 0x14E)      /* invalid client handle */
#define AEE_EQURTBADASID                                                              \
    (AEE_EOFFSET + 0x14F) /* bad address space, or firmware without user processes */
#define AEE_EQURTOPENFAILED (AEE_EOFFSET + 0x150)      /* open failed */
#define AEE_EQURTCOPYFROMUSER (AEE_EOFFSET + 0x151)    /* copy from user failed */
#define AEE_EQURTLINELOCK (AEE_EOFFSET + 0x152)        /* line lock failed */
#define AEE_EQURTQDIDEFMETHOD (AEE_EOFFSET + 0x153)    /* default method failed */
#define AEE_EQURTCREATEHANDLE (AEE_EOFFSET + 0x154)    /* handle not created */
#define AEE_EQURTWRITABLEMEM (AEE_EOFFSET + 0x155)     /* memory is writable */
#define AEE_EQURTTHREADCREATEDEF (AEE_EOFFSET + 0x156) /* thread not created */
#define AEE_EQURTLOOKUPVA (AEE_EOFFSET + 0x157)        /* virtual address look-up failed */
#define AEE_EQURTLOOKUPPA (AEE_EOFFSET + 0x158)        /* physical address look-up failed */
#define AEE_EQURTMIGRATESECURE (AEE_EOFFSET + 0x159)   /* migration failed */
#define AEE_EQURTQDIOPEN (AEE_EOFFSET + 0x160)         /* open failed */
#define AEE_EQURTMAPREMOVE (AEE_EOFFSET + 0x161)       /* map not removed */
#define AEE_EQURTQDICLOSE (AEE_EOFFSET + 0x162)        /* close failed */
#define AEE_EQURTWAIT (AEE_EOFFSET + 0x163)            /* futex wait failed */

/* Errors of power and clocks. */
#define AEE_EMMPM_OFFSET (AEE_EOFFSET + 0x170)      /* first of these codes */
#define AEE_EMMPMREQUEST (AEE_EOFFSET + 0x171)      /* request failed */
#define AEE_EMMPMRELEASE (AEE_EOFFSET + 0x172)      /* release failed */
#define AEE_EMMPMSETPARAM (AEE_EOFFSET + 0x173)     /* parameter not set */
#define AEE_EMMPMREGISTER (AEE_EOFFSET + 0x174)     /* registration failed */
#define AEE_EMMPMGETINFO (AEE_EOFFSET + 0x175)      /* information not read */
#define AEE_EMAX_MMPM_CLIENTS (AEE_EOFFSET + 0x176) /* too many clients */
#define AEE_EDCVSREGISTER (AEE_EOFFSET + 0x177)     /* client not registered */
#define AEE_PDRREGFAIL (AEE_EOFFSET + 0x178)        /* restart service not registered */
/* Errors of processes and jobs. */
#define AEE_DEFAULT_PROCESS (AEE_EOFFSET + 0x180)     /* default process missing */
#define AEE_ENULLCONTEXT (AEE_EOFFSET + 0x181)        /* NULL context */
#define AEE_EINVALIDJOB (AEE_EOFFSET + 0x182)         /* invalid asynchronous job */
#define AEE_EBUSY (AEE_EOFFSET + 0x183)               /* asynchronous job still pending */
#define E_APPS_BUSY_RETRY_LATER (AEE_EOFFSET + 0x190) /* the host is busy */
#define E_HLOS_CAP_REACHED (AEE_EOFFSET + 0x191)      /* no more memory from the host */
#define E_DPOOL_CAP_REACHED (AEE_EOFFSET + 0x192)     /* no more physical pool */
#define E_NO_MORE_FREE_SECTIONS (AEE_EOFFSET + 0x193) /* heap has no section left to grow */
#define AEE_ESTUBSKELVERMISMATCH                                                \
    (AEE_EOFFSET + 0x194) /* the stub's IDL_VERSION is newer than the skel's */

#define AEE_EBADHANDLE AEE_EINVHANDLE

#endif
