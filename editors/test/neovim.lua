-- SPDX-License-Identifier: Apache-2.0
--
-- `rpl lsp` in Neovim, with the configuration of docs/editors.md. clients.sh runs it in a copy of the
-- workspace, once with $ENCODING utf-16 and once with utf-8. The last line is `N passed, N failed`.

local passed, failed = 0, 0

local function check(name, holds, shown)
  if holds then
    passed = passed + 1
  else
    failed = failed + 1
    io.stderr:write("\nfailed: " .. name .. "\n  " .. vim.inspect(shown) .. "\n")
  end
end

local function same(name, wanted, got)
  check(name, vim.deep_equal(wanted, got), { expected = wanted, got = got })
end

-- Whether `holds` becomes true within the patience of a test.
local function wait(holds)
  return vim.wait(20000, holds, 10)
end

local function lines()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n") .. "\n"
end

-- Puts the cursor `skip` bytes behind the start of a piece of the text.
local function go_to(piece, skip)
  local before = lines():sub(1, assert(lines():find(piece, 1, true)) - 1)
  local _, row = before:gsub("\n", "")
  vim.api.nvim_win_set_cursor(0, { row + 1, #before:match("[^\n]*$") + (skip or 0) })
end

-- The name and the word at the cursor.
local function here()
  return vim.fn.expand("%:t") .. " " .. vim.fn.expand("<cword>")
end

local function edit(file)
  vim.cmd("edit! " .. file)
  check("the server attaches to " .. file, wait(function()
    return #vim.tbl_values(vim.lsp.buf_get_clients(0)) == 1
  end))
end

local function codes()
  return vim.tbl_map(function(d) return d.code end, vim.diagnostic.get(0))
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), "\n")
    end
  end
end

local function close_floats()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then vim.api.nvim_win_close(window, true) end
  end
end

local function request(method, params)
  local answers, why = vim.lsp.buf_request_sync(0, method, params, 20000)
  for _, answer in pairs(answers or {}) do return answer.result or answer.error end
  return why
end

local function position()
  return vim.lsp.util.make_position_params()
end

-- The texts of a quickfix list: file:line.
local function quickfix(act)
  vim.fn.setqflist({})
  act()
  wait(function() return #vim.fn.getqflist() > 0 end)
  local out = vim.tbl_map(function(item)
    return vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ":t") .. ":" .. item.lnum
  end, vim.fn.getqflist())
  vim.cmd("cclose")
  table.sort(out)
  return out
end

