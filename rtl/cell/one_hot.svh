// The first of a set, and its number: a set is a vector, its elements are bits.
`ifndef HEDDLE_ONE_HOT_SVH
`define HEDDLE_ONE_HOT_SVH
/// the lowest element, as a set of one; none of none
// Assign it to a variable as wide as the set: inside a wider expression the sum would be wider.
`ifdef SYNTHESIS
 // without a carry chain: no element is below it
 `define ONES_BEHIND_1(set) ((set) | ((set) << 1))
 `define ONES_BEHIND_3(set) (`ONES_BEHIND_1(set) | (`ONES_BEHIND_1(set) << 2))
 `define ONES_BEHIND_7(set) (`ONES_BEHIND_3(set) | (`ONES_BEHIND_3(set) << 4))
 `define ONES_BEHIND_15(set) (`ONES_BEHIND_7(set) | (`ONES_BEHIND_7(set) << 8))
 `define ONES_BEHIND_31(set) (`ONES_BEHIND_15(set) | (`ONES_BEHIND_15(set) << 16))
 `define ONES_BEHIND_63(set) (`ONES_BEHIND_31(set) | (`ONES_BEHIND_31(set) << 32))
 `define FIRST_ONE(set) ((set) & ~(`ONES_BEHIND_63(set) << 1))
`else
 `define FIRST_ONE(set) ((set) & (~(set) + 1'b1))
`endif
/// the number of the only element of a set of at most 64; 0 of none
`define NUMBER_OF(one) \
  {|(64'(one) & 64'hffffffff00000000), |(64'(one) & 64'hffff0000ffff0000), \
   |(64'(one) & 64'hff00ff00ff00ff00), |(64'(one) & 64'hf0f0f0f0f0f0f0f0), \
   |(64'(one) & 64'hcccccccccccccccc), |(64'(one) & 64'haaaaaaaaaaaaaaaa)}
`endif
