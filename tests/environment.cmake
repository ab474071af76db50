# Read by ctest before it runs tests, which run at the same time: each takes one processor, unless
# it says otherwise (--threads, --sm-groups).
if(NOT DEFINED ENV{HEDDLE_PROCESSORS})
  set(ENV{HEDDLE_PROCESSORS} 1)
endif()
