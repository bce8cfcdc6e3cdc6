# SPDX-License-Identifier: Apache-2.0
#
# find_package(rpl): the target rpl::rpl, and what a program must link with it.
include(CMakeFindDependencyMacro)
include("${CMAKE_CURRENT_LIST_DIR}/rpl-dependencies.cmake")
foreach(package IN LISTS RPL_PACKAGES)
  find_dependency(${package})
endforeach()
foreach(module IN LISTS RPL_MODULES)
  pkg_check_modules(${module} REQUIRED QUIET IMPORTED_TARGET ${module})
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/rpl-targets.cmake")
