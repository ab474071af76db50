/* heddle_shmem_abi.h - what kernels and the command processor share: the state of a PE, its queues
 * and their entries. Plain C, for kernels and for the simulator. All lies in the PE's device
 * memory, but the queues may be in the host's: what kernels alone write and read is still near
 * them.
 *
 * A kernel that wants the network writes a command into a queue of its PE, and the command
 * processor carries it out. Each queue is a ring; commands are numbered from 0, and a command's
 * place is number % HEDDLE_SHMEM_ENTRIES. The steps:
 *
 *   kernel             takes a number (adds 1 to write_idx), waits until number - read_idx is less
 *                      than HEDDLE_SHMEM_ENTRIES (read_seen, what it last found there, will do),
 *                      fills the entry, then stores status = number << 2 | READY, with release
 *                      order
 *   command processor  sees READY, reads the entry, issues it
 *   command processor  stores status = number << 2 | DONE: at once for a command whose completion
 *                      nobody waits for, else when it has completed
 *   kernel             of a blocking command: waits for DONE. It reads the result of one with
 *                      HEDDLE_SHMEM_FETCH and then stores status = number << 2 | FREE
 *   command processor  moves read_idx past entries that are DONE, or FREE again after a FETCH
 *
 * Numbers are 30 bits wide and wrap. */
#ifndef HEDDLE_SHMEM_ABI_H
#define HEDDLE_SHMEM_ABI_H

#define HEDDLE_SHMEM_VERSION 3
#define HEDDLE_SHMEM_ENTRIES 64     /* of a queue */
#define HEDDLE_SHMEM_INLINE 8       /* bytes of a value that travels in its entry */
#define HEDDLE_SHMEM_RESERVED 65536 /* bytes at the start of the heap: heddle_shmem_teams.h */
#define HEDDLE_SHMEM_NUMBER 0x3fffffffu

/* The reserved bytes are teams (heddle_shmem_teams.h), each with who is in it (start, stride, size,
 * this PE's place: int), and at these offsets words to which other members add: arrivals in each
 * round of a sync, and messages from each member. */
#define HEDDLE_SHMEM_TEAM_BYTES 2048
#define HEDDLE_SHMEM_TEAM_ROUNDS 640
#define HEDDLE_SHMEM_TEAM_ARRIVED 704
#define HEDDLE_SHMEM_TEAM_WORDS 1216 /* this PE's own again */

enum heddle_shmem_status {
    HEDDLE_SHMEM_FREE = 0,
    HEDDLE_SHMEM_READY = 1, /* the kernel has written the entry */
    HEDDLE_SHMEM_DONE = 3,  /* the command processor has done what the kernel waits for */
};

enum heddle_shmem_op {
    HEDDLE_SHMEM_PUT = 1,    /* writes `bytes` from `local` to `remote` of `pe` */
    HEDDLE_SHMEM_GET = 2,    /* reads `bytes` from `remote` of `pe` to `local` */
    HEDDLE_SHMEM_ATOMIC = 3, /* `amo` with `operand` (and `compare`) on `width` bytes at `remote` */
    HEDDLE_SHMEM_QUIET = 4,  /* is done when all earlier commands of the queue have completed */
    HEDDLE_SHMEM_NUM_OPS = 5,
};

/* Flags of an entry. */
enum heddle_shmem_flag {
    HEDDLE_SHMEM_BLOCKING = 1, /* the kernel waits for its completion */
    HEDDLE_SHMEM_IN_ENTRY = 2, /* PUT: the bytes are `local` itself, at most HEDDLE_SHMEM_INLINE */
    HEDDLE_SHMEM_FETCH = 4,    /* ATOMIC: the old value goes to `local` */
    HEDDLE_SHMEM_SIGNAL = 8, /* PUT: then `amo` (SET, ADD) with `operand` on 8 bytes at `signal` */
};

enum heddle_shmem_amo {
    HEDDLE_SHMEM_AMO_READ,
    HEDDLE_SHMEM_AMO_SET,
    HEDDLE_SHMEM_AMO_ADD,
    HEDDLE_SHMEM_AMO_AND,
    HEDDLE_SHMEM_AMO_OR,
    HEDDLE_SHMEM_AMO_XOR,
    HEDDLE_SHMEM_AMO_CAS,
    HEDDLE_SHMEM_NUM_AMOS,
};

/* A command. 64 bytes, half a line. `remote`, `signal`: symmetric addresses, as the caller has
 * them. */
struct heddle_shmem_entry {
    unsigned int status; /* number << 2 | enum heddle_shmem_status */
    union {
        struct {
            unsigned char op, flags, amo, width;
        };
        unsigned int what; /* all four */
    };
    unsigned int pe;
    unsigned int reserved;
    unsigned long long remote, local, bytes;
    unsigned long long signal; /* or `compare` of an ATOMIC */
    unsigned long long operand;
    unsigned long long time; /* kept for counters of whoever fills it */
};

/* The kernels' side of a queue, in device memory. */
struct heddle_shmem_producer {
    unsigned int write_idx;
    unsigned int complete;  /* a quiet has found all commands before this number complete */
    unsigned int read_seen; /* a read_idx of the past */
    unsigned int pad[29];
    unsigned long long result[HEDDLE_SHMEM_ENTRIES]; /* of the command at that place */
};

/* A queue. */
struct heddle_shmem_queue {
    unsigned int read_idx; /* the command processor's */
    unsigned int pad[31];  /* the entries are lines of their own */
    struct heddle_shmem_entry entry[HEDDLE_SHMEM_ENTRIES];
};

/* A PE, constant but for the epoch. Kernels find its address in %envreg3 (low half) and
 * %envreg4, and its number in %envreg5 as well: asking who is meant takes no load. */
struct heddle_shmem_state {
    unsigned int version;
    int pe, num_pes;
    unsigned int num_queues;
    unsigned long long heap, heap_bytes;  /* the symmetric heap */
    unsigned long long producers, queues; /* addresses of the first ones */
    unsigned long long epoch;             /* barriers so far of all PEs, by kernels */
};

#endif
