/* test_mpi_world.c - sends meet receives (cuda/object/mpi_world.h), at once and over a network that
 * the test plays: it delivers what was posted when it likes, in order for each pair of nodes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/object/mpi_remote.h"
#include "cuda/object/mpi_transfer.h"
#include "cuda/object/mpi_window_access.h"
#include "cuda/object/mpi_world.h"

enum { NODES = 4, EAGER = 100, HEADER = 16, MOST = 4096 };
enum { SEND_PS = 7, RECEIVE_PS = 11, COPY_PS = 2 }; /* a copy: of each byte */

/* An end of a posted message that nobody has taken yet. */
struct event {
    uint32_t number;
    bool arrived;
    uint64_t at_ps;
};

static struct bench {
    struct server s;
    struct config config;
    struct program program[NODES];
    struct host_thread thread[NODES];
    struct call call[NODES];
    struct server_message posted[MOST];
    bool delivered[MOST];
    size_t num_posted;
    struct event event[2 * MOST];
    size_t first_event, num_events;
} b;

static heddle_err post(void *user, const struct server_message *m, struct heddle_diag *diag) {
    (void)user, (void)diag;
    cr_assert_lt(b.num_posted, MOST);
    b.posted[b.num_posted++] = *m;
    return HEDDLE_OK;
}

static bool take(void *user, uint32_t *number, bool *arrived, uint64_t *at_ps) {
    (void)user;
    if (b.first_event == b.num_events) return false;
    const struct event e = b.event[b.first_event++];
    *number = e.number;
    *arrived = e.arrived;
    *at_ps = e.at_ps;
    return true;
}

/* Delivers posted message i, which is sent at the same time. */
static void deliver(size_t i, uint64_t at_ps) {
    const struct server_message *m = &b.posted[i];
    b.delivered[i] = true;
    memcpy(m->into, m->data, m->bytes);
    b.event[b.num_events++] = (struct event){m->number, true, at_ps};
    b.event[b.num_events++] = (struct event){m->number, false, at_ps};
    cr_assert(mpi_world_hear(&b.s));
}

static void set_up(bool timed) {
    memset(&b, 0, sizeof b);
    b.s.o = (struct server_options){.config = &b.config, .nodes = NODES, .quiet = true};
    b.s.o.mpi = (struct server_mpi){.call_ps = 1,
                                    .send_ps = SEND_PS,
                                    .receive_ps = RECEIVE_PS,
                                    .eager = EAGER,
                                    .header = HEADER,
                                    .copy_ps = COPY_PS};
    if (timed) b.s.o.mpi.post = post;
    if (timed) b.s.o.mpi.take = take;
    for (unsigned i = 0; i < NODES; i++) {
        uint64_t rank, size;
        b.program[i].node = i;
        b.program[i].goodbye = true;
        b.thread[i].program = &b.program[i];
        b.call[i] = (struct call){.server = &b.s, .program = &b.program[i], .thread = &b.thread[i]};
        cr_assert_eq(mpi_world_begin(&b.call[i], &rank, &size), CUDA_SUCCESS);
        cr_assert(rank == i && size == NODES);
    }
}

static void tear_down(void) {
    mpi_accesses_drop(&b.s);
    mpi_remote_drop(&b.s);
    mpi_transfers_drop(&b.s);
    mpi_world_drop(&b.s);
}

/* Sends `bytes` bytes that all are `value`. */
static uint64_t send(unsigned from, unsigned to, uint64_t tag, enum wire_mpi_mode mode,
                     uint64_t bytes, int value) {
    const struct mpi_envelope e = {to, 5, tag};
    uint64_t number;
    uint8_t *data = malloc(bytes + 1);
    memset(data, value, bytes);
    cr_assert_eq(mpi_world_send(&b.call[from], &e, mode, 0, bytes, data, &number), CUDA_SUCCESS);
    return number;
}

