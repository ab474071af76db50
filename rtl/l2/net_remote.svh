// A word remote of another network engine, or of a customer that is no SM: what it is here, where a
// request is like one of the SMs here and a reply like one of the slices here. Structs are
// temporaries, for yosys 0.23.
//
// A module that includes this has net_request_i, and net_sources.svh.
/* verilator lint_off UNUSEDSIGNAL */       // reserved bits
remote_t     remote;
/* verilator lint_on UNUSEDSIGNAL */
request_t    request;
reply_t      reply;
logic        is_reply;
logic [SourceBits-1:0] remote_source;
logic [31:0] enters_at;                     // when, at the slice or the SM

task automatic open_remote(input logic [127:0] word);
  remote          = word;
  is_reply        = remote.kind != EvRequest;
  request         = '0;
  request.at      = remote.at;
  request.sm      = remote.sm;
  request.warp    = remote.warp;
  request.bar     = remote.bar;
  request.kind    = remote.req;
  request.perform = remote.perform;
  request.slot    = remote.slot;
  request.mshr    = remote.mshr;
  request.cached  = remote.cached;
  request.sectors = remote.sectors;
  request.full    = remote.full;
  request.turns   = remote.turns;
  request.addr    = remote.addr;
  reply           = '0;
  reply.at        = remote.at;
  reply.warp      = remote.warp;
  reply.bar       = remote.bar;
  reply.mshr      = remote.mshr;
  reply.cached    = remote.cached;
  reply.sectors   = remote.sectors;
  // numbers of slices are less than 128, but for those of lines outside the GPU
  remote_source   = is_reply ? remote.slice[7] ? {1'b1, remote.slice}
                               : SourceBits'(FirstSlice) + SourceBits'(remote.slice)
                    : 32'(remote.sm) < CoreFirstCustomer ? SourceBits'(remote.sm)
                    : SourceBits'(remote.sm) + SourceBits'(FirstOther - CoreFirstCustomer);
  enters_at       = is_reply ? remote.at : remote.at + net_request_i;
endtask
