/* l2.h - rule 9: all slices of a GPU, and what they say to each other. Requests for lines outside
 * the GPU are events. */
#ifndef REFERENCE_L2_H
#define REFERENCE_L2_H

#include <memory>

#include "reference/slice.h"

namespace reference {

class L2 {
  public:
    /* Borrows all. Events are appended to `events`. */
    L2(const Config &config, Coverage &coverage, std::vector<Event> &events);

    /* Commands DramReply, FlushL2, UnpinL2, FillL2. */
    void dram_reply(const std::uint64_t *beat, Cycle at);
    void flush(Cycle now);
    void unpin();
    void fill(std::uint32_t line, std::uint32_t count, Cycle now);

    void request(const Request &r);
    /* One cycle; replies that were decided in it are appended, with the time they arrive. */
    void cycle(Cycle now, std::vector<Reply> &replies);
    /* Nothing happens before this cycle, unless something comes. */
    Cycle next() const;
    void count(Counters &c) const;

  private:
    Slice &slice(unsigned number);

    const Config &config_;
    Coverage &coverage_;
    std::vector<std::unique_ptr<Slice>> slices_;
    std::vector<Event> &events_;
    std::vector<Crossing> crossings_;
};

} // namespace reference

#endif
