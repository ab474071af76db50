# Assembles each PTX file for sm_75, the lowest target of a recent ptxas (which no longer has
# sm_70).
file(MAKE_DIRECTORY ${FOLDER})
foreach(file ${FILES})
  file(READ ${file} text)
  string(REPLACE ".target sm_70" ".target sm_75" text "${text}")
  get_filename_component(name ${file} NAME_WE)
  file(WRITE ${FOLDER}/${name}.ptx "${text}")
  execute_process(COMMAND ${PTXAS} -arch=sm_75 ${FOLDER}/${name}.ptx -o ${FOLDER}/${name}.cubin
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(SEND_ERROR "${file}:\n${said}")
  endif()
endforeach()