static uint64_t receive(unsigned at, uint64_t from, uint64_t tag, uint64_t room) {
    const struct mpi_envelope e = {from, 5, tag};
    uint64_t number;
    cr_assert_eq(mpi_world_receive(&b.call[at], &e, 0, room, 0, &number), CUDA_SUCCESS);
    return number;
}

static const struct mpi_request *request(unsigned at, uint64_t number) {
    return mpi_world_request(&b.call[at], number);
}

/* Checks the end of a receive, and forgets it. */
static void ended(unsigned at, uint64_t number, enum wire_mpi_state state, uint64_t bytes,
                  int value) {
    const struct mpi_request *r = request(at, number);
    cr_assert_eq(r->state, state);
    cr_assert_eq(r->bytes, bytes);
    const uint64_t there = bytes < r->room ? bytes : r->room;
    for (uint64_t i = 0; i < there; i++) cr_assert_eq(r->data[i], value);
    mpi_world_forget(&b.call[at], number);
}

Test(mpi_world, at_once) {
    set_up(false);
    b.thread[0].now_ps = 100;
    const uint64_t early = receive(1, 0, 3, 10);
    cr_assert_eq(request(1, early)->state, WIRE_MPI_PENDING);
    cr_assert_eq(send(0, 1, 4, WIRE_MPI_STANDARD, 10, 'x'), 0); /* another tag */
    cr_assert_eq(request(1, early)->state, WIRE_MPI_PENDING);
    cr_assert_eq(send(0, 1, 3, WIRE_MPI_STANDARD, 12, 'y'), 0);
    cr_assert_eq(request(1, early)->at_ps, 100);
    ended(1, early, WIRE_MPI_TRUNCATED, 12, 'y');
    const uint64_t sync = send(2, 1, 4, WIRE_MPI_SYNCHRONOUS, 1, 'z');
    cr_assert_eq(request(2, sync)->state, WIRE_MPI_PENDING);
    ended(1, receive(1, WIRE_MPI_ANY, 4, 10), WIRE_MPI_DONE, 10, 'x');
    cr_assert_eq(request(2, sync)->state, WIRE_MPI_PENDING);
    ended(1, receive(1, 2, WIRE_MPI_ANY, 10), WIRE_MPI_DONE, 1, 'z');
    cr_assert_eq(request(2, sync)->state, WIRE_MPI_DONE);
    tear_down();
}

Test(mpi_world, looks_and_cancels) {
    set_up(false);
    const struct mpi_envelope any = {WIRE_MPI_ANY, 5, WIRE_MPI_ANY};
    struct mpi_envelope found;
    uint64_t bytes, taken, number;
    cr_assert_eq(mpi_world_look(&b.call[1], &any, 0, &found, &bytes, &taken), WIRE_MPI_PENDING);
    send(3, 1, 8, WIRE_MPI_STANDARD, 2, 'a');
    send(3, 1, 8, WIRE_MPI_STANDARD, 3, 'b');
    cr_assert_eq(mpi_world_look(&b.call[1], &any, WIRE_MPI_TAKE, &found, &bytes, &taken),
                 WIRE_MPI_DONE);
    cr_assert(found.peer == 3 && found.tag == 8 && bytes == 2 && taken);
    ended(1, receive(1, 3, 8, 9), WIRE_MPI_DONE, 3, 'b'); /* the other one is taken */
    cr_assert_eq(mpi_world_receive(&b.call[1], &any, 0, 9, taken, &number), CUDA_SUCCESS);
    ended(1, number, WIRE_MPI_DONE, 2, 'a');
    number = receive(1, 3, 8, 9);
    cr_assert(mpi_world_cancel(&b.call[1], number));
    cr_assert_not(mpi_world_cancel(&b.call[1], number));
    cr_assert_eq(request(1, number)->state, WIRE_MPI_CANCELLED);
    send(3, 1, 8, WIRE_MPI_STANDARD, 1, 'c'); /* not for the cancelled one */
    ended(1, receive(1, 3, 8, 9), WIRE_MPI_DONE, 1, 'c');
    tear_down();
}

