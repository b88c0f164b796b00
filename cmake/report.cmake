# The page of `thresh report`: made from report/ where Node.js is, and compiled into the library as one
# string. Without Node.js everything else is built, and `thresh report` writes the data alone.
file(GLOB report_sources CONFIGURE_DEPENDS src/report/*.cpp)
set_source_files_properties(${report_sources} PROPERTIES COMPILE_OPTIONS "${THRESH_LIGHT}")
option(THRESH_REPORT "Build the page of thresh report, if Node.js and npm are there" ON)
find_program(THRESH_NODE node)
find_program(THRESH_NPM npm)
if(THRESH_REPORT AND THRESH_NODE AND THRESH_NPM)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/report)
  file(GLOB page_sources CONFIGURE_DEPENDS report/src/*)
  add_custom_command(
    OUTPUT ${folder}/page.inc ${folder}/page.html
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report/make-page ${folder}
    DEPENDS ${page_sources} report/make-page report/build.mjs report/tsconfig.json
            report/package-lock.json
    COMMENT "Making the page of thresh report" VERBATIM)
  target_sources(thresh PRIVATE ${folder}/page.inc)
  # Clang minds strings over 64 kB.
  set_source_files_properties(src/report/page.cpp PROPERTIES
    OBJECT_DEPENDS ${folder}/page.inc
    COMPILE_DEFINITIONS THRESH_REPORT_PAGE="${folder}/page.inc"
    COMPILE_OPTIONS "${THRESH_LIGHT};-Wno-overlength-strings")
else()
  message(STATUS "No page for thresh report: Node.js or npm is missing, or THRESH_REPORT is off")
endif()
