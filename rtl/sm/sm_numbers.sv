/// Numbers of SMs where the kernel has several SM engines.
///
/// Elsewhere in the engine, and on its ports, an SM has the number by which its state is stored:
/// with Dense its number among the SMs of this engine, without holes. SM n is then n * instances +
/// instance of the GPU; instances are a power of two. Without Dense the two numbers are the same,
/// and the window unit steps from one SM of this instance to the next.
/// Latency: none; a parameter counts in the clock after set_i. Throughput: a number each clock.
/// Rules: those of sm_params.
module sm_numbers #(
  parameter int SmBits = 8,             /// bits of an SM's number here
  parameter bit Dense  = 1'b0
) (
  /* verilator lint_off UNUSEDSIGNAL */ // without Dense
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              set_i,          /// a parameter gets a value, sm_command.sv
  input  logic [15:0]       id_i,
  input  logic [31:0]       value_i,
  input  logic [SmBits-1:0] last_sm_i,      /// as the host has set them, sm_params.sv
  input  logic [SmBits-1:0] instances_i,
  input  logic [SmBits-1:0] instance_i,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [SmBits-1:0] last_sm_o,      /// number here of the last SM, or the one behind it
  output logic [SmBits-1:0] step_o,         /// from one SM to the next
  output logic [SmBits-1:0] first_o,        /// number of the first
  input  logic [7:0]        sm_i,           /// of this SM
  output logic [7:0]        sm_o            /// the GPU's number
);
  if (Dense) begin : gen_dense
    logic [7:0] last_q, instance_q;
    logic [2:0] shift_q;
    assign last_sm_o = SmBits'(last_q >> shift_q);
    assign step_o    = SmBits'(1);
    assign first_o   = '0;
    assign sm_o      = (sm_i << shift_q) | instance_q;

    always_ff @(posedge clk_i) begin : parameters
      if (!rst_ni) begin
        last_q     <= 8'(heddle_pkg::DefaultNumSm - 1);
        instance_q <= '0;
        shift_q    <= '0;
      end else if (set_i) begin
        if (32'(id_i) == heddle_pkg::ParamNumSm) last_q <= 8'(value_i - 1);
        if (32'(id_i) == heddle_pkg::ParamInstance) instance_q <= value_i[7:0];
        if (32'(id_i) == heddle_pkg::ParamInstances)
          for (int i = 0; i < 8; i++) if (value_i == 32'd1 << i) shift_q <= 3'(i);
      end
    end
  end else begin : gen_same
    assign last_sm_o = last_sm_i;
    assign step_o    = instances_i;
    assign first_o   = instance_i;
    assign sm_o      = sm_i;
  end
endmodule
