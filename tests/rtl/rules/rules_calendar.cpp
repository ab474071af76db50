/* rules_calendar.cpp - breaks each rule of the calendar (rtl/l2/net_calendar.sv). */
#include "Vcalendar_rules.h"
#include "Vcalendar_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vcalendar_rules;
#define REG(name) m.rootp->net_calendar__DOT__##name

/* list_t with NodeBits of 8 */
static constexpr uint32_t some_list(uint32_t head, uint32_t tail) {
    return 1u << 16 | head << 8 | tail;
}

/* The head of a list has been read: its time, that of the last of the list, the bucket's. */
static void read_list(Model &m, uint32_t head, uint32_t last, uint32_t bucket) {
    m.extract_i = 1;
    REG(pop_valid_q) = 1;
    REG(pop_list_q) = some_list(3, 3);
    REG(pop_bucket_q) = bucket;
    REG(head_time_q) = head;
    REG(last_time_q) = last;
}

static const std::vector<rules::Row<Model>> table = {
    {"GroupKnown", [](Model &m) { REG(groups_q) ^= 4; }},
    {"NearHolds",
     [](Model &m) {
         REG(near_valid_q) = 1;
         REG(near_q) = 1;
     }},
    {"LookHolds",
     [](Model &m) {
         REG(look_valid_q) = 1;
         REG(look_q) = 10;
     }},
    {"InitAlone",
     [](Model &m) {
         REG(init_q) = 1;
         m.insert_i = 1;
     }},
    {"BucketPhase", [](Model &m) { REG(lanes_q) = 1; }},
    {"BucketInWindow",
     [](Model &m) {
         m.extract_i = 1;
         REG(bits_q) = 1;
         REG(bucket_q) = m.window_end_i = 10;
     }},
    {"CursorBehindBucket",
     [](Model &m) {
         m.extract_i = 1;
         REG(bits_q) = 1;
         REG(bucket_q) = REG(cursor_q) = 9;
         m.window_end_i = 10;
     }},
    {"ReadNotPast", [](Model &m) { read_list(m, 9, 9, 10); }},
    {"ReadNotBehindLast", [](Model &m) { read_list(m, 11, 10, 10); }},
    {"PickOne", [](Model &m) { REG(read_valid_q) = REG(pop_valid_q) = 1; }}, // both of source 0
    {"InsertPhase", [](Model &m) { m.insert_i = m.extract_i = 1; }},
    {"InsertSlice",
     [](Model &m) {
         m.insert_i = 1;
         m.insert_source_i = 5;
         m.insert_dest_i = 96;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4100>(table, argc, argv);
}
