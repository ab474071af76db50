# Installation and packages (docs/install.md). The installed tree is relocatable: Heddle's own
# folder, lib/heddle, is arranged as the build tree is, and each program finds the rest from its own
# path.
#
#   PREFIX/bin/heddle, heddle-cc        links into lib/heddle/bin
#   PREFIX/lib/heddle/bin, lib, apps    programs, libraries that `heddle run` gives to programs,
#                                       examples
#   PREFIX/lib/heddle/include, share    links to the next two
#   PREFIX/include/heddle               headers for device code: device, shmem
#   PREFIX/share/heddle                 GPUs, memories, networks, nodes, capabilities
#   PREFIX/lib/cmake/Heddle, PREFIX/lib/pkgconfig   for projects that are built with heddle-cc
#   PREFIX/share/{man,bash-completion,zsh,doc}
#
# Libraries such as libcudart.so.12, libcuda.so.1 and libmpi.so.40 are in a folder of Heddle's own,
# so that no other program loads them.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # tests and benches need not be built
set(own lib/heddle)
install(TARGETS heddle heddle-cc RUNTIME DESTINATION ${own}/bin)
foreach(target cudart11 cudart12 cudart13 heddle_shim heddle_libcuda heddle_mpi heddle_opencl
        heddle_audit heddle_bind heddle_swemu heddle_swemu_2x32 heddle_refemu heddle_refemu_2x32)
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
configure_file(${CMAKE_SOURCE_DIR}/cmake/install/heddle.pc.in ${config}/heddle.pc @ONLY)
install(FILES ${config}/heddle.pc DESTINATION lib/pkgconfig)

# ---- a Debian package: cpack -G DEB in the build directory
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_CONTACT "The authors of Heddle <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "unmodified CUDA programs on a simulated NVIDIA GPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Heddle runs your CUDA program, unmodified, on a simulated NVIDIA GPU and tells how long\n\
 every kernel would take there. Its timing core is synthesizable SystemVerilog.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-14, libstdc++-dev, gcc") # heddle-cc, plug-ins
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "llvm-14, libclc-14, ocl-icd-libopencl1, pkg-config, cmake, bash-completion")
set(CPACK_STRIP_FILES OFF)
include(CPack)
