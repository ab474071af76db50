/* calendar.h - what happens later, the earliest first: a heap in an array. T has operator>, by time
 * and whatever else decides among equal times. */
#ifndef REFERENCE_CALENDAR_H
#define REFERENCE_CALENDAR_H

#include <algorithm>
#include <functional>
#include <vector>

namespace reference {

template <class T> class Calendar {
  public:
    bool empty() const { return heap_.empty(); }
    const T &first() const { return heap_.front(); }
    void add(const T &entry) {
        heap_.push_back(entry);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<T>());
    }
    void pop() {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<T>());
        heap_.pop_back();
    }

  private:
    std::vector<T> heap_;
};

} // namespace reference

#endif
