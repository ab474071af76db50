/// AXI4-Lite slave: control registers of ap_ctrl_hs, arguments of a run, identity and counters.
///
/// The map is host/tables/core_regs.def. Unknown addresses answer SLVERR and read as CoreUnmapped.
/// Only whole words are written (wstrb is ignored).
/// Latency: a write takes one clock, a read four. Throughput: a write each clock; one read at a
/// time.
/// Rules: no output depends on an input of the same clock. Answers stay until taken. start_o stays
/// until done_i, and meanwhile the arguments do not change, but for event_head_o: the host may take
/// events during a run.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module heddle_control #(
  parameter int unsigned MaxSms      = 128,   /// SM contexts
  parameter int unsigned MaxSlices   = 96,    /// L2 slices of all instances
  parameter int unsigned MaxSets     = 32768, /// L2 sets of this instance
  parameter int unsigned MaxPackets  = 64,    /// packets buffered per warp
  parameter int unsigned MaxRequests = 65536, /// requests in the network and waiting for memory
  parameter int unsigned SubCores    = 4,     /// sub-cores of an SM
  parameter int unsigned TimeBits    = 32     /// that the SMs keep of a time
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // AXI4-Lite, from the host
  input  logic [11:0] awaddr_i,
  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [31:0] wdata_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  output logic [1:0]  bresp_o,
  output logic        bvalid_o,
  input  logic        bready_i,
  input  logic [11:0] araddr_i,
  input  logic        arvalid_i,
  output logic        arready_o,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic        interrupt_o,

  // to and from heddle_run
  output logic        start_o,          /// a run is wanted, until done_i
  input  logic        done_i,           /// the run has ended, one clock
  output logic [63:0] command_ring_o,   /// arguments: stable while start_o
  output logic [63:0] event_ring_o,
  output logic [63:0] status_o,
  output logic [31:0] command_size_o,
  output logic [31:0] event_size_o,
  output logic [31:0] command_tail_o,
  output logic [31:0] event_head_o,
  output logic [31:0] run_until_o,
  output logic        deliver_o,
  output logic [31:0] command_first_o,
  output logic        counter_read_o,   /// counter_o is wanted: counter_i holds it a clock later
  output logic [4:0]  counter_o,
  input  logic [63:0] counter_i
);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  logic        done_q, ready_q, interrupts_on_q;
  logic [1:0]  enable_q, pending_q;
  logic [11:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic        address_q, data_q;       // the one has come before the other
  logic        reading_q, chosen_q, late_q;  // a read was accepted; its counter is on its way
  // inside one clock
  logic        write;
  logic [11:0] awaddr;
  logic [31:0] wdata;
  logic [1:0]  pending;

  assign awready_o      = !address_q;
  assign wready_o       = !data_q;
  assign arready_o      = !reading_q && !chosen_q && !late_q && !rvalid_o;
  assign interrupt_o    = interrupts_on_q && pending_q != 2'b00;
  assign counter_read_o = chosen_q;  // the engines show it a clock after counter_o
  assign counter_o      = araddr_q[7:3];

  always_ff @(posedge clk_i) begin : write_port
    if (awvalid_i && awready_o) awaddr_q <= awaddr_i;
    if (wvalid_i && wready_o) wdata_q <= wdata_i;
    if (!rst_ni) begin
      address_q       <= 1'b0;
      data_q          <= 1'b0;
      bvalid_o        <= 1'b0;
      bresp_o         <= Okay;
      start_o         <= 1'b0;
      interrupts_on_q <= 1'b0;
      enable_q        <= 2'b00;
      pending_q       <= 2'b00;
      command_ring_o  <= '0;
      event_ring_o    <= '0;
      status_o        <= '0;
      command_size_o  <= 32'd1;
      event_size_o    <= 32'd1;
      command_tail_o  <= '0;
      event_head_o    <= '0;
      run_until_o     <= '0;
      deliver_o       <= 1'b0;
      command_first_o <= '0;
    end else if (awvalid_i || wvalid_i || address_q || data_q || bvalid_o || done_i) begin
      if (bready_i) bvalid_o <= 1'b0;
      if (done_i) start_o <= 1'b0;
      write     = (address_q || awvalid_i) && (data_q || wvalid_i) && (!bvalid_o || bready_i);
      awaddr    = address_q ? awaddr_q : awaddr_i;
      wdata     = data_q ? wdata_q : wdata_i;
      address_q <= (address_q || awvalid_i) && !write;
      data_q    <= (data_q || wvalid_i) && !write;
      pending   = pending_q;
      if (write && awaddr == 12'h00c) pending = pending ^ wdata[1:0];
      pending_q <= pending | (enable_q & {2{done_i}});
      if (write) begin
        bvalid_o <= 1'b1;
        bresp_o  <= Okay;
        case (awaddr)
          12'h000: if (wdata[0]) start_o <= 1'b1;
          12'h004: interrupts_on_q <= wdata[0];
          12'h008: enable_q <= wdata[1:0];
          12'h00c: ;
          heddle_pkg::RegCommandRing:     command_ring_o[31:0]  <= wdata;
          heddle_pkg::RegCommandRingHigh: command_ring_o[63:32] <= wdata;
          heddle_pkg::RegEventRing:       event_ring_o[31:0]    <= wdata;
          heddle_pkg::RegEventRingHigh:   event_ring_o[63:32]   <= wdata;
          heddle_pkg::RegStatus:          status_o[31:0]        <= wdata;
          heddle_pkg::RegStatusHigh:      status_o[63:32]       <= wdata;
          heddle_pkg::RegCommandSize:     command_size_o <= wdata;
          heddle_pkg::RegEventSize:       event_size_o   <= wdata;
          heddle_pkg::RegCommandTail:     command_tail_o <= wdata;
          heddle_pkg::RegEventHead:       event_head_o   <= wdata;
          heddle_pkg::RegRunUntil:        run_until_o    <= wdata;
          heddle_pkg::RegFlags:           deliver_o      <= wdata[0];
          heddle_pkg::RegCommandFirst:    command_first_o <= wdata;
          default:                        bresp_o        <= SlaveError;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin : read_port
    if (!rst_ni) begin
      rvalid_o <= 1'b0;
      rdata_o  <= '0;
      rresp_o  <= Okay;
      done_q   <= 1'b0;
      ready_q  <= 1'b0;
      reading_q <= 1'b0;
      chosen_q  <= 1'b0;
      late_q    <= 1'b0;
    end else if (arvalid_i || reading_q || chosen_q || late_q || rvalid_o || done_i) begin
      if (rready_i) rvalid_o <= 1'b0;
      reading_q <= arvalid_i && arready_o;
      chosen_q  <= reading_q;
      late_q    <= chosen_q;
      if (arvalid_i && arready_o) araddr_q <= araddr_i;
      if (late_q) begin
        rvalid_o <= 1'b1;
        rresp_o  <= Okay;
        case (araddr_q)
          12'h000: begin
            rdata_o <= {28'd0, ready_q, !start_o, done_q, start_o};
            done_q  <= 1'b0;
            ready_q <= 1'b0;
          end
          12'h004: rdata_o <= {31'd0, interrupts_on_q};
          12'h008: rdata_o <= {30'd0, enable_q};
          12'h00c: rdata_o <= {30'd0, pending_q};
          heddle_pkg::RegCommandRing:     rdata_o <= command_ring_o[31:0];
          heddle_pkg::RegCommandRingHigh: rdata_o <= command_ring_o[63:32];
          heddle_pkg::RegEventRing:       rdata_o <= event_ring_o[31:0];
          heddle_pkg::RegEventRingHigh:   rdata_o <= event_ring_o[63:32];
          heddle_pkg::RegStatus:          rdata_o <= status_o[31:0];
          heddle_pkg::RegStatusHigh:      rdata_o <= status_o[63:32];
          heddle_pkg::RegCommandSize:     rdata_o <= command_size_o;
          heddle_pkg::RegEventSize:       rdata_o <= event_size_o;
          heddle_pkg::RegCommandTail:     rdata_o <= command_tail_o;
          heddle_pkg::RegEventHead:       rdata_o <= event_head_o;
          heddle_pkg::RegRunUntil:        rdata_o <= run_until_o;
          heddle_pkg::RegFlags:           rdata_o <= {31'd0, deliver_o};
          heddle_pkg::RegCommandFirst:    rdata_o <= command_first_o;
          heddle_pkg::RegMagic:           rdata_o <= heddle_pkg::CoreMagic;
          heddle_pkg::RegVersion:         rdata_o <= heddle_pkg::CoreVersion;
          heddle_pkg::RegBuildId:         rdata_o <= heddle_pkg::CoreBuildId;
          heddle_pkg::RegMaxSms:          rdata_o <= MaxSms;
          heddle_pkg::RegMaxSlices:       rdata_o <= MaxSlices;
          heddle_pkg::RegMaxSets:         rdata_o <= MaxSets;
          heddle_pkg::RegMaxPackets:      rdata_o <= MaxPackets;
          heddle_pkg::RegMaxRequests:     rdata_o <= MaxRequests;
          heddle_pkg::RegSubCores:        rdata_o <= SubCores;
          heddle_pkg::RegTimeBits:        rdata_o <= TimeBits;
          default: begin
            rdata_o <= heddle_pkg::CoreUnmapped;
            rresp_o <= SlaveError;
          end
        endcase
        if (araddr_q[11:8] == heddle_pkg::CoreCounterBase[11:8]
            && araddr_q[7:3] < 5'(heddle_pkg::NumCounters)) begin
          rdata_o <= araddr_q[2] ? counter_i[63:32] : counter_i[31:0];
          rresp_o <= Okay;
        end
      end
      if (done_i) begin
        done_q  <= 1'b1;
        ready_q <= 1'b1;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_answer, was_data;       // an answer, data that was read was not taken
  logic [1:0]   was_response;
  logic [33:0]  was_data_word;
  logic         was_start, was_done;
  logic [352:0] was_arguments, arguments;

  assign arguments = {command_ring_o, event_ring_o, status_o, command_size_o, event_size_o,
                      command_tail_o, run_until_o, command_first_o, deliver_o};

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(AnswerHeld, was_answer, bvalid_o)
      `ASSERT_IF(AnswerStable, was_answer, bresp_o == was_response)
      `ASSERT_IF(ReadDataHeld, was_data, rvalid_o)
      `ASSERT_IF(ReadDataStable, was_data, {rresp_o, rdata_o} == was_data_word)
      // a read is under way in one step
      `ASSERT(ReadOne, $onehot0({reading_q, chosen_q, late_q, rvalid_o}))
      // address and data that have both come are written, unless the answer before waits
      `ASSERT_IF(WriteGoes, address_q && data_q, bvalid_o)
      `ASSERT_IF(StartUntilDone, was_start && !was_done, start_o)
      `ASSERT_IF(ArgumentsStable, was_start && start_o, arguments == was_arguments)
      `ASSERT_IF(ReadyWithDone, ready_q, done_q)
    end
    rules_clock   = rst_ni ? rules_clock + 1 : 0;
    was_answer    = rst_ni && bvalid_o && !bready_i;
    was_response  = bresp_o;
    was_data      = rst_ni && rvalid_o && !rready_i;
    was_data_word = {rresp_o, rdata_o};
    was_start     = rst_ni && start_o;
    was_done      = done_i;
    was_arguments = arguments;
  end
`endif
endmodule
