/* rules_top.cpp - breaks each rule of rtl/top, in the kernel with a stand-in for the SM engine. */
#include <cstring>

#include "Vtop_rules.h"
#include "Vtop_rules___024root.h"
#include "tests/rtl/rules/rules.h"

namespace {

using Model = Vtop_rules;
using Rows = std::vector<rules::Row<Model>>;
#define READER(name) m.rootp->heddle_kernel__DOT__u_top__DOT__u_reader__DOT__##name
#define WRITER(name) m.rootp->heddle_kernel__DOT__u_top__DOT__u_writer__DOT__##name
#define CONTROL(name) m.rootp->heddle_kernel__DOT__u_top__DOT__u_control__DOT__##name
#define NET(name) m.rootp->heddle_kernel__DOT__u_top__DOT__gen_one__DOT__u_net__DOT__##name
#define RUN(name) m.rootp->heddle_kernel__DOT__u_top__DOT__u_run__DOT__##name

enum Writer { Wait, Burst, Report, NoWriter };
enum Run {
    Idle,
    Deliver,
    Settle,
    Open,
    Go,
    Replies,
    Advance,
    Work,
    Drain,
    Flush,
    RunReport,
    NoRun
};

void clock(Model &m) {
    m.ap_clk = 1;
    m.eval();
    m.ap_clk = 0;
    m.eval();
}

/* A burst of two beats is asked for, of a ring of sixteen beats at 0x4000. */
void read_burst(Model &m) {
    READER(arvalid_o) = 1;
    READER(araddr_o) = 0x4000 + 64;
    READER(arlen_o) = 1;
    READER(asked_q) = 3;
    READER(taken_q) = 0;
}

/* A burst of two beats leaves; the second one is left. */
void write_burst(Model &m) {
    WRITER(state_q) = Burst;
    WRITER(awvalid_o) = WRITER(wvalid_o) = 1;
    WRITER(wlast_o) = 0;
    WRITER(awaddr_o) = 0x8000 + 64;
    WRITER(awlen_o) = 1;
    WRITER(left_q) = 1;
    WRITER(empty_o) = 0;
}

/* A window from 10 to 20 of a run up to 30. */
void window(Model &m, Run state) {
    RUN(state_q) = RUN(was_state) = state;
    RUN(was_stop) = 0;
    RUN(reached_q) = RUN(was_reached) = 10;
    RUN(window_end_q) = 20;
    RUN(length_q) = RUN(window_q) = RUN(net_request_q) = RUN(net_reply_q) = 12;
}

const Rows rows = {
    /* command_reader */
    {"ReadHeld", [](Model &m) { READER(was_address) = 1; }},
    {"ReadStable",
     [](Model &m) {
         read_burst(m);
         READER(was_address) = 1;
         std::memset(&READER(was_burst)[0], 0, 12);
     }},
    {"ReadInPage",
     [](Model &m) {
         read_burst(m);
         READER(araddr_o) = 0x4000 + 63 * 64;
     }},
    {"ReadAligned",
     [](Model &m) {
         read_burst(m);
         READER(araddr_o) += 4;
     }},
    {"ReadInRing",
     [](Model &m) {
         read_burst(m);
         READER(araddr_o) = 0x4000 + 15 * 64;
     }},
    {"AskedBound", [](Model &m) { READER(asked_q) = READER(taken_q) + 129; }},
    {"AskedToTail",
     [](Model &m) {
         read_burst(m);
         READER(asked_q) = 9;
     }},
    {"HeldBound", [](Model &m) { READER(count_q) = 3; }},
    {"ComeCount", [](Model &m) { READER(come_q) = READER(taken_q) + 1; }},
    {"BeatHeld", [](Model &m) { READER(was_beat) = 1; }},
    {"BeatStable",
     [](Model &m) {
         READER(was_beat) = 1;
         READER(was_beat_word)[3] = READER(first_q)[3] + 1;
     }},
    {"BeatAsked", [](Model &m) { m.m_axi_gmem_rvalid = 1; }},
    {"CommandSizePower",
     [](Model &m) {
         CONTROL(command_size_o) = 12;
         clock(m); /* what a module has of another one follows a clock later */
         read_burst(m);
     }},
    /* event_writer */
    {"WriteHeld", [](Model &m) { WRITER(was_address) = 1; }},
    {"WriteStable",
     [](Model &m) {
         write_burst(m);
         WRITER(was_address) = 1;
         std::memset(&WRITER(was_burst)[0], 0, 12);
     }},
    {"DataHeld", [](Model &m) { WRITER(was_data) = 1; }},
    {"DataStable",
     [](Model &m) {
         write_burst(m);
         WRITER(was_data) = 1;
         WRITER(was_data_word)[0] = WRITER(wdata_o)[0] + 1;
     }},
    {"WriteInPage",
     [](Model &m) {
         write_burst(m);
         WRITER(awaddr_o) = 0x8000 + 63 * 64;
     }},
    {"WriteLength",
     [](Model &m) {
         write_burst(m);
         WRITER(awlen_o) = 16;
     }},
    {"WriteInRing",
     [](Model &m) {
         write_burst(m);
         WRITER(awaddr_o) = 0x8000 + 15 * 64;
     }},
    {"LastOfBurst",
     [](Model &m) {
         write_burst(m);
         WRITER(wlast_o) = 1;
     }},
    {"StateLegal", [](Model &m) { WRITER(state_q) = NoWriter; }},
    {"ChannelsWait", [](Model &m) { WRITER(wvalid_o) = 1; }},
    {"BeatsBound", [](Model &m) { WRITER(put_q) = (WRITER(got_q) + 33) & 63; }},
    {"EventRoom", [](Model &m) { WRITER(put_q) = (WRITER(got_q) + 32) & 63; }},
    {"AnswersBound", [](Model &m) { WRITER(answers_q) = 9; }},
    {"AnswerAwaited", [](Model &m) { m.m_axi_gmem_bvalid = 1; }},
    {"RingSpace", [](Model &m) { WRITER(written_q) = 17; }},
    {"MeasuredSpace",
     [](Model &m) {
         WRITER(measured_q) = 1;
         WRITER(space_q) = 17;
     }},
    {"MeasuredBeats",
     [](Model &m) {
         WRITER(measured_q) = 1;
         WRITER(most_q) = 1;
         WRITER(space_q) = 0;
     }},
    {"FlushedAnswered",
     [](Model &m) {
         WRITER(flushed_o) = 1;
         WRITER(answers_q) = 1;
     }},
    {"ReportAnswered",
     [](Model &m) {
         WRITER(state_q) = Report;
         WRITER(answers_q) = 1;
     }},
    {"EmptyIs", [](Model &m) { WRITER(events_q) = 1; }},
    {"EventHeld", [](Model &m) { WRITER(was_event) = 1; }},
    {"EventSizePower",
     [](Model &m) {
         CONTROL(event_size_o) = 12;
         clock(m);
         write_burst(m);
     }},
    {"NumberIsPlace", [](Model &m) { WRITER(got_q) = WRITER(written_q) + 1; }},
    /* heddle_control */
    {"AnswerHeld", [](Model &m) { CONTROL(was_answer) = 1; }},
    {"AnswerStable",
     [](Model &m) {
         CONTROL(was_answer) = CONTROL(bvalid_o) = 1;
         CONTROL(was_response) = CONTROL(bresp_o) ^ 2;
     }},
    {"ReadDataHeld", [](Model &m) { CONTROL(was_data) = 1; }},
    {"ReadDataStable",
     [](Model &m) {
         CONTROL(was_data) = CONTROL(rvalid_o) = 1;
         CONTROL(was_data_word) = CONTROL(rdata_o) + 1;
     }},
    {"ReadOne", [](Model &m) { CONTROL(reading_q) = CONTROL(late_q) = 1; }},
    {"WriteGoes", [](Model &m) { CONTROL(address_q) = CONTROL(data_q) = 1; }},
    {"StartUntilDone", [](Model &m) { CONTROL(was_start) = 1; }},
    {"ArgumentsStable",
     [](Model &m) {
         CONTROL(was_start) = CONTROL(start_o) = 1;
         CONTROL(run_until_o) += 1;
     }},
    {"ReadyWithDone", [](Model &m) { CONTROL(ready_q) = 1; }},
    /* heddle_run */
    {"RunLegal", [](Model &m) { RUN(state_q) = NoRun; }},
    {"RunFollows",
     [](Model &m) {
         window(m, Work);
         RUN(was_state) = Go;
     }},
    {"ResumeLegal", [](Model &m) { RUN(resume_q) = Go; }},
    {"RunStarted", [](Model &m) { window(m, Work); }},
    {"NetGoIdle",
     [](Model &m) {
         window(m, Go);
         NET(idle_o) = 0;
     }},
    {"AdvanceReplied",
     [](Model &m) {
         NET(replied_o) = 0;
         clock(m);
         window(m, Advance);
     }},
    {"WindowNotEmpty",
     [](Model &m) {
         window(m, Work);
         RUN(window_end_q) = 10;
     }},
    {"WindowLength",
     [](Model &m) {
         window(m, Work);
         RUN(window_end_q) = 23;
     }},
    {"LengthBound",
     [](Model &m) {
         window(m, Work);
         RUN(net_reply_q) = 11;
     }},
    {"WindowAllowed", [](Model &m) { window(m, Work); }},
    {"ReachedForward", [](Model &m) { RUN(was_reached) = RUN(reached_q) + 1; }},
    {"OpenHasWindow",
     [](Model &m) {
         window(m, Flush);
         RUN(open_q) = 1;
         RUN(window_end_q) = 10;
     }},
    {"DeliverToFirst",
     [](Model &m) {
         READER(taken_q) = READER(asked_q) = 1;
         clock(m);
         window(m, Deliver);
     }},
    {"RunFaultStays", [](Model &m) { RUN(was_fault) = 3; }},
};

/* At rest, with rings of sixteen beats of which eight commands are written. */
void rest(Model &m) {
    m.ap_rst_n = 0;
    m.eval();
    for (int i = 0; i < 4; i++) clock(m);
    m.ap_rst_n = 1;
    for (int i = 0; i < 5000; i++) clock(m); /* the network engine empties its memories */
    CONTROL(command_ring_o) = 0x4000;
    CONTROL(event_ring_o) = 0x8000;
    CONTROL(command_size_o) = CONTROL(event_size_o) = 16;
    CONTROL(command_tail_o) = 8;
    clock(m);
}

} // namespace

int main(int argc, char **argv) {
    return rules::run(rows, argc - 1, argv + 1, rest, clock);
}
