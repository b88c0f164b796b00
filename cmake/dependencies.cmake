# What the library and the program are built with; docs/design/build.md says what for. Everything that is
# missing is named at once, with where CMake looked: package by package is a long way.
set(lacking)
macro(need package debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    list(APPEND lacking "${package} (Debian: ${debian})")
  endif()
endmacro()
macro(need_header variable header debian)
  find_path(${variable} ${header})
  if(NOT ${variable})
    list(APPEND lacking "${header} (Debian: ${debian})")
  endif()
endmacro()

need(Threads libc6-dev)
need(ZLIB zlib1g-dev)
need(LibLZMA liblzma-dev)
need(Zstd libzstd-dev)
need(Utf8proc libutf8proc-dev)
need(fmt libfmt-dev)
need(nlohmann_json nlohmann-json3-dev)
need(tsl-robin-map robin-map-dev)
need(Eigen3 libeigen3-dev NO_MODULE)
need(CLI11 libcli11-dev)
need_header(XXHASH_INCLUDE_DIR xxhash.h libxxhash-dev)  # compiled in
need_header(FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h libfast-float-dev)
need_header(SPECTRA_INCLUDE_DIR Spectra/SymEigsSolver.h libspectra-dev)

if(lacking)
  list(JOIN lacking "\n  " lacking)
  list(JOIN CMAKE_PREFIX_PATH " " prefixes)
  list(JOIN CMAKE_SYSTEM_PREFIX_PATH " " system_prefixes)
  message(FATAL_ERROR "thresh needs what was not found:\n  ${lacking}\n"
          "CMake looked below ${prefixes} ${system_prefixes}; add folders with "
          "-DCMAKE_PREFIX_PATH=FOLDER.")
endif()
