# As probes.csv of the H100 SXM has it: CTAs start faster than the ends of empty ones are taken. A
# store at a kernel's end is acknowledged beside what the end takes anyway.
include(${CMAKE_CURRENT_LIST_DIR}/figures.cmake)
require(start.32 70 80)
require(start.128 145 165)
require(start.256 255 275)
require(start.512 470 500)
require(start.1024 890 940)
foreach(threads 32 128 256 512)
  require(pass.${threads} 595 620)
endforeach()
require(pass.1024 595 660)
require(kernel.empty 800 1100)
require(kernel.store 800 1150)
