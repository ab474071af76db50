/* ipc.h - memory of one program that others have opened (cudaIpcMemHandle_t).
 *
 * All programs of a run live in one address space, so memory has its address everywhere. Memory
 * whose program ends goes to another one that has it open; freed by its program before, it is gone
 * for all (CUDA: undefined). */
#ifndef HEDDLE_CUDA_OBJECT_IPC_H
#define HEDDLE_CUDA_OBJECT_IPC_H

#include "cuda/base/context.h"

/* Notes that the program has opened this memory of another one, once more. */
void ipc_open(struct program *p, uint64_t address);
/* Has the program opened this memory of another one? */
bool ipc_has_opened(const struct program *p, uint64_t address);
/* Takes one opening back. Memory whose program has ended is freed when nobody has it open. The
 * caller has waited for work that may use it. */
void ipc_close(struct server *s, struct program *p, uint64_t address);
/* Memory that ends with its program goes to another one that has opened it, if there is one. */
void ipc_bequeath(struct server *s, const struct program *p);

#endif
