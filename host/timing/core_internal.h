/* core_internal.h - the inside of a timing core, shared by core.c (its life, parameters, counters)
 * and core_run.c (rings and runs). */
#ifndef HEDDLE_TIMING_CORE_INTERNAL_H
#define HEDDLE_TIMING_CORE_INTERNAL_H

#include "timing/core.h"
#include "timing/core_pace.h"
#include "timing/xrt.h"

enum {
    BEAT_WORDS = 8,  /* 64-bit words of a beat */
    BEAT_EVENTS = 4, /* events of a beat, 16 bytes each */
};

/* A buffer that host and core share. */
struct ring {
    xrtBufferHandle buffer;
    uint64_t *words; /* the buffer mapped into this process */
    uint32_t beats;  /* size, a power of two */
};

/* A run of the kernel: its arguments, and where its report goes. */
struct core_flight {
    xrtRunHandle run;
    struct ring report;
    bool flies;    /* started, and not known to have ended */
    uint64_t from; /* core_pace.h */
};

/* A core: its library, its open device and its rings. One thread at a time. */
struct core {
    struct xrt xrt; /* the loaded library */
    xrtDeviceHandle device;
    xrtKernelHandle kernel;
    struct ring commands, events;
    enum core_rings rings;
    const char *advice;  /* end of a message of an XRT function that failed */
    uint32_t timeout_ms; /* of a run */
    uint32_t tail;       /* command beats appended since reset */
    uint32_t delivered;  /* of those, announced to the core by a run */
    uint32_t first;      /* before time passes, the core takes those before this one */
    uint32_t taken;      /* of those, taken by the core: their places are free */
    uint32_t head;       /* event beats read since reset */
    uint32_t run_until;  /* core cycle of the last start, which deliveries repeat */
    /* Run number n (from 1) is flight[n % CORE_FLIGHTS]; `started` is at most CORE_FLIGHTS more
     * than `landed`. Of the runs that core_start() began, the caller does not know of the end of
     * the last `untold`. */
    struct core_flight flight[CORE_FLIGHTS];
    uint32_t started, landed, untold;
    const uint64_t *report; /* of the run that landed last */
    struct core_pace pace;
    struct events {
        uint64_t *word;    /* two per event */
        size_t count, max; /* events */
    } made, shown;         /* since the last core_finish(); of the last core_finish() */
    uint64_t *nowhere;     /* place of commands after an error */
    struct core_info info;
    struct heddle_diag diag;
    heddle_err failed;
};

/* core_run.c: records in core->failed and core->diag that an XRT function failed, with errno's text
 * if it is set. The core is unusable after it. @return HEDDLE_ERR_BACKEND. */
heddle_err core_fail(struct core *core, const char *what);
/* Waits for the runs that are under way, also after an error, at most a second each. @return false:
 * one has not ended, and may still access its buffers. */
bool core_ground(struct core *core);
/* Waits for all runs that were started. @return core->failed. */
heddle_err core_land_all(struct core *core);

#endif
