/* thread_state.h - what the threads and processes of programs do, as /proc has it.
 *
 * Any thread may call these functions; they read files of /proc and change nothing. */
#ifndef HEDDLE_CUDA_BASE_THREAD_STATE_H
#define HEDDLE_CUDA_BASE_THREAD_STATE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The state of a thread: R runs, or waits for a processor; D waits for a disk; S sleeps; T and t
 * stopped; Z and X ended. '?': it is not there. */
char thread_state(int pid, int tid);
/* How often the thread has got a processor. It grows when a sleeping thread has run meanwhile. 0:
 * unknown. */
uint64_t thread_runs(int pid, int tid);
/* Whether the thread sleeps until another thread or a child of its process does something: without
 * a time limit, on a lock or condition (futex), or for a child. False if the system does not
 * tell. */
bool thread_sleeps_for_others(int pid, int tid);

/* The number of threads of a process; 0: it is not there. Cheaper than process_threads(). */
unsigned process_num_threads(int pid);
/* Appends the threads (int) of a process, in the order of their numbers. */
void process_threads(int pid, GArray *out);
/* Appends the children (int) of all threads of a process. */
void process_children(int pid, GArray *out);

#endif
