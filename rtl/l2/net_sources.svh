// Who sends messages in the network engine.
/* verilator lint_off UNUSEDPARAM */        // not every module uses all of them
localparam int SmBits    = 8;
localparam int SliceBits = 7;               // slices, global or of this instance
localparam int NumSlices = 96;

// Sources of messages: SMs (requests) from 0 on, slices (replies) from FirstSlice on, slices as
// senders to the other partition from FirstFar on (requests) and from FirstBack on (the rest),
// customers of L2 that are no SMs from FirstOther on (requests), answers from outside the GPU from
// FirstOutside on (replies), by the numbers of slices in their words.
localparam int SourceBits = 9;
localparam int NumSources = 1 << SourceBits;
localparam int NumSms     = 1 << SmBits;
localparam int FirstSlice = 160;
localparam int FirstFar   = FirstSlice + NumSlices;
localparam int FirstBack  = FirstFar + NumSlices;
localparam int FirstOther = FirstBack + NumSlices;
localparam int FirstOutside = FirstOther + 16;
/* verilator lint_on UNUSEDPARAM */
