# `make install`: the program with its man pages and completions; the library, its headers, and
# packages for find_package(thresh) and pkg-config.
include(CMakePackageConfigHelpers)
install(TARGETS thresh EXPORT threshTargets COMPONENT library)
install(TARGETS thresh_cli COMPONENT program)
if(TARGET thresh_mpi)  # `make build` makes the program alone
  install(TARGETS thresh_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/thresh COMPONENT mpi OPTIONAL)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/thresh-mpi RENAME copyright COMPONENT mpi
          EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY ${THRESH_SHARE}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
install(DIRECTORY include/thresh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT threshTargets NAMESPACE thresh:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thresh
        COMPONENT library)
write_basic_package_version_file(threshConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/threshConfig.cmake cmake/FindZstd.cmake cmake/FindUtf8proc.cmake cmake/FindStemmer.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/threshConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thresh COMPONENT library)

# Found from where the file lies, so that the folder can be moved or packed.
file(RELATIVE_PATH THRESH_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" THRESH_PC_PREFIX "${THRESH_PC_PREFIX}")
configure_file(cmake/thresh.pc.in thresh.pc @ONLY)
configure_file(cmake/thresh-c.pc.in thresh-c.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/thresh.pc ${CMAKE_CURRENT_BINARY_DIR}/thresh-c.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/thresh RENAME copyright
        COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libthresh-dev RENAME copyright
        COMPONENT library)