Test(mpi_world, ends_of_pes) {
    set_up(false);
    const uint64_t named = receive(1, 0, 1, 1), any = receive(1, WIRE_MPI_ANY, 1, 1);
    const uint64_t sync = send(2, 0, 1, WIRE_MPI_SYNCHRONOUS, 1, 'a');
    send(0, 3, 1, WIRE_MPI_STANDARD, 1, 'b');
    mpi_world_leave(&b.s, &b.program[0]);
    cr_assert_eq(request(1, named)->state, WIRE_MPI_ENDED);
    cr_assert_eq(request(1, any)->state, WIRE_MPI_PENDING);
    cr_assert_eq(request(2, sync)->state, WIRE_MPI_ENDED);
    ended(3, receive(3, 0, 1, 1), WIRE_MPI_DONE, 1, 'b'); /* it had sent that */
    cr_assert_eq(request(3, receive(3, 0, 1, 1))->state, WIRE_MPI_ENDED);
    mpi_world_leave(&b.s, &b.program[2]);
    mpi_world_leave(&b.s, &b.program[3]);
    cr_assert_eq(request(1, any)->state, WIRE_MPI_ENDED);
    tear_down();
}

/* Times by hand: a short message, whose receive comes later, then one whose receive waits. */
Test(mpi_world, a_short_message_takes_time) {
    set_up(true);
    b.thread[0].now_ps = 1000;
    cr_assert_eq(send(0, 1, 1, WIRE_MPI_STANDARD, 50, 'a'), 0);
    cr_assert_eq(b.thread[0].now_ps, 1000 + SEND_PS + 50 * COPY_PS);
    cr_assert_eq(b.posted[0].bytes, 50 + HEADER);
    cr_assert_eq(b.posted[0].at_ps, b.thread[0].now_ps);
    deliver(0, 3000);
    b.thread[1].now_ps = 5000;
    uint64_t number = receive(1, 0, 1, 60);
    cr_assert_eq(request(1, number)->at_ps, 5000 + RECEIVE_PS + 50 * COPY_PS);
    cr_assert_not(mpi_world_has_ended(&b.call[1], request(1, number), false));
    cr_assert(mpi_world_has_ended(&b.call[1], request(1, number), true));
    ended(1, number, WIRE_MPI_DONE, 50, 'a');
    number = receive(1, 0, 2, 60);
    send(0, 1, 2, WIRE_MPI_STANDARD, 60, 'b');
    deliver(1, 7000);
    cr_assert_eq(request(1, number)->at_ps, 7000 + RECEIVE_PS + 60 * COPY_PS);
    ended(1, number, WIRE_MPI_DONE, 60, 'b');
    cr_assert_eq(b.num_posted, 2);
    tear_down();
}

/* Request, answer, bytes. */
Test(mpi_world, a_long_message_takes_time) {
    set_up(true);
    const uint64_t sender = send(0, 1, 1, WIRE_MPI_STANDARD, 500, 'a');
    cr_assert_eq(b.posted[0].bytes, HEADER);
    cr_assert_eq(b.posted[0].at_ps, SEND_PS);
    deliver(0, 1000);
    cr_assert_eq(b.num_posted, 1); /* no receive yet */
    b.thread[1].now_ps = 2000;
    const uint64_t number = receive(1, 0, 1, 400); /* too short */
    cr_assert_eq(b.posted[1].at_ps, 2000 + RECEIVE_PS);
    cr_assert(b.posted[1].source == 1 && b.posted[1].target == 0);
    deliver(1, 3000);
    cr_assert_eq(b.posted[2].at_ps, 3000 + RECEIVE_PS + SEND_PS);
    cr_assert_eq(b.posted[2].bytes, 400);
    cr_assert_eq(request(0, sender)->state, WIRE_MPI_PENDING);
    deliver(2, 4000);
    cr_assert_eq(request(0, sender)->state, WIRE_MPI_DONE);
    cr_assert_eq(request(0, sender)->at_ps, 4000 + RECEIVE_PS);
    cr_assert_eq(request(1, number)->at_ps, 4000 + RECEIVE_PS);
    ended(1, number, WIRE_MPI_TRUNCATED, 500, 'a');
    cr_assert_not(mpi_transfers_any(&b.s));
    tear_down();
}

