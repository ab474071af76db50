# Writes OUT, a C file with the source's revision, if that has changed. Run by each build:
#
#   cmake -DSOURCE=directory -DOUT=revision.c -P Revision.cmake
#
# "-changed" says that tracked files differ from the revision.
get_filename_component(above ${SOURCE} DIRECTORY)
set(ENV{GIT_CEILING_DIRECTORIES} ${above}) # the repository of another project around this one
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(status EQUAL 0)
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- RESULT_VARIABLE status
                  OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    string(APPEND revision "-changed")
  endif()
else()
  set(revision "no revision")
endif()
set(text "#include \"cli/revision.h\"\n\nconst char heddle_revision[] = \"${revision}\";\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
