/* ops.h - operations on streams and their dependencies. Stores their times; the GPU decides them.
 *
 * An operation waits for the one before it on its stream, for operations that the legacy stream's
 * rules name, and for operations of other streams that gpu_stream_wait() named. It becomes ready
 * when all of them have ended.
 *
 * Threads: one at a time, without a lock. The server's thread calls between windows, the scheduler
 * (ops_arrive(), ops_take_ready(), ops_end()) on its own thread during a window. */
#ifndef HEDDLE_SCHED_OPS_H
#define HEDDLE_SCHED_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/gpu.h"

enum op_kind { OP_LAUNCH, OP_COPY, OP_MARK, OP_CONDITION };
enum op_state { OP_WAITING, OP_READY, OP_RUNNING, OP_ENDED };

struct kernel; /* kernel.h: a launch with everything that it needs to run */

/* An operation on a stream. Times are picoseconds of target time. */
struct op {
    gpu_ticket ticket;
    enum op_kind kind;
    enum op_state state;
    bool given_up;    /* it ended without being performed */
    heddle_err error; /* of a launch that has failed */
    bool travels;     /* it is on its way to the GPU (message ISSUE) and waits for nothing else */
    uint32_t stream;
    uint32_t pending;  /* number of operations that it still waits for */
    uint64_t ready_ps; /* it starts no sooner; grows while it waits */
    uint64_t start_ps, end_ps;
    struct gpu_copy copy;
    struct gpu_condition condition;
    uint64_t first_look_ps, look_ps; /* first look at the condition, and next one */
    struct kernel *kernel;           /* OP_LAUNCH; else NULL */
    gpu_ticket *followers;           /* operations that wait for this one */
    uint32_t num_followers;
    size_t cap_followers;
    struct op *next_ready; /* in the list of ready operations, or a list of the scheduler */
};

struct ops;
/* Creates the operations of a GPU, with the legacy stream. */
struct ops *ops_create(void);
/* From now on, an operation that waits for no other one travels to the GPU, and becomes ready with
 * ops_arrive(). An operation that waits becomes ready when the last of the others has ended,
 * because it has reached the GPU before. */
void ops_let_travel(struct ops *o);
void ops_arrive(struct ops *o, gpu_ticket ticket);
void ops_free(struct ops *o);

uint32_t ops_stream_create(struct ops *o, unsigned flags, int priority); /* @return its number */
/* @return HEDDLE_ERR_ARGUMENT: the legacy stream, or none. Operations on the stream go on. */
heddle_err ops_stream_destroy(struct ops *o, uint32_t stream);
int ops_stream_priority(const struct ops *o, uint32_t stream);
bool ops_stream_exists(const struct ops *o, uint32_t stream);

/* Adds an operation at the end of its stream. The ops own it. @return HEDDLE_ERR_ARGUMENT: there is
 * no such stream. */
heddle_err ops_add(struct ops *o, enum op_kind kind, uint32_t stream, uint64_t ready_ps,
                   struct op **out);
/* Adds a point in the stream that is reached when `ticket` has ended, too; later operations wait
 * for it. */
heddle_err ops_stream_wait(struct ops *o, uint32_t stream, gpu_ticket ticket, uint64_t ready_ps,
                           struct op **out);

struct op *ops_get(const struct ops *o, gpu_ticket ticket); /* NULL: none, or it was dropped */
/* How an operation that may have been dropped has ended. @return false: it has not, or there is no
 * such ticket. */
struct op_end {
    uint64_t ps;
    bool given_up;
};
bool ops_ended(const struct ops *o, gpu_ticket ticket, struct op_end *out);
/* The oldest operation that was not dropped, if it has ended and at least `later` newer ones exist;
 * else NULL. */
struct op *ops_old(const struct ops *o, uint64_t later);
/* The operations that have ended, ever, in whatever order. */
uint64_t ops_num_ended(const struct ops *o);
/* Drops that operation; its end stays known. One that was given up or has failed stays whole. */
void ops_drop(struct ops *o);
uint64_t ops_unended(const struct ops *o); /* operations from the oldest not ended to the newest */
gpu_ticket ops_last(const struct ops *o, uint32_t stream); /* 0: none yet */
gpu_ticket ops_newest(const struct ops *o);
/* @return the oldest operation that has not ended, 0: all have. *ended_ps: the latest end of those
 * before it. */
gpu_ticket ops_oldest(const struct ops *o, uint64_t *ended_ps);

/* Takes the list of operations that have become ready since the last call, in the order in which
 * they became ready, linked by next_ready. */
struct op *ops_take_ready(struct ops *o);
/* Ends an operation at end_ps; the scheduler learns of it at heard_ps. Its followers may become
 * ready, no earlier than heard_ps. */
void ops_end(struct ops *o, struct op *op, uint64_t end_ps, uint64_t heard_ps);
/* Marks every operation that has not ended as given up; they end at end_ps. */
void ops_give_up(struct ops *o, uint64_t end_ps);

#endif
