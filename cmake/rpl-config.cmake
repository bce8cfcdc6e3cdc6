# SPDX-License-Identifier: Apache-2.0
#
# find_package(rpl): the target rpl::rpl, and what a program must link with it, because the
# library is static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(date)
find_dependency(fmt)
find_dependency(PkgConfig)
pkg_check_modules(re2 REQUIRED QUIET IMPORTED_TARGET re2)
pkg_check_modules(sodium REQUIRED QUIET IMPORTED_TARGET libsodium)
pkg_check_modules(sqlite REQUIRED QUIET IMPORTED_TARGET sqlite3)
pkg_check_modules(uv REQUIRED QUIET IMPORTED_TARGET libuv)
pkg_check_modules(yaml REQUIRED QUIET IMPORTED_TARGET yaml-cpp)
include("${CMAKE_CURRENT_LIST_DIR}/rpl-targets.cmake")
