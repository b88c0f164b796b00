# How our sources are compiled, wherever they are: warnings, sanitizers, few but large units.
add_library(thresh_warnings INTERFACE)
target_compile_options(thresh_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${THRESH_WERROR}>:-Werror>
                       # GCC 12 sees overlaps in std::string that are not there (its bug 105651).
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Before 14, GCC sees overruns where a vector is made from a list of one element.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  target_compile_options(thresh_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow
                         -Wno-stringop-overread)
endif()
# A contracted multiply-add would make a result depend on the machine's instruction set.
add_compile_options(-ffp-contract=off)
if(THRESH_SANITIZE)
  add_compile_options(-fsanitize=${THRESH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${THRESH_SANITIZE})
  # GCC 12 sees uninitialised parts of std::regex that are not there, once code is instrumented.
  add_compile_options("$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds>")
endif()
# As in Debian's packages. Arithmetic stays as it is: models have the same bytes.
if(THRESH_HARDEN)
  add_compile_options(-D_FORTIFY_SOURCE=2 -fstack-protector-strong
                      -fstack-clash-protection)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
  include(CheckPIESupported)
  check_pie_supported()
endif()

# What sources that see the library's inside are compiled with.
add_library(thresh_inside INTERFACE)
target_include_directories(thresh_inside INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(thresh_inside INTERFACE THRESH_VERSION="${PROJECT_VERSION}")
target_link_libraries(thresh_inside INTERFACE fmt::fmt nlohmann_json::nlohmann_json tsl::robin_map
                      Eigen3::Eigen ZLIB::ZLIB LibLZMA::LibLZMA Zstd::Zstd Utf8proc::Utf8proc
                      Stemmer::Stemmer
                      thresh_warnings)

# For code whose speed does not matter: large headers expand to much that is optimised in vain.
# GCC 12 then sees overruns in std::string that are not there; clang does not know the options.
set(THRESH_LIGHT $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
foreach(warning array-bounds stringop-overflow stringop-overread)
  list(APPEND THRESH_LIGHT $<$<CXX_COMPILER_ID:GNU>:-Wno-${warning}>)
endforeach()

# Most of a build is reading the same headers again, so the files of a folder are compiled together,
# up to twelve at a time. CMake keeps files with compile options of their own apart.
function(compile_by_folder target)
  set(places)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND places ${folder})
    set(same_folder ${places})
    list(FILTER same_folder INCLUDE REGEX "^${folder}$")
    list(LENGTH same_folder place)
    math(EXPR batch "(${place} - 1) / 12")
    cmake_path(GET folder FILENAME name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${THRESH_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
