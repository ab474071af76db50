/* test_stream_condition.c - host/sched/stream_condition.c: the times at which waiting streams check
 * their conditions. */
#include <criterion/criterion.h>

#include "sched/stream_condition.h"

static bool ask(void *user) {
    return *(const bool *)user;
}

static struct op waiting(gpu_ticket ticket, uint64_t first_look, bool *met) {
    return (struct op){.ticket = ticket,
                       .kind = OP_CONDITION,
                       .first_look_ps = first_look,
                       .look_ps = first_look,
                       .condition = {ask, met}};
}

Test(stream_condition, looks_come_in_steps_from_the_first) {
    struct stream_conditions c = {.interval_ps = 100};
    bool met = false;
    struct op op = waiting(1, 1010, &met);
    stream_conditions_add(&c, &op);
    cr_assert_eq(stream_conditions_next(&c, 900, 950), 1010);
    cr_assert_null(stream_conditions_look(&c, 1010, 1020));
    cr_assert_eq(stream_conditions_next(&c, 1010, 1020), 1110);
    cr_assert_null(stream_conditions_look(&c, 1110, 1500)); /* nothing happens before 1500 */
    cr_assert_eq(stream_conditions_next(&c, 1110, 1500), 1510);
    met = true;
    cr_assert_null(stream_conditions_look(&c, 1500, 1600)); /* not due yet */
    cr_assert_eq(stream_conditions_look(&c, 1510, 1600), &op);
    cr_assert_null(c.first);
    cr_assert_eq(stream_conditions_next(&c, 1510, 1600), UINT64_MAX);
}

Test(stream_condition, when_nothing_will_happen_it_is_asked_each_time) {
    struct stream_conditions c = {.interval_ps = 100};
    bool met = false;
    struct op op = waiting(1, 50, &met);
    stream_conditions_add(&c, &op);
    cr_assert_null(stream_conditions_look(&c, 50, UINT64_MAX));
    cr_assert_eq(stream_conditions_next(&c, 60, UINT64_MAX), 60);
    met = true;
    cr_assert_eq(stream_conditions_look(&c, 60, UINT64_MAX), &op);
}

Test(stream_condition, those_that_are_met_come_by_ticket) {
    struct stream_conditions c = {.interval_ps = 100};
    bool met = true, not_met = false;
    struct op late = waiting(3, 10, &met), early = waiting(1, 10, &met);
    struct op other = waiting(2, 10, &not_met);
    stream_conditions_add(&c, &late);
    stream_conditions_add(&c, &other);
    stream_conditions_add(&c, &early);
    struct op *first = stream_conditions_look(&c, 10, 20);
    cr_assert(first == &early && first->next_ready == &late && !late.next_ready);
    cr_assert(c.first == &other && !other.next_ready);
}
