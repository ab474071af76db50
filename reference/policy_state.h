/* policy_state.h - what the model keeps for a policy of a plug-in: the same for each instance. */
#ifndef REFERENCE_POLICY_STATE_H
#define REFERENCE_POLICY_STATE_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace reference {

class PolicyState {
  public:
    /* `part`: of a heddle_policy, or NULL: nothing is kept. */
    template <class Part>
    explicit PolicyState(const Part *part, unsigned instances = 1)
        : units_(part ? (part->state_bytes + sizeof(Unit) - 1) / sizeof(Unit) : 0),
          bytes_(units_ * instances) {}
    void *at(unsigned instance) { return bytes_.data() + units_ * instance; }
    void clear() { std::fill(bytes_.begin(), bytes_.end(), Unit()); }

  private:
    struct alignas(std::max_align_t) Unit {
        unsigned char byte[sizeof(std::max_align_t)] = {};
    };
    std::size_t units_; /* of an instance */
    std::vector<Unit> bytes_;
};

} // namespace reference

#endif
