# Runs one program under heddle: exit status 0 and a line "NAME: PASS ..." are required.
#
#   cmake -DHEDDLE= -DTIMING= -DPROGRAM= -DARGS= -DOUT= [-DGPU=name]
#         [-DRUN=options] [-DCHECK=script [-DSAME_AS=directory]] -P run_app.cmake
get_filename_component(name ${PROGRAM} NAME)
file(MAKE_DIRECTORY ${OUT})
if(GPU)
  set(gpu --gpu ${GPU})
endif()
execute_process(COMMAND ${HEDDLE} run --timing ${TIMING} ${gpu} ${RUN} --out ${OUT} -- ${PROGRAM}
                        ${ARGS}
                RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE complained)
message("${said}${complained}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}")
endif()
if(NOT "\n${said}" MATCHES "\n${name}: PASS ")
  message(FATAL_ERROR "no line '${name}: PASS'")
endif()
file(READ ${OUT}/report.json report)
string(JSON kernels LENGTH "${report}" kernels)
if(kernels EQUAL 0)
  message(FATAL_ERROR "the report knows of no kernel")
endif()
if(CHECK)
  include(${CHECK})
endif()
