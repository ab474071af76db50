/// Several pairs of engines, each for its share of the SMs and slices, that are to the rest of the
/// kernel one pair. All work on the same window at the same time.
///
/// heddle_split hands them commands, heddle_exchange carries requests and replies between them,
/// and heddle_merge joins their events. SM engines number their SMs without holes (sm_numbers.sv);
/// on the way out an SM gets the GPU's number again, so that messages and events are those of one
/// pair. What a group sends in a window arrives behind its end, as with one pair; the window ends
/// when all engines are idle and nothing is on its way between them. Counters and hashes are sums.
/// Latency: a clock more than that of the engines for commands and for events, and for what is said
/// when all are idle. Throughput: a command and an event each clock; each group a request and a
/// reply.
/// Rules: those of sm_engine and net_engine, whose ports these are. sm_idle_o and net_idle_o are
/// low from the clock after go or a command until all is done.
module heddle_groups #(
  parameter int Groups   = 2,            /// pairs of engines, 2 or 4
  parameter int SubBits  = 2,            /// as heddle_top
  parameter int TimeBits = 32,
  parameter int MaxSms   = 256,          /// of all groups, 2 * Groups at least
  parameter int NodeBits = 16,           /// of each group
  parameter int RowBits  = 15            /// of all groups
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         sm_command_valid_i,
  output logic         sm_command_ready_o,
  input  logic         net_command_valid_i,
  output logic         net_command_ready_o,
  input  logic [511:0] command_i,

  input  logic         sm_go_i,
  output logic         sm_idle_o,
  output logic         sm_parked_o,
  output logic [32:0]  sm_next_o,
  output logic         rested_o,            /// nothing is left of the window, but for commands
  input  logic         net_go_i,
  output logic         net_idle_o,
  output logic         net_replied_o,
  output logic [32:0]  net_next_o,
  output logic [heddle_pkg::FaultW-1:0] fault_o,
  input  logic [31:0]  window_end_i,
  input  logic [31:0]  reached_i,

  output logic         ev_valid_o,
  output logic [127:0] ev_o,
  input  logic         ev_ready_i,

  input  logic [4:0]   stat_index_i,
  output logic [63:0]  stat_o,
  output logic [63:0]  accesses_o,
  output logic [63:0]  hits_o,
  output logic [63:0]  reads_o,
  output logic [63:0]  writes_o,
  output logic [63:0]  hash_o
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "top/groups.svh"
  if (Groups != 2 && Groups != 4) $error("Groups must be 1, 2 or 4");

  // of all groups
  logic [Groups-1:0]     sm_command_valid, sm_command_ready, net_command_valid, net_command_ready;
  logic [511:128]        payload;
  logic [Groups*128-1:0] commands;
  logic                  split_busy;
  logic [FaultW-1:0]     split_fault;
  logic [2:0]            host_shift;
  logic [7:0]            instance_number;
  logic [Groups-1:0]     sm_idle, sm_parked, sm_rested, net_idle, net_replied;
  logic [Groups*33-1:0]  sm_next, net_next;
  logic [Groups*FaultW-1:0] fault;
  logic [Groups-1:0]     sm_event_valid, sm_event_ready;
  logic [Groups-1:0]     net_event_valid, net_event_ready;    // with words remote
  logic [Groups-1:0]     host_event_valid, host_event_ready;  // without
  logic [Groups*128-1:0] sm_event, net_event;
  logic [Groups-1:0]     chip_valid, chip_ready;
  logic [Groups*128-1:0] chip_word;
  logic [Groups*128-1:0] sent, requests;  // as SMs send them; with the GPU's numbers of SMs
  request_t              request;         // inside one clock
  logic                  exchange_busy;
  logic [Groups*64-1:0]  stats, accesses, hits, reads, writes, hashes;

  heddle_split #(.Groups(Groups)) u_split (
    .clk_i, .rst_ni, .busy_o(split_busy), .fault_o(split_fault),
    .sm_valid_i(sm_command_valid_i), .net_valid_i(net_command_valid_i), .command_i,
    .ready_o(sm_command_ready_o), .sm_valid_o(sm_command_valid), .sm_ready_i(sm_command_ready),
    .net_valid_o(net_command_valid), .net_ready_i(net_command_ready), .beat_o(payload),
    .command_o(commands), .host_shift_o(host_shift), .instance_o(instance_number)
  );
  assign net_command_ready_o = sm_command_ready_o;

  heddle_exchange #(.Groups(Groups)) u_exchange (
    .clk_i, .rst_ni, .busy_o(exchange_busy), .host_shift_i(host_shift),
    .instance_i(instance_number), .valid_i(net_event_valid), .word_i(net_event),
    .ready_o(net_event_ready), .ev_valid_o(host_event_valid), .ev_ready_i(host_event_ready),
    .valid_o(chip_valid), .word_o(chip_word), .ready_i(chip_ready)
  );

  heddle_merge #(.Groups(Groups)) u_merge (
    .clk_i, .rst_ni, .host_shift_i(host_shift), .instance_i(instance_number),
    .net_valid_i(host_event_valid), .net_word_i(net_event), .net_ready_o(host_event_ready),
    .sm_valid_i(sm_event_valid), .sm_word_i(sm_event), .sm_ready_o(sm_event_ready),
    .valid_o(ev_valid_o), .word_o(ev_o), .ready_i(ev_ready_i)
  );

  // ---------------------------------------------------------------- groups
  always_comb begin : numbers
    for (int g = 0; g < Groups; g++) begin
      request    = sent[g*128 +: 128];
      request.sm = number_of(request.sm, GroupBits'(g), host_shift, instance_number);
      requests[g*128 +: 128] = request;
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic [511:0] command;
    logic         sent_valid, sent_ready, reply_valid, reply_pop;
    logic [63:0]  reply;
    logic [7:0]   reply_sm, reply_pop_sm, told_sm, told_pop_sm;   // told: to the network

    assign command     = {payload, commands[g*128 +: 128]};
    assign told_sm     = number_of(reply_sm, GroupBits'(g), host_shift, instance_number);
    assign told_pop_sm = number_of(reply_pop_sm, GroupBits'(g), host_shift, instance_number);

    sm_engine #(
      .MaxSm((MaxSms + Groups - 1) / Groups), .SubBits(SubBits), .TimeW(TimeBits),
      .Dense(1'b1)
    ) u_sm (
      .clk_i, .rst_ni, .cmd_valid_i(sm_command_valid[g]), .cmd_i(command),
      .cmd_ready_o(sm_command_ready[g]), .go_i(sm_go_i), .window_end_i, .reached_i,
      .idle_o(sm_idle[g]), .parked_o(sm_parked[g]), .rested_o(sm_rested[g]),
      .next_o(sm_next[g*33 +: 33]),
      .req_valid_o(sent_valid), .req_o(sent[g*128 +: 128]), .req_ready_i(sent_ready),
      .reply_sm_o(reply_sm), .reply_valid_i(reply_valid), .reply_i(reply),
      .reply_pop_o(reply_pop), .reply_pop_sm_o(reply_pop_sm), .ev_valid_o(sm_event_valid[g]),
      .ev_o(sm_event[g*128 +: 128]), .ev_ready_i(sm_event_ready[g]), .stat_index_i,
      .stat_o(stats[g*64 +: 64]),
      /* verilator lint_off PINCONNECTEMPTY */  // the trace is for tests of the engine
      .issue_valid_o(), .issue_sm_o(), .issue_warp_o(), .issue_time_o()
      /* verilator lint_on PINCONNECTEMPTY */
    );

    net_engine #(
      .NodeBits(NodeBits), .RowBits(RowBits - GroupBits), .Exchange(1'b1)
    ) u_net (
      .clk_i, .rst_ni, .cmd_valid_i(net_command_valid[g]), .cmd_i(command),
      .cmd_ready_o(net_command_ready[g]), .go_i(net_go_i), .window_end_i, .reached_i,
      .idle_o(net_idle[g]), .replied_o(net_replied[g]), .next_o(net_next[g*33 +: 33]),
      .fault_o(fault[g*FaultW +: FaultW]), .req_valid_i(sent_valid), .req_i(requests[g*128 +: 128]),
      .req_ready_o(sent_ready), .reply_sm_i(told_sm),
      .reply_valid_o(reply_valid), .reply_o(reply), .reply_pop_i(reply_pop),
      .reply_pop_sm_i(told_pop_sm),
      .chip_valid_i(chip_valid[g]), .chip_word_i(chip_word[g*128 +: 128]),
      .chip_ready_o(chip_ready[g]), .ev_valid_o(net_event_valid[g]),
      .ev_o(net_event[g*128 +: 128]), .ev_ready_i(net_event_ready[g]),
      .accesses_o(accesses[g*64 +: 64]), .hits_o(hits[g*64 +: 64]), .reads_o(reads[g*64 +: 64]),
      .writes_o(writes[g*64 +: 64]), .hash_o(hashes[g*64 +: 64])
    );
  end

  // ---------------------------------------------------------------- windows
  // Idle: a clock late to begin, in which what comes next is found; not late to end.
  logic sm_rests, net_rests, sm_rested_q, net_rested_q;
  logic [32:0] sm_first, net_first;
  assign sm_rests      = &sm_idle && !split_busy;
  assign net_rests     = &net_idle && !split_busy && !exchange_busy && !ev_valid_o;
  assign sm_idle_o     = sm_rests && sm_rested_q;
  assign net_idle_o    = net_rests && net_rested_q;
  assign net_replied_o = &net_replied;
  assign rested_o      = &sm_rested && &net_idle && !exchange_busy;

  always_comb begin : earliest
    sm_first  = sm_next[32:0];
    net_first = net_next[32:0];
    for (int g = 1; g < Groups; g++) begin
      sm_first  = first(sm_first, sm_next[g*33 +: 33]);
      net_first = first(net_first, net_next[g*33 +: 33]);
    end
  end

  always_ff @(posedge clk_i) begin : windows
    sm_rested_q  <= rst_ni && sm_rests;
    net_rested_q <= rst_ni && net_rests;
    if (sm_rests && !sm_rested_q) begin
      sm_parked_o <= |sm_parked;
      sm_next_o   <= sm_first;
    end
    if (net_rests && !net_rested_q) net_next_o <= net_first;
  end

  // ---------------------------------------------------------------- sums
  always_comb begin : faults
    fault_o = split_fault;
    for (int g = 0; g < Groups; g++)
      if (fault_o == FaultNone) fault_o = fault[g*FaultW +: FaultW];
  end

  always_comb begin : sums
    stat_o     = '0;
    accesses_o = '0;
    hits_o     = '0;
    reads_o    = '0;
    writes_o   = '0;
    hash_o     = '0;
    for (int g = 0; g < Groups; g++) begin
      stat_o     = stat_o + stats[g*64 +: 64];
      accesses_o = accesses_o + accesses[g*64 +: 64];
      hits_o     = hits_o + hits[g*64 +: 64];
      reads_o    = reads_o + reads[g*64 +: 64];
      writes_o   = writes_o + writes[g*64 +: 64];
      hash_o     = hash_o + hashes[g*64 +: 64];
    end
  end
endmodule
