/* rules_queues.cpp - breaks each rule of the queues of the slices (rtl/l2/net_queues.sv). */
#include "Vqueues_rules.h"
#include "Vqueues_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vqueues_rules;
#define REG(name) m.rootp->net_queues__DOT__##name

/* slice_op_e */
enum Op { OpRequest, OpFar, OpFill, OpBack, OpCopy, OpDrop };
/* slice_state_e */
enum State { SliceIdle, SliceLoad, SliceRead, SliceFirst, SliceDecide, SliceBack, SliceWork };

/* list_t with NodeBits of 8 */
constexpr uint32_t some_list(uint32_t head, uint32_t tail) {
    return 1u << 16 | head << 8 | tail;
}
/* clock_t: stuck, far_stuck, entries, free_at, free_less from the top */
constexpr uint64_t stuck = UINT64_C(1) << 51, far_stuck = UINT64_C(1) << 50;
constexpr unsigned free_at = 8;

/* A message is in work since this clock, its time inside the window. */
static void work(Model &m, Op op) {
    m.serve_i = m.two_i = 1;
    m.window_end_i = 10;
    REG(state_q) = REG(was_state) = SliceWork;
    REG(slice_q) = m.slice_o = 2;
    m.work_o = m.pick_o = 1;
    m.op_o = op;
    m.head_o = 3;
    m.service_o = 5;
    m.entries_o = 1;
    REG(queue_q) = REG(far_q) = REG(fills_q) = REG(back_q) = some_list(3, 3);
    REG(clock_q) = 0;
}

static const std::vector<rules::Row<Model>> table = {
    {"SliceLegal", [](Model &m) { REG(state_q) = 7; }},
    {"SliceFollows", [](Model &m) { REG(was_state) = SliceRead; }},
    {"SliceInRange",
     [](Model &m) {
         work(m, OpRequest);
         REG(slice_q) = 96;
     }},
    {"SlicePhase",
     [](Model &m) {
         work(m, OpRequest);
         m.serve_i = 0;
     }},
    {"TodoPhase",
     [](Model &m) {
         REG(todo_q)[0] = REG(active_q)[0] = 1;
     }},
    {"TodoActive",
     [](Model &m) {
         REG(todo_q)[1] = 2;
         REG(active_q)[1] = 1;
     }},
    {"ArriveAlone", [](Model &m) { m.arrive_i = m.serve_i = 1; }},
    {"ArriveInRange",
     [](Model &m) {
         m.arrive_i = 1;
         m.arrive_slice_i = 96;
     }},
    {"DramInRange",
     [](Model &m) {
         m.dram_i = 1;
         m.dram_slice_i = 96;
     }},
    {"WorkIsState",
     [](Model &m) {
         work(m, OpRequest);
         m.slice_o = 3;
     }},
    {"DoneInWork", [](Model &m) { m.serve_i = m.done_i = 1; }},
    {"OpLegal", [](Model &m) { work(m, OpCopy); }},
    {"FarPartitions",
     [](Model &m) {
         work(m, OpFar);
         m.two_i = 0;
     }},
    {"HeadOfRequests",
     [](Model &m) {
         work(m, OpRequest);
         m.pop_i = 1;
         m.head_o = 4;
     }},
    {"HeadOfFar",
     [](Model &m) {
         work(m, OpFar);
         m.pop_i = 1;
         REG(far_q) = 0;
     }},
    {"HeadOfFills",
     [](Model &m) {
         work(m, OpFill);
         m.pop_i = 1;
         m.head_o = 4;
     }},
    {"HeadOfBack",
     [](Model &m) {
         work(m, OpBack);
         m.pop_i = 1;
         REG(back_q) = 0;
     }},
    {"NotStuck",
     [](Model &m) {
         work(m, OpRequest);
         REG(clock_q) = stuck;
     }},
    {"NotFarStuck",
     [](Model &m) {
         work(m, OpFar);
         REG(clock_q) = far_stuck;
     }},
    {"ServiceInWindow",
     [](Model &m) {
         work(m, OpRequest);
         m.service_o = 10;
     }},
    {"ServiceWhenFree",
     [](Model &m) {
         work(m, OpRequest);
         REG(clock_q) = UINT64_C(6) << free_at;
     }},
    {"EntriesHeld",
     [](Model &m) {
         work(m, OpFill);
         m.entries_o = 0;
     }},
    {"TakeOrAgain",
     [](Model &m) {
         work(m, OpFill);
         m.take_i = m.again_i = 1;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 300>(table, argc, argv);
}
