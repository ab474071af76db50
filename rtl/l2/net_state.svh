// All state of the network engine, grouped by the unit that owns it. `_q` are registers, `_mem` are
// memories with one write site, `_d` are values inside one clock. Memory words are vectors.

// ---------------------------------------------------------------- parameters
logic [7:0]  num_slices_q, instances_q, instance_q;
logic [2:0]  twos_q;                       // num_slices is odd_q << twos_q
logic [7:0]  odd_q;
logic [1:0]  field_bits_q;                 // fields of the slice hash: 4 bits and so many
logic [9:0]  sets_q;                       // l2_sets
logic [7:0]  local_slices_q;               // slices of this instance
logic        fold_q;                       // parameter hash
logic [7:0]  atomic_interval_q;
time_t       net_request_q, net_reply_q, net_cross_q, l2_latency_q, l2_miss_q, l2_fill_q;
logic        two_q;                        // two partitions
logic [6:0]  half_q;                       // slices of a partition
logic [1:0]  flit_shift_q;                 // sectors of a flit: 1, 2, 4 as 0, 1, 2
logic [15:0] flit_time_q;
logic [9:0]  entries_q;                    // parameter dram_entries
logic [1:0]  fetch_q;                      // sectors fetched together: 1, 2, 4 as 0, 1, 2
logic [WayBits-1:0] dirty_ways_q;          // of a set, at most; 0: all

// ---------------------------------------------------------------- their reciprocals
logic [30:0] slice_inv_q;
logic [7:0]  slice_wrap_q;                 // 2^16 modulo odd_q
logic [20:0] set_inv_q;
logic [16:0] instance_inv_q;
divide_e     divide_q;                     // which one is being made
logic [4:0]  divide_left_q;                // bits to do
logic [9:0]  divide_by_q, divide_rest_q;
logic        divide_first_q;               // the first bit
logic [29:0] divide_inv_q;                 // its bits so far

// ---------------------------------------------------------------- nodes: one per message
logic [RequestW-1:0] node_mem [NumNodes];      // the request; field order holds its slice
logic [ReplyW-1:0]   reply_mem [NumNodes];     // the reply, when there is one
node_t               next_mem [NumNodes];      // the next of the same list
logic [TripW-1:0]    trip_mem [NumNodes];      // between the partitions
node_t               free_mem [NumNodes];      // nodes to use again, a ring
logic [NodeBits:0]   free_rd_q, free_wr_q;
logic [NodeBits:0]   fresh_q;                  // nodes from here on were never used

// ---------------------------------------------------------------- requests, before the calendar
logic [RequestW-1:0] ring_mem [RingSize];      // requests that came ...
logic [22:0]         low_part_mem [RingSize];  // ... what is known of their slice so far ...
logic [7:0]          quotient_mem [RingSize];
logic [7:0]          entry_mem [RingSize];     // ... it ...
logic [SliceBits:0]  place_mem [RingSize];     // ... {of this instance, its number here}
logic [RingBits:0]   ring_wr_q, ring_low_q, ring_quotient_q, ring_slice_q, ring_place_q, ring_rd_q;

// ---------------------------------------------------------------- calendar
logic [ListW-1:0]    source_mem [NumSources];  // messages of a source in order of time
time_t               last_mem [NumSources];    // time of its last message
time_t               time_mem [NumNodes];      // time of a message
logic [7:0]          dest_mem [NumNodes];      // where it goes: slice here, or SM
logic [31:0]         bit_mem [NumLanes << WheelBits];  // {bucket, lane}: sources
logic [NumLanes-1:0] lane_mem [1 << WheelBits];  // per bucket: lanes that are not 0
logic [31:0]         group_mem [NumGroups];    // buckets with a lane
logic [NumGroups-1:0] groups_q;                // groups that are not 0
time_t               cursor_q;                 // no message is earlier
time_t               bucket_q;                 // time of the bucket in work
logic [NumLanes-1:0] lanes_q;                  // its lanes to do
logic [LaneBits-1:0] lane_q;                   // the lane in work
logic [31:0]         bits_q;                   // its sources to do
logic                sent_q, done_q;           // toggle: picked, popped
logic                looked_q;                 // the next bucket, if there is one, is
bound_t              look_q;                   // ... this
logic                enter_valid_q;            // a message that enters:
source_t             enter_source_q;
time_t               enter_time_q;
node_t               enter_node_q;
logic [7:0]          enter_dest_q;
logic                keep_q;                   // put keep_source_q back into the bucket
source_t             keep_source_q;
logic                pick_valid_q, read_valid_q;
source_t             pick_source_q;
list_t               pick_list_q;
time_t               read_time_q, read_last_q;
node_t               read_next_q;
logic [7:0]          read_dest_q;
logic [TripW-1:0]    read_trip_q;
logic [ReplyW-1:0]   read_reply_q;             // of a slice: the reply

