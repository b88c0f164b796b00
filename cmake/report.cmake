# The page of `thresh report`: made from report/ by esbuild, and compiled into the library as one
# string. Where esbuild or d3-array is missing, everything else is built, and `thresh report` writes
# the data alone.
option(THRESH_REPORT "Build the page of thresh report, if esbuild and d3-array are there" ON)
set(THRESH_REPORT_MODULES /usr/share/nodejs CACHE PATH
    "Folder that holds the JavaScript package d3-array, such as a node_modules")
find_program(THRESH_ESBUILD esbuild)

# Empty if the page can be made. Older versions lack options or functions that it needs.
function(report_page_lacks result)
  set(lacks)
  set(esbuild_version 0)
  if(THRESH_ESBUILD)
    execute_process(COMMAND ${THRESH_ESBUILD} --version OUTPUT_VARIABLE esbuild_version
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(esbuild_version VERSION_LESS 0.17)
    list(APPEND lacks "esbuild 0.17 or newer (Debian: esbuild)")
  endif()
  set(d3_version 0)
  if(EXISTS ${THRESH_REPORT_MODULES}/d3-array/package.json)
    file(READ ${THRESH_REPORT_MODULES}/d3-array/package.json package)
    string(JSON d3_version ERROR_VARIABLE ignored GET "${package}" version)
  endif()
  if(NOT d3_version VERSION_GREATER_EQUAL 3)
    list(APPEND lacks
         "d3-array 3 or newer in ${THRESH_REPORT_MODULES} (Debian: node-d3-array, or set THRESH_REPORT_MODULES)")
  endif()
  list(JOIN lacks ", " lacks)
  set(${result} "${lacks}" PARENT_SCOPE)
endfunction()

report_page_lacks(page_lacks)
if(NOT THRESH_REPORT)
  message(STATUS "No page for thresh report: THRESH_REPORT is off")
elseif(page_lacks)
  message(STATUS "No page for thresh report; missing: ${page_lacks}")
else()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/report)
  file(GLOB page_sources CONFIGURE_DEPENDS report/src/*)
  add_custom_command(
    OUTPUT ${folder}/page.inc ${folder}/page.html
    COMMAND ${CMAKE_COMMAND} -E env ESBUILD=${THRESH_ESBUILD}
            ${CMAKE_CURRENT_SOURCE_DIR}/report/make-page ${folder} ${THRESH_REPORT_MODULES}
    DEPENDS ${page_sources} report/make-page report/tsconfig.json
            ${THRESH_REPORT_MODULES}/d3-array/package.json
    COMMENT "Making the page of thresh report" VERBATIM)
  target_sources(thresh_light PRIVATE ${folder}/page.inc)
  set_source_files_properties(src/report/page.cpp PROPERTIES
    OBJECT_DEPENDS ${folder}/page.inc
    COMPILE_DEFINITIONS THRESH_REPORT_PAGE="${folder}/page.inc")
endif()
