/// What tests and counters see of each warp instruction.
///
/// Latency: a clock behind stage update. Throughput: an instruction each clock.
/// Rules: none.
`include "sm_parameters.svh"
module sm_trace #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [31:0]         reached_i,
  input  logic                upd_issue_i,   /// an instruction issues,
  input  logic [IdW-1:0]      upd_id_i,      /// of this warp,
  input  logic [TimeW-1:0]    upd_at_i,      /// at
  output logic                issue_valid_o,
  output logic [7:0]          issue_sm_o,
  output logic [5:0]          issue_warp_o,
  output logic [31:0]         issue_time_o
);
`include "heddle_time.svh"
  always_ff @(posedge clk_i) begin : trace
    issue_valid_o <= rst_ni && upd_issue_i;
    if (upd_issue_i) begin
      issue_sm_o   <= 8'(upd_id_i[IdW-1 -: SmBits]);
      issue_warp_o <= {upd_id_i[WarpBits-1:0], upd_id_i[WarpBits +: SubBits]};
      issue_time_o <= full_time(upd_at_i, reached_i);
    end
  end
endmodule
