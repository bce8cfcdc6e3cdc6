# SPDX-License-Identifier: Apache-2.0
#
# What librpl is linked with: CMake packages, then modules of pkg-config, which become targets
# PkgConfig::NAME. Read where it is built (CMakeLists.txt) and where it is used
# (rpl-config.cmake), because the library is static.
set(RPL_PACKAGES Threads date fmt PkgConfig)
set(RPL_MODULES gmp re2 libsodium libutf8proc sqlite3 libuv yaml-cpp)