/* A receive whose message is on its way cannot be withdrawn any more. */
Test(mpi_world, it_is_too_late_to_cancel) {
    set_up(true);
    send(0, 1, 1, WIRE_MPI_STANDARD, 500, 'a');
    const uint64_t number = receive(1, 0, 1, 500);
    deliver(0, 1000);
    cr_assert_not(mpi_world_cancel(&b.call[1], number));
    deliver(1, 2000);
    deliver(2, 3000);
    cr_assert_not(mpi_world_cancel(&b.call[1], number));
    ended(1, number, WIRE_MPI_DONE, 500, 'a');
    tear_down();
}

/* Word of its receive comes back to a sender that has ended meanwhile. */
Test(mpi_world, a_synchronous_message_of_a_pe_that_has_ended) {
    set_up(true);
    send(0, 1, 1, WIRE_MPI_SYNCHRONOUS, 10, 'a');
    deliver(0, 1000);
    mpi_world_leave(&b.s, &b.program[0]);
    ended(1, receive(1, 0, 1, 10), WIRE_MPI_DONE, 10, 'a');
    deliver(1, 2000);
    cr_assert_not(mpi_transfers_any(&b.s));
    tear_down();
}

/* A receive does not give up while a message of a PE that has ended is on its way. */
Test(mpi_world, the_last_message_of_a_pe) {
    set_up(true);
    const uint64_t number = receive(1, 0, 1, 10), more = receive(1, 0, 1, 10);
    send(0, 1, 1, WIRE_MPI_STANDARD, 10, 'a');
    mpi_world_leave(&b.s, &b.program[0]);
    cr_assert_eq(request(1, number)->state, WIRE_MPI_PENDING);
    deliver(0, 1000);
    ended(1, number, WIRE_MPI_DONE, 10, 'a');
    cr_assert_eq(request(1, more)->state, WIRE_MPI_ENDED);
    tear_down();
}

