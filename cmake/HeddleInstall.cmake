# Installation and packages (docs/install.md). The installed tree is relocatable: Heddle's own
# folder, lib/heddle, is arranged as the build tree is, and each program finds the rest from its own
# path.
#
#   PREFIX/bin/heddle, heddle-cc        links into lib/heddle/bin
#   PREFIX/lib/heddle/bin, lib, apps    programs, libraries that `heddle run` gives to programs,
#                                       examples
#   PREFIX/lib/heddle/include, share    links to the next two
#   PREFIX/lib/libheddle.so             a link to the library (docs/library.md) in lib/heddle/lib
#   PREFIX/include/heddle.h             its header
#   PREFIX/lib/python3/dist-packages/heddle   the Python package, component `python`
#   PREFIX/include/heddle               headers for device code: device, shmem
#   PREFIX/share/heddle                 GPUs, memories, networks, nodes, capabilities, examples
#   PREFIX/lib/cmake/Heddle, PREFIX/lib/pkgconfig   for projects that are built with heddle-cc
#   PREFIX/share/{man,bash-completion,zsh,doc}
#
# Libraries such as libcudart.so.12, libcuda.so.1 and libmpi.so.40 are in a folder of Heddle's own,
# so that no other program loads them.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # tests and benches need not be built
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME heddle)
set(own lib/heddle)
install(TARGETS heddle heddle-cc RUNTIME DESTINATION ${own}/bin)
foreach(target cudart11 cudart12 cudart13 heddle_shim heddle_libcuda heddle_mpi heddle_opencl
        heddle_audit heddle_bind heddle_swemu heddle_swemu_2x32 heddle_refemu heddle_refemu_2x32
        heddle_library)
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${own}/lib)
  endif()
endforeach()
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/opencl DESTINATION ${own}/lib OPTIONAL)
foreach(app ${HEDDLE_INSTALLED_APPS})
  install(PROGRAMS ${CMAKE_BINARY_DIR}/apps/${app} DESTINATION ${own}/apps)
endforeach()

# heddle_link(NAME TARGET): makes the symbolic link PREFIX/NAME, also below DESTDIR.
function(heddle_link name target)
  get_filename_component(folder ${name} DIRECTORY)
  install(CODE "
    set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    message(STATUS \"Installing: \${root}/${name} -> ${target}\")
    file(MAKE_DIRECTORY \"\${root}/${folder}\")
    file(CREATE_LINK ${target} \"\${root}/${name}\" SYMBOLIC)")
endfunction()
heddle_link(bin/heddle ../${own}/bin/heddle)
heddle_link(bin/heddle-cc ../${own}/bin/heddle-cc)
heddle_link(${own}/include ../../include/heddle)
heddle_link(${own}/share ../../share)
heddle_link(${own}/lib/libcudart.so libcudart.so.13)
foreach(name libheddle.so libheddle.so.${PROJECT_VERSION_MAJOR})
  heddle_link(lib/${name} heddle/lib/${name})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/include/heddle.h DESTINATION include)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION share/heddle
        PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/heddle DESTINATION lib/python3/dist-packages
        COMPONENT python PATTERN "__pycache__" EXCLUDE)

# Some headers are links to others and to tables: their files are installed in their places.
foreach(folder device shmem)
  file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR}/include/${folder} CONFIGURE_DEPENDS
       ${CMAKE_SOURCE_DIR}/include/${folder}/*)
  foreach(header ${headers})
    file(REAL_PATH ${CMAKE_SOURCE_DIR}/include/${folder}/${header} file)
    get_filename_component(below ${folder}/${header} DIRECTORY)
    get_filename_component(name ${header} NAME)
    install(FILES ${file} DESTINATION include/heddle/${below} RENAME ${name})
  endforeach()
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/include/heddle_policy.h DESTINATION include/heddle)
file(GLOB policies CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/policies/*.c)
install(FILES ${policies} DESTINATION share/heddle/policies)
foreach(kind gpus memory capabilities networks nodes)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/heddle/${kind} DESTINATION share/heddle
          FILES_MATCHING PATTERN "*.ini")
endforeach()

# ---- pages and completions, made from the tables of commands
file(STRINGS ${CMAKE_SOURCE_DIR}/host/tables/cli_commands.def commands REGEX "^COMMAND\\(")
set(share ${CMAKE_BINARY_DIR}/share)
set(pages)
# heddle_page(FILE PAGE): prints PAGE of `heddle config --page` into FILE of the build's share.
function(heddle_page file page)
  get_filename_component(folder ${share}/${file} DIRECTORY)
  add_custom_command(OUTPUT ${share}/${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND heddle config --page ${page} > ${share}/${file}
    DEPENDS heddle VERBATIM)
  install(FILES ${share}/${file} DESTINATION share/${ARGV2})
  set(pages ${pages} ${share}/${file} PARENT_SCOPE)
endfunction()
heddle_page(man/man1/heddle.1 man man/man1)
foreach(command ${commands})
  string(REGEX REPLACE "^COMMAND\\([a-z_]+, \"([^\"]+)\".*" "\\1" name "${command}")
  string(REPLACE " " "-" name "${name}")
  heddle_page(man/man1/heddle-${name}.1 man:${name} man/man1)
endforeach()
heddle_page(bash-completion/completions/heddle bash bash-completion/completions)
heddle_page(zsh/site-functions/_heddle zsh zsh/site-functions)
install(FILES ${share}/zsh/site-functions/_heddle DESTINATION share/zsh/vendor-completions) # Debian
add_custom_target(heddle_pages ALL DEPENDS ${pages})
add_dependencies(heddle_user heddle_pages)
file(GLOB documents ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/*.svg)
install(FILES ${documents} ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/heddle)

# ---- for projects that use Heddle
include(CMakePackageConfigHelpers)
set(config ${CMAKE_BINARY_DIR}/cmake)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/install/HeddleConfig.cmake.in
  ${config}/HeddleConfig.cmake INSTALL_DESTINATION lib/cmake/Heddle NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${config}/HeddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${config}/HeddleConfig.cmake ${config}/HeddleConfigVersion.cmake
        DESTINATION lib/cmake/Heddle)
foreach(name heddle libheddle)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/install/${name}.pc.in ${config}/${name}.pc @ONLY)
  install(FILES ${config}/${name}.pc DESTINATION lib/pkgconfig)
endforeach()

# ---- Debian packages, heddle and python3-heddle: cpack -G DEB in the build directory
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_COMPONENTS_ALL heddle python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_HEDDLE_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-heddle)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "heddle (= ${PROJECT_VERSION}), python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "simulated NVIDIA GPUs for Python\n\
The package runs PTX on arrays, or CUDA programs as processes, on Heddle's\n\
simulated GPUs, and gives their cycles and other figures.")
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_CONTACT "The authors of Heddle <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # the first line of each package's own
set(CPACK_DEBIAN_HEDDLE_DESCRIPTION
    "unmodified CUDA programs on a simulated NVIDIA GPU\n\
Heddle runs your CUDA program, unmodified, on a simulated NVIDIA GPU and tells how\n\
long every kernel would take there. Its timing core is synthesizable SystemVerilog.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_HEDDLE_PACKAGE_RECOMMENDS "clang-14, libstdc++-dev, gcc") # heddle-cc, plug-ins
set(CPACK_DEBIAN_HEDDLE_PACKAGE_SUGGESTS
    "llvm-14, libclc-14, ocl-icd-libopencl1, pkg-config, cmake, bash-completion")
set(CPACK_STRIP_FILES OFF)
include(CPack)
