# Copies heddle-cc into a folder without lib/libcudart.so.12 and links with it there.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/bin ${FOLDER}/include)
file(COPY ${CC} DESTINATION ${FOLDER}/bin)
file(CREATE_LINK ${HEADERS} ${FOLDER}/include/device SYMBOLIC)
execute_process(COMMAND ${FOLDER}/bin/heddle-cc ${SOURCE} -o ${FOLDER}/program
                RESULT_VARIABLE status ERROR_VARIABLE said)
set(expected "heddle-cc: linking failed: Heddle's CUDA runtime '${FOLDER}/lib/libcudart.so.12' \
is not there: No such file or directory\n")
if(NOT status STREQUAL 1 OR NOT said STREQUAL expected OR EXISTS ${FOLDER}/program)
  message(FATAL_ERROR "status ${status}\n${said}\nexpected 1\n${expected}")
endif()
