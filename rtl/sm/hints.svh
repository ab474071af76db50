// Hints to the processor that simulates: what will be read soon.
//
// Packets, line words and tags of all SMs are more than its caches hold, and a visit that waits for
// its memory costs as much as one that computes (docs/speed.md). Hints change no value, and are
// nothing in synthesis, nor for a number of SMs that is no power of two: Verilator wraps a read of
// such a memory in a comparison, and what it gives has no address.
localparam bit Hints = MaxSm == 1 << SmBits;

// Stage ready: the warp of the visit may issue soon. That visit reads the operands of its packet,
// and the packet behind it.
task automatic hint_packet();
  if (Hints) begin
    `PREFETCH(buffer_mem[{rdy_id, rdy_rd[BufferBits-1:0]}])
    `PREFETCH(operand_mem[{rdy_id, BufferBits'(rdy_rd - 1'b1)}])
  end
endtask
