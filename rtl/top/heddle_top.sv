/// The core behind plain vectors: control registers, rings, run control, the two engines, counters.
///
/// Events of the network go first into the event ring: they are few. With several groups, pairs of
/// engines that share the SMs and slices, heddle_groups has the engines' place.
/// Latency: none beside that of its parts; a counter is shown a clock after it is asked for.
/// Throughput: a command, and an event, each clock.
/// Rules: those of heddle_control, command_reader and event_writer, whose ports these are.
module heddle_top #(
  parameter int SubBits  = 2,            /// 1 << SubBits sub-cores of an SM: 1 or 2
  parameter int TimeBits = 32,           /// that the SMs keep of a time, 16 to 32
  parameter int MaxSms   = 256,          /// SMs held, 2 to 256
  parameter int Groups   = 1,            /// pairs of engines: 1, 2 or 4
  parameter int NodeBits = 16,           /// log2 of the requests in a group's network or waiting
  parameter int RowBits  = 15            /// log2 of the L2 sets of this instance
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         interrupt_o,

  // AXI4-Lite slave
  input  logic [11:0]  s_awaddr_i,
  input  logic         s_awvalid_i,
  output logic         s_awready_o,
  input  logic [31:0]  s_wdata_i,
  input  logic         s_wvalid_i,
  output logic         s_wready_o,
  output logic [1:0]   s_bresp_o,
  output logic         s_bvalid_o,
  input  logic         s_bready_i,
  input  logic [11:0]  s_araddr_i,
  input  logic         s_arvalid_i,
  output logic         s_arready_o,
  output logic [31:0]  s_rdata_o,
  output logic [1:0]   s_rresp_o,
  output logic         s_rvalid_o,
  input  logic         s_rready_i,

  // AXI4 master, bursts of 64-byte beats
  output logic [63:0]  m_awaddr_o,
  output logic [7:0]   m_awlen_o,
  output logic         m_awvalid_o,
  input  logic         m_awready_i,
  output logic [511:0] m_wdata_o,
  output logic         m_wlast_o,
  output logic         m_wvalid_o,
  input  logic         m_wready_i,
  input  logic         m_berror_i,      /// with m_bvalid_i: SLVERR or DECERR
  input  logic         m_bvalid_i,
  output logic [63:0]  m_araddr_o,
  output logic [7:0]   m_arlen_o,
  output logic         m_arvalid_o,
  input  logic         m_arready_i,
  input  logic [511:0] m_rdata_i,
  input  logic         m_rerror_i,      /// with m_rvalid_i: SLVERR or DECERR
  input  logic         m_rvalid_i,
  output logic         m_rready_o
);
  localparam int unsigned MaxSlices   = 96;
  localparam int unsigned MaxSets     = 1 << RowBits;
  localparam int unsigned MaxPackets  = 64;
  localparam int unsigned MaxRequests = 1 << NodeBits;

  // ---------------------------------------------------------------- control and rings
  logic         start, done, deliver, clocks_valid, window;
  logic [63:0]  command_ring, event_ring, status;
  logic [31:0]  command_size, event_size, command_tail, command_first, event_head, run_until;
  logic [31:0]  clocks;
  logic [4:0]   counter;
  logic         counter_read;
  logic [63:0]  counter_value;
  logic         command_enable, command_done, command_quiet, command_valid;
  logic         command_ready;
  logic [31:0]  commands;
  logic [511:0] command;
  logic         event_valid, event_ready, events_full, flush, flushed, events_empty;
  logic [127:0] event_word;
  logic [31:0]  events;
  logic         report_valid, report_done;
  logic [223:0] report;
  logic [3:0]   reader_fault, writer_fault;

  heddle_control #(
    .MaxSms(MaxSms), .MaxSlices(MaxSlices), .MaxSets(MaxSets), .MaxPackets(MaxPackets),
    .MaxRequests(MaxRequests), .SubCores(1 << SubBits), .TimeBits(TimeBits)
  ) u_control (
    .clk_i, .rst_ni, .interrupt_o,
    .awaddr_i(s_awaddr_i), .awvalid_i(s_awvalid_i), .awready_o(s_awready_o),
    .wdata_i(s_wdata_i), .wvalid_i(s_wvalid_i), .wready_o(s_wready_o),
    .bresp_o(s_bresp_o), .bvalid_o(s_bvalid_o), .bready_i(s_bready_i),
    .araddr_i(s_araddr_i), .arvalid_i(s_arvalid_i), .arready_o(s_arready_o),
    .rdata_o(s_rdata_o), .rresp_o(s_rresp_o), .rvalid_o(s_rvalid_o), .rready_i(s_rready_i),
    .start_o(start), .done_i(done), .command_ring_o(command_ring), .event_ring_o(event_ring),
    .status_o(status), .command_size_o(command_size), .event_size_o(event_size),
    .command_tail_o(command_tail), .event_head_o(event_head), .run_until_o(run_until),
    .deliver_o(deliver), .command_first_o(command_first),
    .counter_read_o(counter_read),
    .counter_o(counter), .counter_i(counter_value)
  );

  command_reader u_reader (
    .clk_i, .rst_ni, .ring_i(command_ring), .size_i(command_size), .tail_i(command_tail),
    .enable_i(command_enable), .taken_o(commands), .done_o(command_done), .quiet_o(command_quiet),
    .fault_o(reader_fault), .valid_o(command_valid), .beat_o(command), .ready_i(command_ready),
    .araddr_o(m_araddr_o), .arlen_o(m_arlen_o), .arvalid_o(m_arvalid_o),
    .arready_i(m_arready_i), .rdata_i(m_rdata_i), .rerror_i(m_rerror_i), .rvalid_i(m_rvalid_i),
    .rready_o(m_rready_o)
  );

  event_writer #(.ReportBits(224)) u_writer (
    .clk_i, .rst_ni, .ring_i(event_ring), .size_i(event_size), .head_i(event_head),
    .status_i(status), .written_o(events), .full_o(events_full),
    .valid_i(event_valid), .event_i(event_word), .ready_o(event_ready),
    .flush_i(flush), .flushed_o(flushed), .empty_o(events_empty),
    .report_valid_i(report_valid), .report_i(report), .report_done_o(report_done),
    .fault_o(writer_fault),
    .awaddr_o(m_awaddr_o), .awlen_o(m_awlen_o), .awvalid_o(m_awvalid_o),
    .awready_i(m_awready_i), .wdata_o(m_wdata_o), .wlast_o(m_wlast_o),
    .wvalid_o(m_wvalid_o), .wready_i(m_wready_i), .berror_i(m_berror_i), .bvalid_i(m_bvalid_i)
  );

  // ---------------------------------------------------------------- run control and engines
  logic         sm_command_valid, sm_command_ready, net_command_valid, net_command_ready;
  logic         sm_go, sm_idle, sm_parked, net_go, net_idle, net_replied, rested;
  logic [32:0]  sm_next, net_next;
  logic [3:0]   net_fault, fault;
  logic [31:0]  window_end, reached;
  logic [63:0]  sm_stat, l2_accesses, l2_hits, dram_reads, dram_writes, slice_hash;
  logic [4:0]   sm_stat_index;

  heddle_run #(.TimeBits(TimeBits)) u_run (
    .clk_i, .rst_ni, .start_i(start), .done_o(done), .run_until_i(run_until),
    .deliver_i(deliver), .command_first_i(command_first),
    .clocks_o(clocks), .clocks_valid_o(clocks_valid), .window_o(window),
    .command_enable_o(command_enable), .command_done_i(command_done),
    .command_quiet_i(command_quiet), .commands_i(commands),
    .command_valid_i(command_valid), .command_i(command), .command_ready_o(command_ready),
    .sm_command_valid_o(sm_command_valid), .sm_command_ready_i(sm_command_ready),
    .net_command_valid_o(net_command_valid), .net_command_ready_i(net_command_ready),
    .sm_go_o(sm_go), .sm_idle_i(sm_idle), .sm_parked_i(sm_parked), .sm_next_i(sm_next),
    .rested_i(rested),
    .net_go_o(net_go), .net_idle_i(net_idle), .net_replied_i(net_replied),
    .net_next_i(net_next), .fault_i(fault), .window_end_o(window_end),
    .reached_o(reached), .events_full_i(events_full), .flush_o(flush), .flushed_i(flushed),
    .events_empty_i(events_empty), .events_i(events), .report_valid_o(report_valid),
    .report_o(report), .report_done_i(report_done)
  );

  // The first fault counts; of those of one clock, that of the rings, which has no cause in others.
  assign fault = (reader_fault != heddle_pkg::FaultNone) ? reader_fault
                 : (writer_fault != heddle_pkg::FaultNone) ? writer_fault : net_fault;

  if (Groups == 1) begin : gen_one
    logic         request_valid, request_ready, reply_valid, reply_pop;
    logic [127:0] request;
    logic [63:0]  reply;
    logic [7:0]   reply_sm, reply_pop_sm;
    logic         sm_event_valid, sm_event_ready, net_event_valid, net_event_ready;
    logic [127:0] sm_event, net_event;
    logic         sm_rested;

    sm_engine #(.MaxSm(MaxSms), .SubBits(SubBits), .TimeW(TimeBits)) u_sm (
      .clk_i, .rst_ni, .cmd_valid_i(sm_command_valid), .cmd_i(command),
      .cmd_ready_o(sm_command_ready), .go_i(sm_go), .window_end_i(window_end),
      .reached_i(reached), .idle_o(sm_idle), .parked_o(sm_parked), .rested_o(sm_rested),
      .next_o(sm_next),
      .req_valid_o(request_valid), .req_o(request),
      .req_ready_i(request_ready), .reply_sm_o(reply_sm), .reply_valid_i(reply_valid),
      .reply_i(reply), .reply_pop_o(reply_pop), .reply_pop_sm_o(reply_pop_sm),
      .ev_valid_o(sm_event_valid), .ev_o(sm_event), .ev_ready_i(sm_event_ready),
      .stat_index_i(sm_stat_index), .stat_o(sm_stat),
      /* verilator lint_off PINCONNECTEMPTY */  // the trace is for tests of the engine
      .issue_valid_o(), .issue_sm_o(), .issue_warp_o(), .issue_time_o()
      /* verilator lint_on PINCONNECTEMPTY */
    );

    net_engine #(.NodeBits(NodeBits), .RowBits(RowBits)) u_net (
      .clk_i, .rst_ni, .cmd_valid_i(net_command_valid), .cmd_i(command),
      .cmd_ready_o(net_command_ready), .go_i(net_go), .window_end_i(window_end),
      .reached_i(reached), .idle_o(net_idle), .replied_o(net_replied), .next_o(net_next),
      .fault_o(net_fault), .chip_valid_i(1'b0), .chip_word_i('0),
      /* verilator lint_off PINCONNECTEMPTY */  // there is no other engine
      .chip_ready_o(),
      /* verilator lint_on PINCONNECTEMPTY */
      .req_valid_i(request_valid), .req_i(request),
      .req_ready_o(request_ready), .reply_sm_i(reply_sm), .reply_valid_o(reply_valid),
      .reply_o(reply), .reply_pop_i(reply_pop), .reply_pop_sm_i(reply_pop_sm),
      .ev_valid_o(net_event_valid), .ev_o(net_event), .ev_ready_i(net_event_ready),
      .accesses_o(l2_accesses), .hits_o(l2_hits), .reads_o(dram_reads), .writes_o(dram_writes),
      .hash_o(slice_hash)
    );

    // the event ring takes the network's events first: they are few
    assign event_valid     = net_event_valid || sm_event_valid;
    assign event_word      = net_event_valid ? net_event : sm_event;
    assign net_event_ready = event_ready;
    assign sm_event_ready  = event_ready && !net_event_valid;
    assign rested          = sm_rested && net_idle;
  end else begin : gen_groups
    heddle_groups #(
      .Groups(Groups), .SubBits(SubBits), .TimeBits(TimeBits), .MaxSms(MaxSms),
      .NodeBits(NodeBits), .RowBits(RowBits)
    ) u_groups (
      .clk_i, .rst_ni, .sm_command_valid_i(sm_command_valid),
      .sm_command_ready_o(sm_command_ready), .net_command_valid_i(net_command_valid),
      .net_command_ready_o(net_command_ready), .command_i(command), .sm_go_i(sm_go),
      .sm_idle_o(sm_idle), .sm_parked_o(sm_parked), .sm_next_o(sm_next), .rested_o(rested),
      .net_go_i(net_go),
      .net_idle_o(net_idle), .net_replied_o(net_replied), .net_next_o(net_next),
      .fault_o(net_fault), .window_end_i(window_end), .reached_i(reached),
      .ev_valid_o(event_valid), .ev_o(event_word), .ev_ready_i(event_ready),
      .stat_index_i(sm_stat_index), .stat_o(sm_stat), .accesses_o(l2_accesses),
      .hits_o(l2_hits), .reads_o(dram_reads), .writes_o(dram_writes), .hash_o(slice_hash)
    );
  end

  // ---------------------------------------------------------------- counters
  logic [63:0] clocks_q, runs_q, windows_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clocks_q  <= '0;
      runs_q    <= '0;
      windows_q <= '0;
    end else begin
      if (clocks_valid) begin
        clocks_q <= clocks_q + 64'(clocks);
        runs_q   <= runs_q + 1;
      end
      if (window) windows_q <= windows_q + 1;
    end
  end

  always_comb begin
    case (32'(counter))
      heddle_pkg::CounterIssueHash:  sm_stat_index = 5'd1;
      heddle_pkg::CounterL1Accesses: sm_stat_index = 5'd2;
      heddle_pkg::CounterL1Hits:     sm_stat_index = 5'd3;
      heddle_pkg::CounterFetchMisses:    sm_stat_index = 5'd4;
      heddle_pkg::CounterConstantMisses: sm_stat_index = 5'd5;
      default:                       sm_stat_index = 5'd0;
    endcase
    if (32'(counter) >= heddle_pkg::CounterWaitNoWarp
        && 32'(counter) <= heddle_pkg::CounterWaitConstant)
      sm_stat_index = 5'd16 + (counter - 5'(heddle_pkg::CounterWaitNoWarp));
  end

  always_ff @(posedge clk_i) begin
    if (counter_read) begin
      case (32'(counter))
        heddle_pkg::CounterClocks:     counter_value <= clocks_q;
        heddle_pkg::CounterL2Accesses: counter_value <= l2_accesses;
        heddle_pkg::CounterL2Hits:     counter_value <= l2_hits;
        heddle_pkg::CounterDramReads:  counter_value <= dram_reads;
        heddle_pkg::CounterDramWrites: counter_value <= dram_writes;
        heddle_pkg::CounterSliceHash:  counter_value <= slice_hash;
        heddle_pkg::CounterRuns:       counter_value <= runs_q;
        heddle_pkg::CounterWindows:    counter_value <= windows_q;
        default:                       counter_value <= sm_stat;
      endcase
    end
  end
endmodule
