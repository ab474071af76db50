// Hints to the processor that simulates: what will be read soon.
//
// Packets, line words and tags of all SMs are more than its caches hold, and a visit that waits for
// its memory costs as much as one that computes (docs/speed.md). Hints change no value, and are
// nothing in synthesis, nor for a number of SMs that is no power of two: Verilator wraps a read of
// such a memory in a comparison, and what it gives has no address.
localparam bit Hints = MaxSm == 1 << SmBits;

// A pass of the memory stage begins: the line words of the next operation of each sub-core.
task automatic hint_lines(input sm_t sm);
`ifdef VERILATOR
  warp_id_t warp;
  logic [SubPerSm*QueueBits-1:0] taken;
  taken = taken_mem[sm];
  if (Hints && sent_mem[sm] != taken)
    for (int s = 0; s < SubPerSm; s++) begin
      mem_op_d = queue_mem[{sm, SubBits'(s), taken[s*QueueBits +: QueueBits]}];
      warp     = {sm, SubBits'(s), mem_op_d.warp};
      if (is_global(mem_op_d.mem)) begin
        `PREFETCH(even_mem[{warp, line_rd_mem[warp][BufferBits-1:1]}])
        `PREFETCH(odd_mem[{warp, line_rd_mem[warp][BufferBits-1:1]}])
      end
    end
`endif
endtask
