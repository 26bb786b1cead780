#!/bin/sh
# Tries what the page on editors of the manual says about Neovim: its snippet as init.lua, a wrong machine opened without a window, diagnostics, hover, a lens.
# Needs Neovim 0.7 or later (Debian: apt-get install neovim). Exit code 77: it is missing, nothing was tested.
# BCHECK=PATH names a program to be tested; without it, one is built.
set -eu
cd "$(dirname "$0")/.."

command -v nvim >/dev/null 2>&1 || { printf 'neovim.sh: not tested: there is no Neovim (apt-get install neovim)\n' >&2; exit 77; }
if [ -z "${BCHECK:-}" ]; then
    cargo build --locked --quiet
    BCHECK=target/debug/bcheck
fi

folder=target/neovim
rm -rf "$folder"
mkdir -p "$folder/bin"
# The snippet calls the program by its name.
ln -s "$(cd "$(dirname "$BCHECK")" && pwd)/$(basename "$BCHECK")" "$folder/bin/bcheck"
awk '/^\*\*Neovim\*\*/ { here = 1 } /^```$/ { if (inside) exit } inside { print } here && /^```lua$/ { inside = 1 }' src/cli/help/editors.md >"$folder/init.lua"
[ -s "$folder/init.lua" ] || { printf 'neovim.sh: src/cli/help/editors.md has no snippet for Neovim\n' >&2; exit 1; }
cat >"$folder/wrong.mch" <<'MACHINE_ENDS'
MACHINE wrong
VARIABLES xx
INVARIANT xx : 0..3
INITIALISATION xx := TRUE
OPERATIONS up = PRE xx < 3 THEN xx := xx + 1 END
END
MACHINE_ENDS
cat >"$folder/try.lua" <<'LUA_ENDS'
-- What goes wrong ends Neovim with 1; each answer has twenty seconds.
local function hold(what, condition)
  if not condition then
    print("neovim.sh: FAILED: " .. what)
    vim.cmd("cquit")
  end
end
local function within(what, condition)
  hold(what, vim.wait(20000, condition, 50))
end
local function verdict_of(lens)
  return lens and lens.command and lens.command.title or ""
end

within("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do
  print(string.format("wrong.mch:%d:%d: %s", found.lnum + 1, found.col + 1, found.message))
end
local first = vim.diagnostic.get(0)[1]
hold("the diagnostic is at TRUE", first.lnum == 3 and first.col == 21 and first.end_col == 25 and first.source == "bcheck")

vim.api.nvim_buf_set_text(0, 3, 21, 3, 25, { "0" })
within("no diagnostics after the repair", function() return #vim.diagnostic.get(0) == 0 end)

vim.api.nvim_win_set_cursor(0, { 5, 20 })
local encoding = "utf-16"
local asked = vim.lsp.util.make_position_params(0, encoding)
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", asked, 20000)
hold("hover shows the type", vim.inspect(hover):find("INTEGER") ~= nil)

vim.lsp.codelens.refresh()
within("a lens", function() return verdict_of(vim.lsp.codelens.get(0)[1]) == "check this machine" end)
local told
vim.lsp.handlers["window/showMessage"] = function(_, message) told = message.message end
vim.api.nvim_win_set_cursor(0, { 1, 0 })
vim.lsp.codelens.run()
within("the verdict of the check", function() return told ~= nil end)
print(told)
hold("the machine has a deadlock", told:find("deadlock") ~= nil)
print("neovim.sh: Neovim works")
vim.cmd("qall!")
LUA_ENDS
PATH="$PWD/$folder/bin:$PATH" nvim --headless --clean -u "$folder/init.lua" -i NONE "$folder/wrong.mch" \
    -c "lua local works, why = pcall(dofile, '$folder/try.lua') if not works then print(why) vim.cmd('cquit') end" 2>&1
printf '\n'
