// The first of a set, and its number: a set is a vector, its elements are bits.
`ifndef HEDDLE_ONE_HOT_SVH
`define HEDDLE_ONE_HOT_SVH
/// the lowest element, as a set of one; none of none
// Assign it to a variable as wide as the set: inside a wider expression the sum would be wider.
`define FIRST_ONE(set) ((set) & (~(set) + 1'b1))
/// the number of the only element of a set of at most 64; 0 of none
`define NUMBER_OF(one) \
  {|(64'(one) & 64'hffffffff00000000), |(64'(one) & 64'hffff0000ffff0000), \
   |(64'(one) & 64'hff00ff00ff00ff00), |(64'(one) & 64'hf0f0f0f0f0f0f0f0), \
   |(64'(one) & 64'hcccccccccccccccc), |(64'(one) & 64'haaaaaaaaaaaaaaaa)}
`endif
