# Run by CPack before it packs: what Debian wants besides, compressed man pages and a changelog of its
# own kind. Times are the build's, or $SOURCE_DATE_EPOCH.
file(GLOB_RECURSE compressed ${CPACK_TEMPORARY_DIRECTORY}/*.1)

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(GLOB_RECURSE licences ${CPACK_TEMPORARY_DIRECTORY}/copyright)
foreach(licence ${licences})
  get_filename_component(folder ${licence} DIRECTORY)
  get_filename_component(package ${folder} NAME)
  file(WRITE ${folder}/changelog
       "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
       "  * Built from the sources, whose CHANGELOG.md says what is new.\n\n"
       " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${now}\n")
  list(APPEND compressed ${folder}/changelog)
endforeach()
execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
