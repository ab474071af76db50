/* test_command_waits.c - host/timing/command_waits.c: warps whose accesses and times are made by
 * hand, as include/device/heddle_shmem_core.h makes them. */
#include <criterion/criterion.h>
#include <stddef.h>

#include "include/device/heddle_shmem_abi.h"
#include "timing/command_waits.h"

static const struct command_places places = {.producers = 0x10000,
                                             .queues = 0x20000,
                                             .heap = 0x80000,
                                             .heap_bytes = 0x1000,
                                             .num_queues = 2};
static const uint64_t producer = 0x10000 + sizeof(struct heddle_shmem_producer);
static const uint64_t queue = 0x20000 + sizeof(struct heddle_shmem_queue);

static struct command_waits waits;
static struct command_stage stage;
static struct command_log accesses;
static void set_up(void) {
    waits = (struct command_waits){0};
    stage = (struct command_stage){0};
}
static void tear_down(void) {
    command_log_free(&accesses);
}
TestSuite(command_waits, .init = set_up, .fini = tear_down);

static struct command_stage *stage_of(void *user, uint32_t warp) {
    (void)user;
    cr_assert_eq(warp, 7);
    return &stage;
}
static void add(unsigned mem, uint64_t address, unsigned lanes, uint64_t at) {
    command_log_add(
        &accesses,
        &(struct command_access){
            .at = at, .address = address, .warp = 7, .mem = (uint8_t)mem, .lanes = (uint8_t)lanes});
}
static void take(uint64_t before) {
    command_waits_take(&waits, &places, &accesses, before, stage_of, NULL);
}
static void access(unsigned mem, uint64_t address, uint64_t at) {
    add(mem, address, 1, at);
    take(at + 1);
}
static uint64_t entry(unsigned number, size_t member) {
    return queue + offsetof(struct heddle_shmem_queue, entry) +
           number * sizeof(struct heddle_shmem_entry) + member;
}

/* Takes a number at `at`, writes the status at at + 100. */
static void post(unsigned number, uint64_t at) {
    access(MIR_MEM_ATOM, producer + offsetof(struct heddle_shmem_producer, write_idx), at);
    access(MIR_MEM_LOAD, producer + offsetof(struct heddle_shmem_producer, read_seen), at + 10);
    access(MIR_MEM_STORE, entry(number, offsetof(struct heddle_shmem_entry, what)), at + 30);
    access(MIR_MEM_STORE, entry(number, offsetof(struct heddle_shmem_entry, remote)), at + 40);
    access(MIR_MEM_STORE, entry(number, offsetof(struct heddle_shmem_entry, status)), at + 100);
}

Test(command_waits, a_command_that_blocks) {
    post(3, 1000);
    for (uint64_t at = 1200; at <= 2000; at += 200) access(MIR_MEM_LOAD, entry(3, 0), at);
    access(MIR_MEM_STORE, entry(3, 0), 2100); /* FREE, behind a result */
    cr_expect_eq(waits.commands, 1);
    cr_expect_eq(waits.packing, 100);
    cr_expect_eq(waits.services, 1);
    cr_expect_eq(waits.service, 900);
    cr_expect_eq(waits.slots + waits.slot + waits.looks + waits.memory, 0);
}

Test(command_waits, nobody_waits_for_a_command) {
    post(3, 1000);
    post(4, 5000);
    cr_expect_eq(waits.commands, 2);
    cr_expect_eq(waits.packing, 200);
    cr_expect_eq(waits.services + waits.service, 0);
}

Test(command_waits, a_full_queue) {
    access(MIR_MEM_ATOM, producer, 100);
    access(MIR_MEM_LOAD, producer + 4, 110);
    access(MIR_MEM_LOAD, queue, 120); /* read_idx */
    access(MIR_MEM_STORE, producer + 4, 130);
    access(MIR_MEM_LOAD, queue, 620);
    access(MIR_MEM_STORE, producer + 4, 630);
    access(MIR_MEM_STORE, entry(0, 8), 650);
    access(MIR_MEM_STORE, entry(0, 16), 660);
    access(MIR_MEM_STORE, entry(0, 0), 700);
    cr_expect_eq(waits.slots, 1);
    cr_expect_eq(waits.slot, 500);
    cr_expect_eq(waits.packing, 600 - 500);
}

