/// Parameters of the network and of L2, with what follows from them.
///
/// Reset gives the defaults of the tables.
/// Latency: an output changes in the clock after set_i, in which a reciprocal is asked for as well.
/// Throughput: a parameter each clock, behind one that decides where lines live when not setting_o.
/// Rules: set_i comes while not setting_o and nothing uses the parameters.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_parameters (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        setting_o,
  output logic [heddle_pkg::FaultW-1:0] fault_o,  /// a value is out of range; stays

  input  logic        set_i,
  input  logic [15:0] id_i,             /// enum param
  input  logic [31:0] value_i,

  output logic        divide_o,         /// a reciprocal is made, net_reciprocal.sv
  output logic [1:0]  divide_kind_o,
  output logic [9:0]  divide_by_o,
  input  logic        divide_busy_i,
  output logic        unclear_o,        /// for one clock: where lines live has changed

  output logic [7:0]  num_slices_o,
  output logic [7:0]  instances_o,
  output logic [7:0]  instance_o,
  output logic [2:0]  twos_o,           /// num_slices is odd << twos
  output logic [7:0]  odd_o,
  output logic [1:0]  field_bits_o,     /// fields of the slice hash: 4 bits and so many
  output logic [9:0]  sets_o,           /// of a slice
  output logic        fold_o,           /// parameter hash
  output logic [1:0]  interleave_o,     /// lines together in a slice: 1, 2, 4 as 0, 1, 2
  output logic        two_o,            /// two partitions
  output logic [6:0]  half_o,           /// slices of a partition
  output logic [15:0] atomic_time_o,
  output logic [31:0] net_request_o,
  output logic [31:0] net_reply_o,
  output logic [31:0] net_cross_o,
  output logic [31:0] l2_latency_o,
  output logic [31:0] l2_miss_o,
  output logic [31:0] l2_fill_o,
  output logic [1:0]  flit_shift_o,     /// sectors of a flit: 1, 2, 4 as 0, 1, 2
  output logic [15:0] flit_time_o,
  output logic [9:0]  entries_o,        /// of memory, that a slice may take
  output logic [1:0]  fetch_o,          /// sectors fetched together: 1, 2, 4 as 0, 1, 2
  output logic [3:0]  dirty_ways_o,     /// of a set, at most; 0: all
  output logic [3:0]  pinned_ways_o,    /// of a set, at most
  output logic [31:0] scrub_period_o    /// most cycles between two scrubs
);
`include "heddle_import.svh"
  localparam int NumSlices = 96;
  localparam int NumWays   = 16;
  localparam logic [31:0] ScrubMost = 32'd1 << 29;  // an eighth of the range of times
  localparam logic [1:0] OfSlices = 2'd0, OfSets = 2'd1, OfInstances = 2'd2;

  logic wrong;

  assign setting_o = divide_o || divide_busy_i || unclear_o;

  /// the power of two in a number of slices, of which this is all but the highest bit
  function automatic logic [2:0] twos_of(input logic [6:0] slices);
    logic [7:0] one;
    one     = {1'b1, slices} & (~{1'b1, slices} + 1'b1);
    twos_of = {|(one & 8'hf0), |(one & 8'hcc), |(one & 8'haa)};
  endfunction

  // {twos, odd, field_bits} of a number of slices
  function automatic logic [12:0] factors_of(input logic [7:0] slices);
    logic [2:0] twos;
    logic [1:0] above;
    logic [7:0] odd;
    twos       = twos_of(slices[6:0]);
    odd        = slices >> twos;
    above      = twos[2] ? twos[1:0] : 2'd0;
    factors_of = {twos, odd, above};
  endfunction

  always_comb begin : range
    wrong = 1'b0;
    if (set_i) case (32'(id_i))
      ParamNumSlices,
      ParamInstances:   wrong = value_i == '0 || value_i > 32'(NumSlices);
      ParamL2Sets:      wrong = value_i == '0 || value_i > 32'd1023;
      ParamPartitions:  wrong = value_i != 32'd1 && value_i != 32'd2;
      ParamFlitSectors,
      ParamInterleave,
      ParamL2Fetch:     wrong = value_i != 32'd1 && value_i != 32'd2 && value_i != 32'd4;
      ParamAtomicTime:  wrong = value_i > 32'd65535;
      ParamFlitTime:    wrong = value_i < 32'd256 || value_i > 32'd65535;
      ParamL2DirtyWays: wrong = value_i > 32'(NumWays);
      ParamL2PinnedWays: wrong = value_i >= 32'(NumWays);
      ParamDramEntries: wrong = value_i < 32'd2 || value_i > 32'd1023;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin : parameters
    if (divide_o || unclear_o || !rst_ni) begin
      divide_o  <= 1'b0;
      unclear_o <= 1'b0;
    end
    if (!rst_ni) begin
      fault_o           <= FaultNone;
      num_slices_o      <= 8'(DefaultNumSlices);
      half_o            <= 7'(DefaultNumSlices / 2);
      {twos_o, odd_o, field_bits_o} <= factors_of(8'(DefaultNumSlices));
      instances_o       <= 8'(DefaultInstances);
      instance_o        <= 8'(DefaultInstance);
      sets_o            <= 10'(DefaultL2Sets);
      fold_o            <= 1'(DefaultHash);
      interleave_o      <= 2'(DefaultInterleave >> 1);
      atomic_time_o     <= 16'(DefaultAtomicTime);
      net_request_o     <= 32'(DefaultNetRequest);
      net_reply_o       <= 32'(DefaultNetReply);
      net_cross_o       <= 32'(DefaultNetCross);
      l2_latency_o      <= 32'(DefaultL2Latency);
      l2_miss_o         <= 32'(DefaultL2Miss);
      l2_fill_o         <= 32'(DefaultL2Fill);
      two_o             <= DefaultPartitions == 2;
      flit_shift_o      <= 2'(DefaultFlitSectors >> 1);
      flit_time_o       <= 16'(DefaultFlitTime);
      entries_o         <= 10'(DefaultDramEntries);
      fetch_o           <= 2'(DefaultL2Fetch >> 1);
      dirty_ways_o      <= 4'(DefaultL2DirtyWays);
      pinned_ways_o     <= 4'(DefaultL2PinnedWays);
      scrub_period_o    <= ScrubMost;
    end else if (set_i) begin
      if (wrong) fault_o <= FaultParameter;
      case (32'(id_i))
        ParamNumSlices: begin
          num_slices_o  <= value_i[7:0];
          half_o        <= value_i[7:1];
          {twos_o, odd_o, field_bits_o} <= factors_of(value_i[7:0]);
          unclear_o     <= 1'b1;
          divide_o      <= 1'b1;
          divide_kind_o <= OfSlices;
          divide_by_o   <= {2'd0, value_i[7:0] >> twos_of(value_i[6:0])};
        end
        ParamL2Sets: begin
          sets_o        <= value_i[9:0];
          unclear_o     <= 1'b1;
          divide_o      <= 1'b1;
          divide_kind_o <= OfSets;
          divide_by_o   <= value_i[9:0];
        end
        ParamInstances: begin
          instances_o   <= value_i[7:0];
          unclear_o     <= 1'b1;
          divide_o      <= 1'b1;
          divide_kind_o <= OfInstances;
          divide_by_o   <= {2'd0, value_i[7:0]};
        end
        ParamInstance: begin
          instance_o <= value_i[7:0];
          unclear_o  <= 1'b1;
        end
        ParamPartitions: begin
          two_o     <= value_i[1];
          unclear_o <= 1'b1;
        end
        ParamHash:           fold_o            <= value_i[0];
        ParamInterleave:     interleave_o      <= value_i[2:1];
        ParamAtomicTime:     atomic_time_o     <= value_i[15:0];
        ParamNetRequest:     net_request_o     <= value_i;
        ParamNetReply:       net_reply_o       <= value_i;
        ParamNetCross:       net_cross_o       <= value_i;
        ParamL2Latency:      l2_latency_o      <= value_i;
        ParamL2Miss:         l2_miss_o         <= value_i;
        ParamL2Fill:         l2_fill_o         <= value_i;
        ParamFlitSectors:    flit_shift_o      <= value_i[2:1];
        ParamFlitTime:       flit_time_o       <= value_i[15:0];
        ParamL2Fetch:        fetch_o           <= value_i[2:1];
        ParamL2DirtyWays:    dirty_ways_o      <= value_i[3:0];
        ParamL2PinnedWays:   pinned_ways_o     <= value_i[3:0];
        ParamDramEntries:    entries_o         <= value_i[9:0];
        ParamScrub:
          scrub_period_o <= value_i == '0 || value_i > ScrubMost ? ScrubMost : value_i;
        default: ;
      endcase
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(SetAlone, set_i, !setting_o)
      `ASSERT_IF(SlicesInRange, fault_o == FaultNone,
                 num_slices_o != '0 && 32'(num_slices_o) <= NumSlices)
      `ASSERT(SlicesFactors, fault_o != FaultNone || num_slices_o == odd_o << twos_o)
      `ASSERT(ScrubPeriod, scrub_period_o != '0 && scrub_period_o <= ScrubMost)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
