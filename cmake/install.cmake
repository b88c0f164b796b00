# `make install`: the program, the library, its headers, and a package for find_package(thresh).
include(CMakePackageConfigHelpers)
install(TARGETS thresh EXPORT threshTargets)
install(TARGETS thresh_cli)
install(DIRECTORY include/thresh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT threshTargets NAMESPACE thresh:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thresh)
write_basic_package_version_file(threshConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/threshConfig.cmake cmake/FindZstd.cmake cmake/FindUtf8proc.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/threshConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thresh)
