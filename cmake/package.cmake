# `make deb`: three Debian packages: the program, what one needs to build with the library, and the
# plugin for MPI, if that was found.
# Whoever gives packages to others says who they are; .invalid is an address of nobody.
set(THRESH_MAINTAINER "The thresh authors <authors@thresh.invalid>" CACHE STRING
    "Who answers for the Debian packages")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
add_custom_target(packaged DEPENDS thresh_cli thresh_shared)
if(TARGET thresh_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  add_dependencies(packaged thresh_mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${THRESH_MAINTAINER})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME thresh)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "sparse linear models from massive, high-dimensional data
thresh learns linear models with few non-zero weights from libsvm, VW, csv,
tsv or raw text that may be larger than memory, and applies, measures and
exports them.")

# The library is static, so whoever links it also links what it uses.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libthresh-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libfmt-dev, liblzma-dev, libstemmer-dev, libutf8proc-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "sparse linear models from massive data (C++ library)
The static library and headers behind thresh, with packages for CMake and
pkg-config.")

# The program loads it if a launcher started it, and only one of the same version.
set(CPACK_DEBIAN_MPI_PACKAGE_NAME thresh-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "thresh (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_MPI_DESCRIPTION
    "sparse linear models on several machines (MPI plugin)
With this plugin, ranks that mpirun starts learn one model together. Each
holds the weights of its own features.")
include(CPack)