Test(command_waits, words_of_the_heap) {
    for (uint64_t at = 100; at <= 500; at += 100) access(MIR_MEM_LOAD, 0x80008, at);
    access(MIR_MEM_LOAD, 0x80010, 600);  /* has its value at once */
    access(MIR_MEM_STORE, 0x80010, 610); /* the program's own */
    access(MIR_MEM_LOAD, 0x81000, 620);  /* behind the heap */
    access(MIR_MEM_LOAD, 0x80010, 700);
    cr_expect_eq(waits.looks, 2);
    cr_expect_eq(waits.memory, 400 + 100);
    post(0, 1000);
    access(MIR_MEM_LOAD, 0x80010, 2000); /* not one look after another */
    cr_expect_eq(waits.looks, 3);
    cr_expect_eq(waits.memory, 500);
}

/* What another group has performed is heard of late, and counts when it happened. */
Test(command_waits, order_of_hearing) {
    add(MIR_MEM_ATOM, producer, 1, 2000);
    add(MIR_MEM_STORE, entry(0, 0), 1, 1100);
    add(MIR_MEM_STORE, entry(1, 0), 1, 2150);
    add(MIR_MEM_ATOM, producer, 1, 1000);
    take(1100);
    cr_expect_eq(accesses.count, 3);
    take(UINT64_MAX);
    cr_expect_eq(waits.commands, 2);
    cr_expect_eq(waits.packing, 100 + 150);
}

/* A status may arrive after the next number is taken. */
Test(command_waits, statuses_that_pass) {
    access(MIR_MEM_ATOM, producer, 1000);
    access(MIR_MEM_ATOM, producer, 1080);
    access(MIR_MEM_STORE, entry(0, 0), 1090);
    access(MIR_MEM_STORE, entry(1, 0), 1180);
    cr_expect_eq(waits.commands, 2);
    cr_expect_eq(waits.packing, 90 + 100);
}

Test(command_waits, lanes_together) {
    add(MIR_MEM_ATOM, producer, 2, 1000);
    add(MIR_MEM_STORE, entry(0, 0), 1, 1100);
    add(MIR_MEM_STORE, entry(1, 0), 1, 1110);
    add(MIR_MEM_LOAD, entry(0, 0), 1, 1500);
    add(MIR_MEM_LOAD, entry(1, 0), 1, 1510);
    take(UINT64_MAX);
    cr_expect_eq(waits.commands, 2);
    cr_expect_eq(waits.packing, 100 + 110);
    cr_expect_eq(waits.services, 1);
    cr_expect_eq(waits.service, 400);
}

/* What the slot's last warp has left does not count. */
Test(command_waits, a_warp_begins) {
    access(MIR_MEM_ATOM, producer, 1000);
    access(MIR_MEM_LOAD, 0x80008, 1100);
    add(COMMAND_BEGIN, 0, 0, 1200);
    access(MIR_MEM_LOAD, 0x80008, 1300);
    access(MIR_MEM_STORE, entry(0, 0), 1400);
    cr_expect_eq(waits.looks, 2);
    cr_expect_eq(waits.commands + waits.packing + waits.memory, 0);
}

Test(command_waits, sums) {
    struct command_waits sum = {0};
    post(3, 1000);
    access(MIR_MEM_LOAD, entry(3, 0), 1200);
    command_waits_add(&sum, &waits);
    command_waits_add(&sum, &waits);
    cr_expect_eq(sum.commands, 2);
    cr_expect_eq(sum.packing, 200);
    cr_expect_eq(sum.service, 200);
}