/* A lock is asked for at a part that there is; the PEs need not take part in messages. */
Test(mpi_world, locks_of_windows) {
    enum { MIB = 1 << 20 };
    const struct address_space_size size = {.device_bytes = 64 * MIB, .pinned_bytes = MIB};
    struct heddle_diag diag;
    static long part;
    set_up(true);
    mpi_world_drop(&b.s);
    cr_assert_eq(address_space_create(&b.s.o.space, &size, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(mpi_remote_open(&b.call[1], 9, (uintptr_t)&part, sizeof part), CUDA_SUCCESS);
    struct mpi_access lock = {.kind = ACCESS_LOCK, .window = 9, .target = 2, .operation = 1};
    uint8_t *none;
    cr_assert_eq(mpi_access_make(&b.call[0], &lock, &none), WIRE_MPI_ENDED);
    cr_assert_eq(b.num_posted, 0);
    lock.target = 1;
    cr_assert_eq(mpi_access_make(&b.call[0], &lock, &none), WIRE_MPI_PENDING);
    deliver(0, 1000);
    b.thread[0].is_suspended = true;
    cr_assert_eq(mpi_access_make(&b.call[0], &lock, &none), WIRE_MPI_PENDING);
    deliver(1, 2000);
    cr_assert_eq(mpi_access_make(&b.call[0], &lock, &none), WIRE_MPI_DONE);
    cr_assert_eq(b.thread[0].now_ps, 2000 + RECEIVE_PS);
    tear_down();
    address_space_free(b.s.o.space);
}

/* Words for different nodes go to different places, since nodes run at the same time. */
Test(mpi_world, words_to_two_nodes) {
    set_up(true);
    send(0, 1, 1, WIRE_MPI_STANDARD, 500, 'a');
    send(0, 2, 1, WIRE_MPI_STANDARD, 500, 'a');
    const uint8_t *one = b.posted[0].into, *two = b.posted[1].into;
    cr_assert(one + HEADER <= two || two + HEADER <= one);
    tear_down();
}

/* Delivers the oldest message of a random pair of nodes. @return false: there is none. */
static bool deliver_one(uint64_t at_ps) {
    const size_t from = b.num_posted ? (size_t)rand() % b.num_posted : 0;
    for (size_t k = 0; k < b.num_posted; k++) {
        const size_t i = (from + k) % b.num_posted;
        bool oldest = !b.delivered[i];
        for (size_t j = 0; j < i && oldest; j++)
            oldest = b.delivered[j] || b.posted[j].source != b.posted[i].source ||
                     b.posted[j].target != b.posted[i].target;
        if (!oldest) continue;
        deliver(i, at_ps);
        return true;
    }
    return false;
}

/* Random sends, receives and deliveries: of each source and tag, receives get the messages in the
 * order of their sends, each once, with its bytes. */
Test(mpi_world, random_streams) {
    enum { ROUNDS = 20, MESSAGES = 100, TAGS = 3 };
    for (int round = 0; round < ROUNDS; round++) {
        static int sent[NODES][NODES][TAGS], got[NODES][NODES][TAGS];
        uint64_t waiting[NODES][MESSAGES * NODES];
        size_t num_waiting[NODES] = {0};
        int sends = 0, receives = 0;
        uint64_t clock = 1;
        srand((unsigned)round + 1);
        memset(sent, 0, sizeof sent);
        memset(got, 0, sizeof got);
        set_up(round % 4 != 0);
        while (sends < MESSAGES || receives < MESSAGES || deliver_one(clock)) {
            const unsigned from = (unsigned)rand() % NODES, to = 3 - from; /* fixed pairs */
            const unsigned tag = (unsigned)rand() % TAGS;
            clock += (unsigned)rand() % 50;
            for (unsigned i = 0; i < NODES; i++)
                if (b.thread[i].now_ps < clock) b.thread[i].now_ps = clock;
            if (rand() % 2 && sends < MESSAGES) {
                const int value = sent[from][to][tag]++;
                send(from, to, tag, (enum wire_mpi_mode)(rand() % 3), (unsigned)rand() % 200,
                     value);
                sends++;
            } else if (rand() % 2 && receives < MESSAGES) {
                waiting[to][num_waiting[to]++] = receive(to, rand() % 2 ? from : WIRE_MPI_ANY,
                                                         rand() % 2 ? tag : WIRE_MPI_ANY, 300);
                receives++;
            } else {
                deliver_one(clock);
            }
        }
        for (unsigned at = 0; at < NODES; at++)
            for (size_t i = 0; i < num_waiting[at]; i++) {
                const struct mpi_request *r = request(at, waiting[at][i]);
                if (r->state == WIRE_MPI_PENDING) continue;
                cr_assert_eq(r->state, WIRE_MPI_DONE);
                const int turn = got[r->envelope.peer][at][r->envelope.tag]++;
                for (uint64_t k = 0; k < r->bytes; k++) cr_assert_eq(r->data[k], turn);
            }
        /* one that still waits is for no message that nobody has got */
        for (unsigned at = 0; at < NODES; at++)
            for (size_t i = 0; i < num_waiting[at]; i++) {
                const struct mpi_request *r = request(at, waiting[at][i]);
                for (unsigned tag = 0; tag < TAGS && r->state == WIRE_MPI_PENDING; tag++)
                    if (r->asked.tag == WIRE_MPI_ANY || r->asked.tag == tag)
                        cr_assert_eq(got[3 - at][at][tag], sent[3 - at][at][tag]);
            }
        tear_down();
    }
}
