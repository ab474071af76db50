// LUTs as one expression each, to simulate a netlist (gates.ys). The other primitives: yosys' cells_sim.v.
module LUT1 #(parameter [1:0] INIT = 0) (output O, input I0);
  \$lut #(.WIDTH(1), .LUT(INIT)) l (.A(I0), .Y(O));
endmodule
module LUT2 #(parameter [3:0] INIT = 0) (output O, input I0, I1);
  \$lut #(.WIDTH(2), .LUT(INIT)) l (.A({I1, I0}), .Y(O));
endmodule
module LUT3 #(parameter [7:0] INIT = 0) (output O, input I0, I1, I2);
  \$lut #(.WIDTH(3), .LUT(INIT)) l (.A({I2, I1, I0}), .Y(O));
endmodule
module LUT4 #(parameter [15:0] INIT = 0) (output O, input I0, I1, I2, I3);
  \$lut #(.WIDTH(4), .LUT(INIT)) l (.A({I3, I2, I1, I0}), .Y(O));
endmodule
module LUT5 #(parameter [31:0] INIT = 0) (output O, input I0, I1, I2, I3, I4);
  \$lut #(.WIDTH(5), .LUT(INIT)) l (.A({I4, I3, I2, I1, I0}), .Y(O));
endmodule
module LUT6 #(parameter [63:0] INIT = 0) (output O, input I0, I1, I2, I3, I4, I5);
  \$lut #(.WIDTH(6), .LUT(INIT)) l (.A({I5, I4, I3, I2, I1, I0}), .Y(O));
endmodule
