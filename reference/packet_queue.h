/* packet_queue.h - the packets of a warp as they travel, the first one decoded. */
#ifndef REFERENCE_PACKET_QUEUE_H
#define REFERENCE_PACKET_QUEUE_H

#include "reference/ring.h"
#include "reference/words.h"

namespace reference {

class PacketQueue {
  public:
    bool empty() const { return words_.empty(); }
    std::size_t size() const { return words_.size(); }
    Packet &front() { return first_; }
    const Packet &front() const { return first_; }
    void push_back(const std::uint64_t *w) {
        words_.push_back({w[0], w[1]});
        if (words_.size() == 1) first_ = decode_packet(w);
    }
    void pop_front() {
        words_.pop_front();
        if (!empty()) first_ = decode_packet(words_.front().w);
    }
    bool ends_with_hold() const {
        return !empty() && core_packet_cls(words_.back().w) == CORE_CLASS_HOLD;
    }
    void pop_back() { words_.pop_back(); }

  private:
    struct Words {
        std::uint64_t w[2];
    };
    Packet first_{};
    Ring<Words> words_;
};

} // namespace reference

#endif
