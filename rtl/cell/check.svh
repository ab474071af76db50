// The check of a beat of a ring, as host/timing/core_check.h has it: a beat that was damaged, that
// is an old one, or that lies at another place than it was written for has another one.

/// what the 64 bytes of a beat give together: lane i is the parity of their bits i
function automatic logic [7:0] folded(input logic [511:0] beat);
  folded = '0;
  for (int unsigned i = 0; i < 64; i++) folded = folded ^ beat[i*8 +: 8];
endfunction

/// what that shall be, for a beat's number: beats since reset
function automatic logic [7:0] folded_number(input logic [31:0] number);
  folded_number = ~(number[31:24] ^ number[23:16] ^ number[15:8] ^ number[7:0]);
endfunction