local function diagnostics()
  edit("orders.md")
  check("findings", wait(function() return #codes() == 3 end), codes())
  same("their codes", { "RPL6013", "RPL6013", "RPL6013" }, codes())
  vim.api.nvim_buf_set_lines(0, -1, -1, true, { "```rpl", 'bad("🍐") <- short(1, 2)', "```" })
  check("a finding after an edit", wait(function() return vim.tbl_contains(codes(), "RPL2007") end), codes())
  local arity = vim.tbl_filter(function(d) return d.code == "RPL2007" end, vim.diagnostic.get(0))[1] or {}
  same("its column behind a character of two units", #'bad("🍐") <- ', arity.col)
  vim.cmd("undo")
  check("and none after undo", wait(function() return #codes() == 3 end), codes())
end

local function hover()
  local function shown(piece, skip)
    go_to(piece, skip)
    close_floats()
    vim.lsp.buf.hover()
    wait(function() return float() ~= nil end)
    local text = float() or ""
    close_floats()
    return text
  end
  local text = shown("short(?item) <-")
  check("hover", text:find("What is missing", 1, true), text)
  text = shown('short("pear")')
  check("hover with a proof", text:find('crate("pear", 0)', 1, true), text)
end

local function places()
  go_to("stock.md#shelf", 10)
  vim.lsp.buf.definition()
  wait(function() return here() == "stock.md shelf" end)
  same("definition", "stock.md shelf", here())
  vim.cmd("edit orders.md")
  go_to('?sign, short', 8)
  vim.lsp.buf.definition()
  wait(function() return vim.fn.line(".") == 3 end)
  same("definition behind characters of two units", "orders.md short", here())
  same("references", { "orders.md:12", "orders.md:13", "orders.md:13", "orders.md:3", "orders.md:7" },
    quickfix(function() vim.lsp.buf.references() end))
  go_to("?sign, short", 8)
  local highlights = request("textDocument/documentHighlight", position())
  same("highlights", 5, #highlights)
  vim.lsp.buf.document_highlight()
  local namespace = vim.api.nvim_get_namespaces()["vim_lsp_references"]
  check("which are drawn", wait(function()
    return #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {}) == 5
  end))
  same("symbols", { "orders.md:1", "orders.md:10", "orders.md:11", "orders.md:12", "orders.md:13", "orders.md:3",
    "orders.md:7" }, quickfix(function() vim.lsp.buf.document_symbol() end))
  same("symbols of the workspace", { "stock.md:3" },
    quickfix(function() vim.lsp.buf.workspace_symbol("shelf") end))
  go_to("short(?item) <-")
  same("incoming calls", { "orders.md:12", "orders.md:13", "orders.md:13", "orders.md:7" },
    quickfix(function() vim.lsp.buf.incoming_calls() end))
  -- Neovim 0.7 lists these calls at lines of the wrong file.
  local item = request("textDocument/prepareCallHierarchy", position())[1]
  local calls = request("callHierarchy/outgoingCalls", { item = item })
  same("outgoing calls", { "shelf/2" }, vim.tbl_map(function(call) return call.to.name end, calls))
  local folds = request("textDocument/foldingRange", { textDocument = position().textDocument })
  check("folding", #folds >= 4, folds)
end

-- C-x C-o in insert mode, as in a mapping; the words of the menu.
local function menu(line)
  vim.fn.setline(11, line)
  vim.api.nvim_win_set_cursor(0, { 11, 0 })
  local complete, items = vim.fn.complete, nil
  vim.fn.complete = function(_, offered) items = offered end
  _G.open_menu = function()
    vim.lsp.omnifunc(1, "")
    wait(function() return items ~= nil end)
  end
  local keys = vim.api.nvim_replace_termcodes("A<Cmd>lua open_menu()<CR><Esc>", true, false, true)
  vim.api.nvim_feedkeys(keys, "tx", false)
  vim.fn.complete = complete
  return vim.tbl_map(function(item) return item.word end, items or {})
end

local function completion()
  same("the function of C-x C-o", "v:lua.vim.lsp.omnifunc", vim.bo.omnifunc)
  local words = menu('plenty(?n, "🍐") <- sho')
  check("completion", table.concat(words, " "):find("short", 1, true), words)
  words = menu('plenty(?n, "🍐") <- short(?')
  check("completion of a variable", vim.tbl_contains(words, "?n"), words)
  words = menu("plenty(?n) <- stock.md#")
  same("completion in another file", 2, #words)
  menu("plenty(?n) <- ?n > 10")
  wait(function() return #codes() == 3 end)
end

local function changes()
  go_to("?sign, short", 8)
  vim.lsp.buf.rename("missing")
  check("rename", wait(function() return not lines():find("short(", 1, true) end), lines())
  local _, count = lines():gsub("missing%(", "")
  same("at each place", 5, count)
  check("in prose not", lines():find("What is missing is __item__", 1, true), lines())
  vim.cmd("undo")
  -- In the file that another names.
  go_to("stock.md#shelf", 10)
  vim.lsp.buf.rename("rack")
  check("rename in this file", wait(function() return lines():find("stock.md#rack(", 1, true) end), lines())
  request("textDocument/foldingRange", { textDocument = position().textDocument })  -- sends the change
  vim.cmd("silent! wall")
  edit("stock.md")
  check("rename in another file", lines():find("rack(?item, ?count) <-", 1, true), lines())
  go_to("rack(")
  vim.lsp.buf.rename("shelf")
  wait(function() return lines():find("- shelf(", 1, true) end)
  request("textDocument/foldingRange", { textDocument = position().textDocument })
  vim.cmd("silent! wall")
  edit("orders.md")
  check("and the way back", lines():find("stock.md#shelf(", 1, true), lines())
  vim.lsp.buf.formatting_sync(nil, 20000)
  check("format", lines():find('short("pear"), short(?item)', 1, true), lines())
end

local function actions()
  vim.fn.setline(11, "plenty(?n) <- ?n > 10, done")
  wait(function() return #codes() > 3 end)
  vim.api.nvim_win_set_cursor(0, { 11, 0 })
  local titles = {}
  vim.ui.select = function(items, options, choose)
    titles = vim.tbl_map(function(item) return options.format_item(item) end, items)
    for i, item in ipairs(items) do
      if titles[i]:find("done()", 1, true) then return choose(item, i) end
    end
    choose(nil)
  end
  vim.lsp.buf.range_code_action(nil, { 11, 0 }, { 11, 27 })
  check("a code action", wait(function() return lines():find("done()", 1, true) end), titles)
  vim.fn.setline(11, "plenty(?n) <- ?n > 10")
  wait(function() return #codes() == 3 end)
end

local function lenses()
  vim.lsp.codelens.refresh()
  check("lenses", wait(function() return #vim.lsp.codelens.get(0) > 0 end))
  local titles = vim.tbl_map(function(lens) return lens.command.title end, vim.lsp.codelens.get(0))
  for _, title in ipairs({ "run", "why", "answers", "1 fact, answers" }) do
    check("a lens " .. title, vim.tbl_contains(titles, title), titles)
  end
  local said = {}
  vim.lsp.handlers["window/showMessage"] = function(_, params) table.insert(said, params.message) end
  vim.api.nvim_win_set_cursor(0, { 7, 0 })
  vim.ui.select = function(items, options, choose)
    for i, item in ipairs(items) do
      if options.format_item(item) == "run" then return choose(item, i) end
    end
  end
  vim.lsp.codelens.run()
  check("a lens that runs", wait(function() return #said > 0 end))
  check("its answer", (said[1] or ""):find("satisfied: %refill", 1, true), said)
end

local ok, why = pcall(function()
  for _, part in ipairs({ diagnostics, hover, places, completion, changes, actions, lenses }) do
    local ran, what = xpcall(part, debug.traceback)
    check("a part without an error", ran, what)
  end
  local client = vim.lsp.get_active_clients()[1]
  same("the encoding", os.getenv("ENCODING"), client.server_capabilities.positionEncoding)
  client.stop()
  check("the server ends", wait(function() return client.is_stopped() end))
end)
check("all parts", ok, why)
io.stderr:write("\n" .. passed .. " passed, " .. failed .. " failed\n")
vim.cmd(failed > 0 and "cquit!" or "qall!")
