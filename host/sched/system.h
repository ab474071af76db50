/* system.h - the simulated system: one fabric, with the CPU that runs the program as its first
 * component; each timed GPU adds its own.
 *
 * Threads: one thread creates and frees it, while none of its GPUs is simulated. */
#ifndef HEDDLE_SCHED_SYSTEM_H
#define HEDDLE_SCHED_SYSTEM_H

#include <stdint.h>

struct system;
struct fabric;

/* Creates the fabric with the CPU; `threads` >= 1 simulate its components. */
struct system *system_create(unsigned threads);
/* To be called after its GPUs are freed. */
void system_free(struct system *system);

struct fabric *system_fabric(const struct system *system);
/* Component number of the CPU: a driver (fabric.h), since programs act between windows only. */
uint32_t system_host(const struct system *system);

#endif
