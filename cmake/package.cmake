# SPDX-License-Identifier: Apache-2.0
#
# cpack -G DEB, in a folder of the preset `package` (./dev package): rpl-engine has the
# program, librpl-engine-dev the library. Debian has another program `rpl`, in a package of
# that name, with a greater version: hence the names, and the conflict.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rpl-engine)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "rpl maintainers <maintainers@rpl.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "engine for RPL, the Relational Prompt Language")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME rpl-engine)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION interpreters)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONFLICTS rpl)
# libcurl is loaded for MCP servers at an address, shfmt reads command lines for a protocol.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libcurl4, shfmt")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS libpq5)  # loaded for sessions in PostgreSQL
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"A protocol is a Markdown document: prose for people, and headings, facts and
rules that say what must be known, what follows from it and when the work is
done. The program rpl pursues the goal of such a document: it derives what
follows, asks for what is missing, calls the tools that it is allowed to, and
prints the answer. It also checks, formats, tests and explains protocols.")

# The library is static: what it is linked with (RPL_PACKAGES, RPL_MODULES) is what its user
# needs, too. shell/package_test.sh compares.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME librpl-engine-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfmt-dev, libgmp-dev, libhowardhinnant-date-dev, libre2-dev, libsodium-dev, libsqlite3-dev,\
 libutf8proc-dev, libuv1-dev, libyaml-cpp-dev, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"A protocol in RPL is a Markdown document: prose for people, and headings,
facts and rules that say what must be known, what follows from it and when the
work is done. This package has what a program needs that embeds the engine: the
static library, its header, and a package for CMake.")

# What each Debian package has to have in its folder of documentation.
find_program(GZIP gzip REQUIRED)
set(changelog ${PROJECT_BINARY_DIR}/changelog.gz)
add_custom_command(OUTPUT ${changelog}
  COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/packaging/changelog > ${changelog}
  DEPENDS ${PROJECT_SOURCE_DIR}/packaging/changelog)
add_custom_target(changelog ALL DEPENDS ${changelog})
foreach(part "program rpl-engine" "development librpl-engine-dev")
  separate_arguments(part)
  list(GET part 0 component)
  list(GET part 1 package)
  install(FILES packaging/copyright ${changelog}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
