// State of the write ports of the register file (write_back.svh), and what stages have of it.
//
// In which cycles results of fixed latency are written to the two banks, a bit each, the lower one
// that of even registers; the lowest two bits mean the cycle WritesBefore + 1 in front of next_mem.
localparam int WritesBefore = 2;
localparam int WritesBehind = 29;             // the longest latency that is looked at
localparam int WritesW      = 2*(WritesBefore + 1 + WritesBehind);
localparam int LatestWrite  = 3;              // a result waits for no longer
localparam int BankedBars   = 32'(StoreBar);  // dependency counters of results
typedef logic [WritesW-1:0] writes_t;
writes_t                    wrote_mem [MaxSm*SubPerSm];
logic [2*BankedBars-1:0]    banks_mem [MaxSm*WarpsPerSm];   // per counter: banks of its result
logic                       write_ports_q;    // one a bank, not as many as are wanted
writes_t                    fet_wrote_q;      // of the sub-core
logic [2*BankedBars-1:0]    fet_banks_q;      // of the warp
logic                       cod_conflict_q;   // what the warp waits for is not written yet
logic [BankedBars-1:0]      cod_written_q;    // it could not be in the cycle before
logic                       up_banks_we_d;
logic [2*BankedBars-1:0]    up_banks_d;
writes_t                    up_wrote_d;
