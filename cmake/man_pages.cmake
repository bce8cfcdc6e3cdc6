# SPDX-License-Identifier: Apache-2.0
#
# cmake -DRPL=PROGRAM -DFOLDER=FOLDER -P man_pages.cmake: writes rpl.1.gz and a page per
# command, as the program prints them. The folder is made anew, so that a command that is
# gone has no page. No time goes into the archives: same program, same bytes.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${RPL} reference commands
  OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
execute_process(COMMAND ${RPL} reference man
  OUTPUT_FILE ${FOLDER}/rpl.1 COMMAND_ERROR_IS_FATAL ANY)
set(pages ${FOLDER}/rpl.1)
foreach(command ${commands})
  execute_process(COMMAND ${RPL} reference man ${command}
    OUTPUT_FILE ${FOLDER}/rpl-${command}.1 COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND pages ${FOLDER}/rpl-${command}.1)
endforeach()
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
