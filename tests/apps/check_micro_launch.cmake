# As probes.csv of the H100 SXM has it: CTAs start faster than the ends of empty ones are taken. A
# store at a kernel's end is acknowledged beside what the end takes anyway.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(start.32 68 73)
require(start.128 143 150)
require(start.256 243 252)
require(start.512 440 456)
require(start.1024 840 865)
foreach(threads 32 128 256 512)
  require(pass.${threads} 595 620)
endforeach()
require(pass.1024 685 1260) # 1.36 to 2.49 cycles were measured
require(kernel.empty 850 1050) # 1,000 were measured
require(kernel.store 900 1050) # its own instructions, and no wait for the store
