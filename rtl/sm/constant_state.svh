// State of the caches of constants (constant.svh), and what they have of the stages.
logic [ConstW-1:0]  const_mem [MaxSm*SubPerSm << ConstBits];  // a set
logic [2:0]         const_ways_q;     // in use
logic               const_sets_q;     // 8 sets, not 4
time_t              const_miss_q;     // look-up to issue
logic [3:0]         const_hold_q;     // cycles in which the sub-core issues nothing
logic [ConstW-1:0]  cod_const_q;      // set that was read
full_t              up_next_d;        // nothing issues in the sub-core before
logic               up_missed_d;      // no issue, the constant comes later ...
logic [ConstW-1:0]  up_const_d;       // ... to this set
logic [SmConstW-1:0] sm_const_mem [MaxSm << SmConstBits];  // of an SM: a set
logic               const_shared_q;   // it is as it is, else it has every line
time_t              const_fill_q;     // what a miss there takes longer
logic [SmConstW-1:0] sm_const_q;      // memory stage: set that was read,
logic [SmConstBits-1:0] sm_const_at_q;  // its number
logic               sm_const_we_d;    // a line enters ...
logic [SmConstW-1:0] sm_const_d;      // ... the set
