# heddle_systemc_core(NAME MODEL): adds the timing core as a SystemC module, a library, around a
# model of the kernel (heddle_model).
#
# heddle_systemc_platform(NAME CORE CARD): adds an example platform around such a library, behind
# XRT's functions; its cards are those of sw_emu/systemc/example/CARD.cpp. docs/systemc.md is the
# page.
#
# SystemC's library has a symbol that names the C++ standard which it was built for, and programs
# must be compiled for the same: C++17 with Debian's.
find_path(HEDDLE_SYSTEMC_INCLUDE tlm HINTS ENV SYSTEMC_HOME PATH_SUFFIXES include)
find_library(HEDDLE_SYSTEMC_LIBRARY systemc HINTS ENV SYSTEMC_HOME PATH_SUFFIXES lib-linux64 lib)
if(NOT HEDDLE_SYSTEMC_INCLUDE OR NOT HEDDLE_SYSTEMC_LIBRARY)
  # no heddle_without(): run.sh does not install it; in CI, tests/systemc fails where it is missing
  message(STATUS "SystemC not found (package libsystemc-dev): no SystemC module of the timing core")
  return()
endif()

function(heddle_systemc_options name map)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/host
                                             ${HEDDLE_GENERATED})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror -O3 -mtls-dialect=gnu2
                         $<$<BOOL:${HEDDLE_NATIVE}>:-march=native>)
  target_link_options(${name} PRIVATE -Wl,--version-script=${map})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map})
  add_dependencies(${name} heddle_tables)
endfunction()

function(heddle_systemc_core name model)
  set(emu ${CMAKE_SOURCE_DIR}/sw_emu)
  add_library(${name} SHARED ${emu}/systemc/heddle_core.cpp ${emu}/device.cpp)
  heddle_systemc_options(${name} ${emu}/systemc/exports.map)
  target_include_directories(${name} SYSTEM PUBLIC ${HEDDLE_SYSTEMC_INCLUDE})
  target_link_libraries(${name} PUBLIC ${HEDDLE_SYSTEMC_LIBRARY} PRIVATE ${model})
endfunction()

function(heddle_systemc_platform name core card)
  set(emu ${CMAKE_SOURCE_DIR}/sw_emu)
  set(example ${emu}/systemc/example)
  add_library(${name} SHARED ${emu}/xrt_exports.cpp ${emu}/memory.cpp ${example}/machine.cpp
                             ${example}/card.cpp ${example}/host.cpp ${example}/bus.cpp
                             ${example}/memory_target.cpp ${example}/dma.cpp
                             ${example}/${card}.cpp)
  heddle_systemc_options(${name} ${example}/exports.map)
  target_link_libraries(${name} PRIVATE ${core})
  # SystemC's kernel cannot be started twice, nor its modules be destroyed: the library stays loaded
  target_link_options(${name} PRIVATE -Wl,-z,nodelete)
endfunction()
