/* ipc.h - memory of one program that others have opened (cudaIpcMemHandle_t).
 *
 * All programs of a run share one address space, so memory has the same address in each. When a
 * program ends, its memory passes to another program that has it open. When a program frees its
 * memory, it is gone for all of them (CUDA: undefined). */
#ifndef HEDDLE_CUDA_OBJECT_IPC_H
#define HEDDLE_CUDA_OBJECT_IPC_H

#include "cuda/base/address_space.h"
#include "cuda/base/context.h"

/* Adds an opening of another program's memory; memory may be opened several times. */
bool ipc_open(struct program *p, uint64_t address);
/* True if the program has this memory of another program open. */
bool ipc_has_opened(const struct program *p, uint64_t address);
/* The allocation that contains all of [address, address + bytes), if the calling program owns it or
 * has it open; else NULL: to a program, other programs' memory is not there. */
const struct memory_block *ipc_reachable(const struct call *call, uint64_t address, uint64_t bytes);
/* Removes one opening. Memory whose owner has ended is freed with the last opening. The caller must
 * have waited for work that may use it. */
void ipc_close(struct server *s, struct program *p, uint64_t address);
/* A program ends, or is reset: its kernels may not access other programs' memory any more. */
void ipc_leave(struct server *s, const struct program *p);
/* A program ends: passes ownership of its memory to programs that have it open. */
void ipc_bequeath(struct server *s, const struct program *p);

#endif
