# Compares the types of the calls in Heddle's headers with those of CUDA 13's toolkit.
#   cmake -DOURS=program -DTOOLKIT=program -P prototypes.cmake
cmake_minimum_required(VERSION 3.25)

# Pairs: a call's name in CUDA 13, and the name of the same call in CUDA 12.
set(new_operands
    cudaMemAdvise cudaMemAdvise_v2
    cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
    cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
    cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
    cudaEventElapsedTime cudaEventElapsedTime_v2
    cudaGraphAddDependencies cudaGraphAddDependencies_v2
    cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
    cudaGraphGetEdges cudaGraphGetEdges_v2
    cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
    cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2)
# libcudart.so.12 has no cudaGraphAddNode with edge data.
set(not_compared cudaGraphAddNode)

function(read program prefix)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  foreach(line IN LISTS lines)
    string(REPLACE " " ";" words "${line}")
    list(GET words 0 name)
    list(GET words 1 type)
    set(${prefix}_${name} ${type} PARENT_SCOPE)
    list(APPEND names ${name})
  endforeach()
  set(${prefix} ${names} PARENT_SCOPE)
endfunction()
read(${OURS} ours)
read(${TOOLKIT} toolkit)

set(compared 0)
foreach(name IN LISTS toolkit)
  set(name_12 ${name})
  list(FIND new_operands ${name} at)
  math(EXPR odd "${at} % 2")
  if(NOT at EQUAL -1 AND odd EQUAL 0)
    math(EXPR at "${at} + 1")
    list(GET new_operands ${at} name_12)
  endif()
  if(name IN_LIST not_compared)
    continue()
  endif()
  math(EXPR compared "${compared} + 1")
  if(NOT ours_${name_12} STREQUAL toolkit_${name})
    message(SEND_ERROR "${name_12}: ours ${ours_${name_12}}, the toolkit's ${toolkit_${name}}")
  endif()
endforeach()
if(compared LESS 180)
  message(SEND_ERROR "only ${compared} calls were compared")
endif()
message("${compared} calls compared")
