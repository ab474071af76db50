/// Network and L2 of one core instance: requests of the SMs to the slices, replies back, memory
/// behind.
///
/// A window has two parts. First the messages that arrive in it are taken from the calendar
/// (net_calendar.sv): requests go to the queues of their slices (net_arrive.svh), replies to those
/// of their SMs (net_reply.sv). Then, while the SMs advance, each slice with work is taken up to
/// the window's end (net_slice.svh, net_serve.svh, net_fill.svh). All messages that come up in a
/// window arrive after its end, so the order of this work changes nothing.
/// Idle slices and empty cycles cost no host clock.
/// This module wires the others (net_wires.svh), and has the slices, windows and commands in one
/// clocked block. What that block sends to a module is a register of it, so it comes a clock later;
/// parameters, which change only between windows, are read as they are.
/// The rules of time: docs/timing-model.md rule 9. Words on the ports: docs/core-words.md.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clocked block assigns its own registers with =

module net_engine #(
  parameter int NodeBits = 16,          // log2 of the messages under way or waiting, 8 to 16
  parameter int RowBits  = 15,          // log2 of the sets of all slices of this instance
  parameter bit Pipelined = `HEDDLE_PIPELINED  // each step takes a clock
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // commands DramReply, Set, FlushL2, FillL2, Remote; only between windows
  input  logic         cmd_valid_i,
  input  logic [511:0] cmd_i,
  output logic         cmd_ready_o,

  // windows, from and to heddle_run
  input  logic         go_i,                  /// one clock: serve up to window_end_i
  input  logic [31:0]  window_end_i,
  input  logic [31:0]  reached_i,             /// everything before is simulated
  output logic         idle_o,                /// done with the window and with commands
  output logic         replied_o,             /// the SMs may take the replies of this window
  output logic [32:0]  next_o,                /// {never, time} of the next work, with idle_o
  output logic [heddle_pkg::FaultW-1:0] fault_o,  /// enum fault; stays

  // requests from the SMs; those of one SM have increasing times
  input  logic         req_valid_i,
  input  logic [127:0] req_i,
  output logic         req_ready_o,

  // the next reply of SM reply_sm_i in order of (time, slice)
  input  logic [7:0]   reply_sm_i,
  output logic         reply_valid_o,
  output logic [63:0]  reply_o,
  input  logic         reply_pop_i,           /// what was shown in the clock before is taken;
                                              /// how often: net_reply.sv

  output logic         ev_valid_o,            /// event; stable until ev_ready_i
  output logic [127:0] ev_o,
  input  logic         ev_ready_i,

  // counters, docs/timing-model.md
  output logic [63:0]  accesses_o,
  output logic [63:0]  hits_o,
  output logic [63:0]  reads_o,
  output logic [63:0]  writes_o,
  output logic [63:0]  hash_o
);
`include "heddle_import.svh"
localparam int TimeW = 32;               // 16 bits would not do: docs/timing-model.md rule 15
`include "heddle_time.svh"
`include "net_types.svh"
`include "net_state.svh"
`include "net_wires.svh"
`include "net_scrub.svh"
`include "net_answer.svh"
`include "net_arrive.svh"
`include "net_slice.svh"
`include "net_clean.svh"
`include "net_serve.svh"
`include "net_fill.svh"
`include "net_cross.svh"
`include "net_flush.svh"
`include "net_command.svh"
`include "net_window.svh"
`include "net_rules.svh"
`include "slice_rules.svh"

  always_ff @(posedge clk_i) begin : engine
    `RULES(rules)
    if (!rst_ni) begin
      reset_window();
      reset_slice();
      reset_scrub();
      reset_command();
      reset_flush();
    end else if (!idle_o || go_i || cmd_valid_i || req_valid_i || reply_pop_i) begin
      work();
    end
  end

  /// the steps of this clock are those of a state: Pipelined, of the one as the clock began, so
  /// that each state takes a clock; else of the one that the steps before have led to
  function automatic logic in_state(input slice_state_e state);
    in_state = (Pipelined ? state_was_d : slice_state_q) == state;
  endfunction

  function automatic logic in_flush(input flush_e state);
    in_flush = (Pipelined ? flush_was_d : flush_q) == state;
  endfunction

  function automatic logic in_phase(input phase_e phase);
    in_phase = (Pipelined ? phase_was_d : phase_q) == phase;
  endfunction

  // One clock in which there may be something to do. Registers of this block are assigned with =:
  // a step sees what the steps called before it have left. Memories, and what other modules read
  // while anything is under way, are assigned with <=.
  task automatic work();
    busy_d      = 1'b0;
    insert_d    = 1'b0;
    alloc_d     = 1'b0;
    free_d      = 1'b0;
    node_we_d   = 1'b0;
    reply_we_d  = 1'b0;
    answer_we_d = 1'b0;
    link_d      = 1'b0;
    queue_we_d  = 1'b0;
    far_we_d    = 1'b0;
    back_we_d   = 1'b0;
    trip_we_d   = 1'b0;
    fills_we_d  = 1'b0;
    clock_we_d  = 1'b0;
    way_we_d    = 1'b0;
    clean_we_d  = 1'b0;
    row_clear_d = 1'b0;
    set_we_d    = 1'b0;
    wait_we_d   = 1'b0;
    wait_link_d = 1'b0;
    fault_d     = FaultNone;
    divide_d    = 1'b0;
    mix_d       = 1'b0;
    accesses_d  = '0;
    hits_d      = '0;
    reads_d     = '0;
    writes_d    = '0;
    if (Pipelined) begin
      forget();
      remember();
      look_at_events();
      events();
      steps_apart();
    end else begin
      events();
      look_at_events();
      steps_together();
    end
    begin_window();               // behind the slices: parameters change for the next clock
    command();
    send_all();
    write_memories();
    end_window();
  endtask

  // All steps that follow each other work in this clock.
  task automatic steps_together();
    initialise();
    offer_node();
    flush_check();
    arrive();
    slice_choose();
    slice_load();
    slice_scrub();
    slice_read();
    slice_decide();
    slice_fetch();
    slice_copy();
    slice_low();
    slice_quotient();
    slice_home();
    slice_place();
    slice_row();
    slice_tags();                 // reads a set to flush, too
    slice_match();
    slice_over();                 // beside slice_way
    slice_way();
    slice_clean();
    flush_ways();
    flush_scan();
    slice_tell();                 // what slice_serve sends comes first: not in the same clock
    slice_serve();
    slice_pass();
    slice_passed();
    slice_drop();
    slice_fill();
    slice_waiter();
    slice_here();
    slice_wake();
    write_row();
  endtask

  // One state works in this clock. The last step comes first, so that for synthesis what a step
  // leaves is a register to the next one; otherwise yosys would see the logic of all in one clock.
  task automatic steps_apart();
    initialise();
    offer_node();
    slice_wake();
    slice_here();
    slice_waiter();
    slice_fill();
    slice_drop();
    slice_passed();
    slice_pass();
    slice_serve();
    slice_tell();
    flush_scan();
    write_row();
    flush_ways();
    slice_clean();
    slice_way();
    slice_over();
    slice_match();
    slice_tags();
    slice_row();
    slice_place();
    slice_home();
    slice_quotient();
    slice_low();
    slice_copy();
    slice_fetch();
    slice_decide();
    slice_read();
    slice_scrub();
    slice_load();
    slice_choose();
    arrive();
    flush_check();
  endtask
endmodule