// ---------------------------------------------------------------- replies to the SMs
logic [ListW-1:0]    sm_mem [NumSms];          // replies that have come to an SM
logic [ReplyW-1:0]   shown_mem [NumSms];       // the first of them
logic                shown_valid_mem [NumSms]; // there is one
logic [ReplyW-1:0]   ready_mem [NumSms];       // the second, if there is one
node_t               ready_node_mem [NumSms];  // its node
logic                pop_valid_q;              // behind a pop: look for what comes after ...
node_t               pop_node_q;               // ... the reply that is shown now ...
logic [SmBits-1:0]   pop_sm_q;                 // ... to this SM
logic                third_valid_q;            // that is this node
node_t               third_node_q;
logic [SmBits-1:0]   third_sm_q;
logic                found_valid_q;            // and these words
logic [ReplyW-1:0]   found_q;
node_t               found_node_q;
logic [SmBits-1:0]   found_sm_q;
logic [SmBits-1:0]   shown_sm_q;               // reply_sm_i, a clock ago

// ---------------------------------------------------------------- slices
logic [ListW-1:0]    queue_mem [NumSlices];    // requests that have arrived
logic [ListW-1:0]    far_mem [NumSlices];      // requests of the other partition
logic [ListW-1:0]    back_mem [NumSlices];     // what else comes from there
logic [ListW-1:0]    fills_mem [NumSlices];    // replies of memory, in order of time
logic [ClockW-1:0]   clock_mem [NumSlices];
time_t               fill_time_mem [NumNodes]; // time of a reply of memory
node_t               fill_next_mem [NumNodes]; // the next one of the slice
time_t               fill_last_mem [NumSlices]; // time of the slice's last one
logic [NumWays*TagW-1:0]  tag_mem [NumRows];
logic [NumWays*WayW-1:0] line_mem [NumRows];
logic [SetW-1:0]     set_mem [NumRows];
logic [WaitW-1:0]    wait_mem [NumNodes];
node_t               wait_next_mem [NumNodes];
slice_set_t          active_q;                 // slices with a request or a reply of memory
slice_set_t          todo_q;                   // slices to look at in this window
bound_t              slices_next_q;            // earliest work of a slice
slice_state_e        slice_state_q;
slice_op_e           op_q;
slice_t              slice_q;                  // slice in work, its number here
list_t               queue_q, far_q, back_q, fills_q;
clock_t              clock_q;
/* verilator lint_off UNUSEDSIGNAL */          // some fields are for the SM alone
request_t            node_q;                   // the request looked at
request_t            waiter_q;                 // one that waits
/* verilator lint_on UNUSEDSIGNAL */
node_t               queue_next_q, far_next_q, back_next_q, fill_next_q, waiter_next_q;
trip_t               waiter_trip_q;
logic                here_q;                   // the SM of either belongs to this instance
time_t               queue_time_q, far_time_q, back_time_q;  // of their heads
node_t               head_q;                   // the message in work
trip_t               trip_q;                   // what it is
wait_t               wait_q;                   // of the fill's request, or of the waiter
time_t               fill_time_q, service_q;
logic [7:0]          less_q;                   // the service begins so much / 256 before that
logic [3:0]          come_q;                   // sectors of the fill
row_t                row_q;
logic [22:0]         slice_low_q;              // of the line's home, or that of FillL2: its steps
logic [7:0]          slice_quotient_q, copy_slice_q;
logic [9:0]          row_quotient_q;           // of the line's set
logic [7:0]          global_q;                 // global number of slice_q
slice_t              mirror_q;                 // number here of its mirror
slice_state_e        slice_then_q;             // behind SliceMatch
logic                hit_q;                    // a way has the line ...
way_t                way_q;                    // ... this one; else the one to replace ...
logic [WayW-1:0]     way_line_q;               // ... what it holds ...
logic                turn_q, full_q;           // ... which holds one that must leave; none can
logic                over_q;                   // too many other ways of the set are dirty ...
way_t                over_way_q;               // ... of which this one is cleaned
logic                leaves_q, cleans_q;       // dirty sectors leave with their line, without it
logic [3:0]          out_dirty_q, out_full_q;  // these
logic [TagW-1:0]     out_tag_q;
logic [23:0]         serve_busy_q;             // 1/256 cycles that the request takes
logic                home_q;                   // the slice is its line's home, not that of copies
logic [NumWays*TagW-1:0]  tags_q;
logic [NumWays*WayW-1:0] lines_q;
set_t                set_q;
logic                fetched_q;                // one way less waits for the other partition
/* verilator lint_off UNUSEDSIGNAL */          // walk_q is never empty
list_t               walk_q, stay_q;           // waiters to look at, those that go on waiting
/* verilator lint_on UNUSEDSIGNAL */
logic [31:0]         copy_line_q, copy_left_q; // FillL2

