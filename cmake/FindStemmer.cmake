# Debian ships libstemmer without a CMake package: the header and the library, found by name.
find_path(STEMMER_INCLUDE_DIR libstemmer.h)
find_library(STEMMER_LIBRARY stemmer)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Stemmer REQUIRED_VARS STEMMER_LIBRARY STEMMER_INCLUDE_DIR)
if(Stemmer_FOUND AND NOT TARGET Stemmer::Stemmer)
  add_library(Stemmer::Stemmer UNKNOWN IMPORTED)
  set_target_properties(Stemmer::Stemmer PROPERTIES IMPORTED_LOCATION "${STEMMER_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${STEMMER_INCLUDE_DIR}")
endif()
