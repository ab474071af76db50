/* ring.h - a queue in an array that allocates only to grow. */
#ifndef REFERENCE_RING_H
#define REFERENCE_RING_H

#include <cstddef>
#include <utility>
#include <vector>

namespace reference {

template <class T> class Ring {
  public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    T &front() { return place_[first_]; }
    const T &front() const { return place_[first_]; }
    const T &back() const { return (*this)[count_ - 1]; }
    const T &operator[](std::size_t i) const { return place_[(first_ + i) & (place_.size() - 1)]; }
    void push_back(T value) {
        if (count_ == place_.size()) grow();
        place_[(first_ + count_++) & (place_.size() - 1)] = std::move(value);
    }
    void pop_front() {
        first_ = (first_ + 1) & (place_.size() - 1);
        count_--;
    }
    void pop_back() { count_--; }

  private:
    void grow() {
        std::vector<T> more(place_.empty() ? 8 : 2 * place_.size());
        for (std::size_t i = 0; i < count_; i++)
            more[i] = std::move(place_[(first_ + i) & (place_.size() - 1)]);
        place_ = std::move(more);
        first_ = 0;
    }

    std::vector<T> place_; /* a power of two of them */
    std::size_t first_ = 0, count_ = 0;
};

} // namespace reference

#endif
