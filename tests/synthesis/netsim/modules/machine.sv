// A state machine that yosys recodes, an array with two writers that becomes registers, wide
// multiplexers, and a variable of the clocked block that is read after it was written.
module machine (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,
  input  logic [3:0]  a_i,
  input  logic [3:0]  b_i,
  input  logic [63:0] word_i,
  output logic [2:0]  state_o,
  output logic [7:0]  sum_o,
  output logic        bit_o
);
  typedef enum logic [2:0] {Look = 3'd0, Read = 3'd3, Add = 3'd5, Done = 3'd6} state_e;
  state_e     state_q;
  logic [7:0] slot_q[16];
  logic       taken_d;
  assign state_o = state_q;
  task automatic take();
    if (state_q == Look && go_i) begin
      taken_d = 1'b1;
      state_q <= Read;
    end
  endtask
  always_ff @(posedge clk_i) begin
    taken_d = 1'b0;
    bit_o   <= word_i[{a_i, b_i[1:0]}];
    if (!rst_ni) begin
      state_q <= Look;
      sum_o   <= '0;
      for (int i = 0; i < 16; i++) slot_q[i] <= 8'(i);
    end else begin
      take();
      if (!taken_d) slot_q[a_i] <= slot_q[a_i] + 8'd1;
      case (state_q)
        Read: state_q <= go_i ? Add : Done;
        Add: begin
          sum_o       <= sum_o + slot_q[b_i];
          slot_q[b_i] <= {word_i[7:0]};
          state_q     <= Done;
        end
        Done: state_q <= Look;
        default: ;
      endcase
    end
  end
endmodule
