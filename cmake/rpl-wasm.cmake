# SPDX-License-Identifier: Apache-2.0
#
# The language as a module of WebAssembly (./dev wasm): rpl_language, and in place of what needs an
# operating system what says that there is none (docs/decisions/0017). Libraries come from
# RPL_WASM_LIBRARIES, the folder that packaging/wasm/libraries.sh has filled.
set(RPL_WASM_LIBRARIES "" CACHE PATH "The prefix of libraries compiled to WebAssembly")
set(CMAKE_CXX_FLAGS_RELEASE "-Oz")  # a page loads it
target_include_directories(rpl_options SYSTEM INTERFACE ${RPL_WASM_LIBRARIES}/include)
target_compile_options(rpl_options INTERFACE -fwasm-exceptions)
target_link_options(rpl_options INTERFACE -Oz -fwasm-exceptions
  -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB)

add_library(rpl_absent OBJECT
  checks/guard/zone_absent.cc
  embed/large_stack_portable.cc
  formats/database_absent.cc
  interp/store/pages_portable.cc
  runtime/host/host_log_absent.cc
  runtime/model/settings_model_absent.cc
  runtime/postgres/open_session_absent.cc)
target_link_libraries(rpl_absent PRIVATE rpl_options)

function(rpl_add_module name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE rpl_language rpl_absent rpl_options)
  foreach(library fmt re2 yaml-cpp utf8proc gmp sodium z)
    target_link_libraries(${name} PRIVATE ${RPL_WASM_LIBRARIES}/lib/lib${library}.a)
  endforeach()
endfunction()

rpl_add_module(rpl_wasm embed/wasm.cc)
set_target_properties(rpl_wasm PROPERTIES OUTPUT_NAME rpl SUFFIX .mjs)
target_link_options(rpl_wasm PRIVATE -sSTACK_SIZE=8MB -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createRpl
  -sENVIRONMENT=web,worker,node -sEXPORTED_RUNTIME_METHODS=ccall
  -sINCOMING_MODULE_JS_API=wasmBinary,locateFile -sFILESYSTEM=0)

# Runs test scripts in node, with node's files.
rpl_add_module(rpl_scripts
  checks/calls/shfmt_reader.cc
  formats/write_all.cc
  runtime/tools/file_tools.cc
  runtime/tools/program_folder.cc
  runtime/tools/read_notes.cc
  shell/guard/denial_text.cc
  shell/guard/hook_table.cc
  shell/guard/opencode_plugin.cc
  shell/terminal/answer_script.cc
  shell/terminal/colours.cc
  shell/terminal/input.cc
  shell/terminal/output_format.cc
  shell/terminal/prompt_text.cc
  shell/terminal/refusal.cc
  shell/terminal/report.cc
  shell/terminal/text_width.cc
  shell/script/guard_notation.cc
  shell/script/markup.cc
  shell/script/portable_main.cc
  shell/script/script_coverage.cc
  shell/script/script_folder.cc
  shell/script/script_host.cc
  shell/script/script_runner.cc
  shell/script/script_update.cc
  shell/script/test_script.cc
  shell/script/verify_table.cc)
set_source_files_properties(shell/script/portable_main.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_link_options(rpl_scripts PRIVATE -sSTACK_SIZE=512MB -sINITIAL_MEMORY=640MB -sNODERAWFS -sENVIRONMENT=node -sEXIT_RUNTIME)
