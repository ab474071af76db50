/* message.h - what the components of a GPU say to each other over the fabric.
 *
 *   CTA_LAUNCH   scheduler -> SM group   word[0] struct timing_launch *, [1] CTA index, [2] SM,
 *                                        [3] the cycle of `at`, [4] CTA slot, [5] mask of warps
 *   CTA_DONE     SM group -> scheduler   word[0] struct timing_launch *, [1] SM, [2] cycle of the
 *                                        end, [3] CTA slot, [4] mask of warps
 *   DRAM_READ    SM group -> memory      word[0] line, [1] slice, [2] sectors, [3] id
 *   DRAM_WRITE   SM group -> memory      word[0] line, [1] slice, [2] sectors, [3] 1: is answered
 *   DRAM_REPLY   memory -> SM group      word[0] id, [1] slice, [2] 1: a write has been taken
 *   CORE         SM group -> SM group    word[0..1] a message of the other core instance, as it is
 *   PERFORMED    SM group -> SM group    word[0] warp (sm << 6 | warp), [1] slot, [2] lanes
 *   FLUSH        scheduler -> SM group   a kernel begins and none runs: word[0] bit 0: L1, bit 1:
 * L2; [1] target cycle of the core's cycle 0 from now on FILL         scheduler -> SM group   a
 * copy wrote: word[0] first line, [1] number of lines
 */
#ifndef HEDDLE_TIMING_MESSAGE_H
#define HEDDLE_TIMING_MESSAGE_H

enum timing_message {
    TIMING_CTA_LAUNCH = 1,
    TIMING_CTA_DONE,
    TIMING_DRAM_READ,
    TIMING_DRAM_WRITE,
    TIMING_DRAM_REPLY,
    TIMING_CORE,
    TIMING_PERFORMED,
    TIMING_FLUSH,
    TIMING_FILL,
};

#endif
