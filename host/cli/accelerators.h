/* accelerators.h - what XRT and OpenCL say of this machine's accelerators, for `heddle doctor`. */
#ifndef HEDDLE_CLI_ACCELERATORS_H
#define HEDDLE_CLI_ACCELERATORS_H

#include <jansson.h>

/* Each asks a library in a child process, since drivers are known to end the process that they are
 * loaded into, or to hang; a child that takes more than 10 seconds is ended. @return an object that
 * the caller owns. It has "library" (bool: found) and, where the library could not be asked to the
 * end, "error" (text).
 *   XRT:     "cards": [{"index", "image": UUID or null}]
 *   OpenCL:  "platforms": [{"name", "vendor", "version", "devices": [{"name", "type"}]}],
 *            type: CPU, GPU, accelerator or other; an FPGA is an accelerator */
json_t *accelerators_xrt(void);
json_t *accelerators_opencl(void);

#endif
