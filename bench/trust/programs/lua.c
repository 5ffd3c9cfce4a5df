/* Lua 5.4 with a script of its own and the bound in a data word, so that the work is a matter of the build and not of an argument. */
#include <stdio.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#ifdef RENAMED
#define perform carry_out
#endif

extern volatile unsigned long bound;
int usage(int argc);
unsigned long checksum(const unsigned char *bytes, unsigned long length);

static const char script[] =
    "local turns = ...\n"
    "local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end\n"
    "local x, y, vx, vy = 1.0, 0.0, 0.0, 1.0\n"
    "local seen, sum = {}, 0\n"
    "for turn = 1, turns do\n"
    "  sum = sum + fib(6)\n"
    "  local word = string.format('%x', (turn * 2654435761) % 4096)\n"
    "  seen[word] = (seen[word] or 0) + 1\n"
    "  for step = 1, 8 do\n"
    "    local r3 = (x * x + y * y) ^ 1.5\n"
    "    vx, vy = vx - 0.001 * x / r3, vy - 0.001 * y / r3\n"
    "    x, y = x + 0.001 * vx, y + 0.001 * vy\n"
    "  end\n"
    "  local list = {}\n"
    "  for i = 1, 12 do list[i] = (turn * i * 7919) % 101 end\n"
    "  table.sort(list)\n"
    "  sum = sum + list[1]\n"
    "end\n"
    "return sum > 0 and x * x + y * y < 4\n";

static __attribute__((noinline)) int perform(lua_State *L) {
  luaL_openlibs(L);
  if (luaL_loadbuffer(L, script, sizeof script - 1, "script") != LUA_OK) return 1;
  lua_pushinteger(L, (lua_Integer)bound);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) return 1;
  return !lua_toboolean(L, -1);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return usage(argc);
  lua_State *L = luaL_newstate();
  if (L == NULL) return 1;
  int failed = perform(L);
  if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return failed || puts(checksum((const unsigned char *)script, sizeof script) ? "done" : "a rare result") < 0;
}
