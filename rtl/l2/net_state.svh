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

// ---------------------------------------------------------------- what goes to other modules
logic [7:0]          sends_q;              // {mix_valid, ..., send}: for one clock each
logic                send;                 // a message enters the calendar
logic                send_node;            // a request is written into its node
logic                send_reply_word;      // a reply is
logic                send_trip;            // what a message between the partitions is
logic                spare_take;           // the spare node was taken
logic                give;                 // a node is free
logic                divide_start;         // a reciprocal is to be made
logic                mix_valid;            // the hash gets a service
node_t               send_node_q;          // the node of all these
source_t             send_source_q;
time_t               send_time_q;
logic [7:0]          send_dest_q;
logic                send_remote_q;        // it comes from another instance
request_t            send_request_q;
logic [ReplyW-1:0]   send_reply_q;
logic [TripW-1:0]    send_trip_q;
node_t               give_node_q;
logic [1:0]          divide_kind_q;        // of the slices 0, of the sets 1, of the instances 2
logic [9:0]          divide_by_q;
logic [15:0]         counts_q;             // sectors {accessed, hit, read, written}
time_t               mix_at_q;
logic [31:0]         mix_line_q;
logic [22:0]         outcome_q;

// ---------------------------------------------------------------- messages
logic [RequestW-1:0] node_mem [NumNodes];      // the request of a node
logic [TripW-1:0]    trip_mem [NumNodes];      // between the partitions
logic [ReplyW-1:0]   answer_mem [NumNodes];    // the answer from the other partition
node_t               next_mem [NumNodes];      // the next of the same queue of a slice
time_t               time_mem [NumNodes];      // when it arrived there

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
slice_t              init_at_q;
row_t                flush_row_q;
slice_t              flush_slice_q;
logic [9:0]          flush_set_q;
logic [NumWays-1:0]  flush_ways_q;             // dirty ways not yet reported
phase_e              phase_q;
logic                extracting_q;             // it is Extract, for other modules
time_t               window_end_q;
time_t               scrub_period_q;           // most cycles between two scrubs
time_t               scrubbed_q;               // time of the last one
time_t               scrub_floor_q;            // what an old time becomes
logic                scrub_all_q;              // all stored times are old

// ---------------------------------------------------------------- events
logic                perform_valid_q, write_valid_q, read_event_valid_q, remote_valid_q;
logic [127:0]        perform_q, write_q, read_event_q, remote_q;

// ---------------------------------------------------------------- inside one clock
phase_e   phase_was_d;                         // as the clock began
slice_state_e state_was_d;
flush_e   flush_was_d;
slice_t   slice_was_d;
clock_t   clock_now_d;                         // of the slice in work (look_at_slice)
list_t    queue_now_d, far_now_d, back_now_d, fills_now_d;
node_t    walk_was_d;
slice_op_e op_was_d;
bound_t   next_was_d;
logic     events_wait_d, remote_waits_d;       // events have not left
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
logic     reply_we_d, answer_we_d;
node_t    reply_node_d;
reply_t   reply_d;
logic     link_d;                              // next_mem[link_from_d] = link_to_d
node_t    link_from_d, link_to_d;
logic     divide_d, mix_d;                     // start a reciprocal, a service into the hash
logic [3:0] accesses_d, hits_d, reads_d, writes_d;  // sectors to count
logic     trip_we_d;
node_t    trip_at_d;
trip_e    trip_d;
logic     queue_we_d, far_we_d, back_we_d, fills_we_d;
slice_t   queue_at_d, fills_at_d;
list_t    queue_d, far_d, back_d, fills_d;
logic     clock_we_d;
slice_t   clock_at_d;
clock_t   clock_d;
logic     way_we_d, row_clear_d;
row_t     row_at_d;
way_t     way_at_d;
logic [TagW-1:0]  way_tag_d;
logic [WayW-1:0] way_line_d;
logic     clean_we_d;                          // over_way_q is no longer dirty
logic [NumWays*TagW-1:0] tags_d;               // the set as it is written
logic [NumWays*WayW-1:0] lines_d;
logic     set_we_d;
set_t     set_d;
logic     wait_we_d, wait_link_d;
node_t    wait_at_d, wait_from_d;
wait_t    wait_d;
logic [FaultW-1:0] fault_d;
logic     quiet_d;                             // nothing did, and nothing is left
logic     busy_d;                              // something happened in this clock
/* verilator lint_off UNUSEDSIGNAL */
command_t command_d;
remote_t  remote_d;
/* verilator lint_on UNUSEDSIGNAL */
event_t   event_d;
