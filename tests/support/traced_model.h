/* traced_model.h - a Verilated model that writes a waveform.
 *
 * TracedModel<Model> is Model in builds without HEDDLE_TRACE. In builds with it, the first model of
 * a program writes the VCD file that the environment variable HEDDLE_VCD names. Each evaluation is
 * a time unit, so a clock is two. */
#ifndef HEDDLE_TESTS_TRACED_MODEL_H
#define HEDDLE_TESTS_TRACED_MODEL_H

#ifndef HEDDLE_TRACE
template <class Model> using TracedModel = Model;
#else
#include <cstdlib>
#include <memory>

#include "verilated_vcd_c.h"

template <class Model> class TracedModel : public Model {
  public:
    template <class... Arguments>
    explicit TracedModel(Arguments... arguments) : Model(arguments...) {
        static bool first = true;
        const char *file = std::getenv("HEDDLE_VCD");
        if (!file || !first) return;
        first = false;
        this->contextp()->traceEverOn(true);
        vcd_ = std::make_unique<VerilatedVcdC>();
        Model::trace(vcd_.get(), 99);
        vcd_->open(file);
        std::atexit([] { Verilated::runFlushCallbacks(); }); /* a test that fails ends here */
    }
    void eval() {
        Model::eval();
        if (vcd_) vcd_->dump(time_++);
    }

  private:
    std::unique_ptr<VerilatedVcdC> vcd_;
    vluint64_t time_ = 0;
};
#endif

#endif
