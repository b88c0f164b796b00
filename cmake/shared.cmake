# libthresh.so.0, the library for C and all languages that call C: include/thresh/thresh.h. It exports
# the functions of this header and nothing else. `make` builds the program alone, without it.
add_library(thresh_shared SHARED $<TARGET_OBJECTS:thresh> $<TARGET_OBJECTS:thresh_light>)
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/src/capi/exports.map)
set_target_properties(thresh_shared PROPERTIES OUTPUT_NAME thresh LINKER_LANGUAGE CXX
                      SOVERSION ${PROJECT_VERSION_MAJOR}
                      LINK_DEPENDS ${exports})
target_include_directories(thresh_shared INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_link_libraries(thresh_shared PRIVATE ZLIB::ZLIB LibLZMA::LibLZMA Zstd::Zstd Utf8proc::Utf8proc
                      Stemmer::Stemmer fmt::fmt Threads::Threads)
target_link_options(thresh_shared PRIVATE -Wl,--version-script=${exports} -Wl,--gc-sections)
if(NOT THRESH_SANITIZE)  # sanitizers are found when a program starts
  target_link_options(thresh_shared PRIVATE -Wl,-z,defs)
endif()

# The wheel has the library inside the package, see pyproject.toml; a system has it among others.
if(SKBUILD)
  install(TARGETS thresh_shared LIBRARY DESTINATION thresh COMPONENT python NAMELINK_SKIP)
else()
  install(TARGETS thresh_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endif()