// ---------------------------------------------------------------- commands, flush, windows
logic                beat_valid_q;
/* verilator lint_off UNUSEDSIGNAL */
logic [511:0]        beat_q;
/* verilator lint_on UNUSEDSIGNAL */
logic [1:0]          word_q;                   // payload word of Remote
logic                where_valid_q;            // of the command, or that word: number here of ...
slice_t              where_q;                  // ... its slice
flush_e              flush_q;
logic                clear_q;                  // L2 must be emptied before use
logic                flush_clear_q;            // this is that, no events
logic                init_q;                   // memories are emptied after reset
logic [WheelBits+LaneBits-1:0] init_at_q;
row_t                flush_row_q;
slice_t              flush_slice_q;
logic [9:0]          flush_set_q;
logic [NumWays-1:0]  flush_ways_q;             // dirty ways not yet reported
phase_e              phase_q;
logic                settled_q;                // nothing happened in the clock before
bound_t              next_q;                   // next bucket then
time_t               window_end_q;
time_t               scrub_period_q;           // most cycles between two scrubs
time_t               scrubbed_q;               // time of the last one
time_t               scrub_floor_q;            // what an old time becomes
logic                scrub_all_q;              // all stored times are old

// ---------------------------------------------------------------- events and counters
logic                perform_valid_q, write_valid_q, read_event_valid_q, remote_valid_q;
logic [127:0]        perform_q, write_q, read_event_q, remote_q;
logic [63:0]         accesses_q, hits_q, reads_q, writes_q, hash_q;
logic                mix_valid_q;              // what the hash gets next: a product of these
logic [63:0]         mix_q;
logic [22:0]         outcome_q;

// ---------------------------------------------------------------- inside one clock
logic     insert_d;                            // a message enters the calendar:
source_t  insert_source_d;
time_t    insert_time_d;
node_t    insert_node_d;
logic [7:0] insert_dest_d;
logic     alloc_ok_d, alloc_d;                 // alloc_node_d may be, is taken
node_t    alloc_node_d;
logic     free_d;                              // free_node_d is given back
node_t    free_node_d;
logic     node_we_d;
request_t node_d;                              // into alloc_node_d
logic     reply_we_d;
node_t    reply_node_d;
reply_t   reply_d;
logic     link_d;                              // next_mem[link_from_d] = link_to_d
node_t    link_from_d, link_to_d;
logic     trip_we_d;
node_t    trip_at_d;
trip_e    trip_d;
logic     source_we_d;
source_t  source_at_d;
list_t    source_d;
logic     bit_we_d, lane_we_d, group_we_d;
logic [WheelBits+LaneBits-1:0] bit_at_d;
logic [31:0] bit_d, group_d;
logic [WheelBits-1:0] lane_at_d;
logic [NumLanes-1:0]  lane_d;
logic [WheelBits-6:0] group_at_d;
logic     queue_we_d, far_we_d, back_we_d, fills_we_d;
slice_t   queue_at_d, fills_at_d;
list_t    queue_d, far_d, back_d, fills_d;
logic     clock_we_d;
slice_t   clock_at_d;
clock_t   clock_d;
logic     smq_we_d, shown_we_d, shown_d;
logic [7:0] smq_at_d;
list_t    smq_d;
logic [ReplyW-1:0] shown_word_d;
logic     ready_we_d;
logic [SmBits-1:0] ready_at_d;
node_t    ready_node_d;
logic [ReplyW-1:0] ready_d;
logic     way_we_d, row_clear_d;
row_t     row_at_d;
way_t     way_at_d;
logic [TagW-1:0]  way_tag_d;
logic [WayW-1:0] way_line_d;
logic     clean_we_d;                          // over_way_q is no longer dirty
`ifdef HEDDLE_NBA
logic [NumWays*TagW-1:0] tags_d;               // the set as it is written
logic [NumWays*WayW-1:0] lines_d;
`endif
logic     set_we_d;
set_t     set_d;
logic     wait_we_d, wait_link_d;
node_t    wait_at_d, wait_from_d;
wait_t    wait_d;
logic     remote_we_d;                         // remote_q is written
logic [FaultW-1:0] fault_d;
logic     quiet_d;                             // nothing did, and nothing is left
logic     busy_d;                              // something happened in this clock
/* verilator lint_off UNUSEDSIGNAL */
request_t enter_d;                             // request whose slice is looked for
command_t command_d;
remote_t  remote_d;
/* verilator lint_on UNUSEDSIGNAL */
event_t   event_d;
