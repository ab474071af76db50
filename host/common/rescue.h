/* rescue.h - a way back for a thread that runs out of memory for a small block (memory.h), in place
 * of the end of the process. The library sets one for each call, and threads of the simulation that
 * serve such a call set one of their own.
 *
 * What the thread was doing is left half done: nothing of it may be used, nor freed, afterwards. */
#ifndef HEDDLE_COMMON_RESCUE_H
#define HEDDLE_COMMON_RESCUE_H

#include <setjmp.h>
#include <stddef.h>

struct heddle_rescue {
    jmp_buf back;     /* heddle_out_of_memory() jumps here with 1 */
    const char *what; /* it sets these: for what, and how many bytes; 0: not known */
    size_t bytes;
};

/* Sets the calling thread's way back; NULL: none. `r` must stay, and the function that has called
 * setjmp(r->back) must not return, until another one is set. @return the one before. */
struct heddle_rescue *heddle_rescue_set(struct heddle_rescue *r);
/* The calling thread's. */
struct heddle_rescue *heddle_rescue_get(void);

#endif
