# thresh-mpi: the plugin through which several ranks of the program exchange messages. The program loads
# it when a launcher such as mpirun started it, and needs no MPI otherwise.
set(THRESH_MPI AUTO CACHE STRING "Build the plugin for MPI: ON, OFF, or AUTO: if MPI is there")
# Another processor's MPI is built for only if asked for: the compiler of this one's would be found.
if(THRESH_MPI STREQUAL ON OR (THRESH_MPI STREQUAL AUTO AND NOT CMAKE_CROSSCOMPILING))
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND AND NOT THRESH_MPI STREQUAL AUTO)
    message(FATAL_ERROR "THRESH_MPI=ON: no MPI was found (Debian: libopenmpi-dev)")
  endif()
endif()
if(MPI_CXX_FOUND)
  add_library(thresh_mpi MODULE mpi/plugin.cpp)
  set_target_properties(thresh_mpi PROPERTIES OUTPUT_NAME thresh-mpi PREFIX "" CXX_VISIBILITY_PRESET hidden
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(thresh_mpi PRIVATE src)
  target_link_libraries(thresh_mpi PRIVATE MPI::MPI_CXX thresh_warnings)
endif()
