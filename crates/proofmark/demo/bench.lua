-- The benchmark of the demo: calls, tables, strings and floating point, some 40 ms of them at the default size.
local n = tonumber(arg[1]) or 25

local function fib(k)
  if k < 2 then return k end
  return fib(k - 1) + fib(k - 2)
end

local function sieve(limit)
  local composite, primes = {}, 0
  for i = 2, limit do
    if not composite[i] then
      primes = primes + 1
      for j = i * i, limit, i do composite[j] = true end
    end
  end
  return primes
end

local function words(count)
  local parts, seen = {}, {}
  for i = 1, count do
    local word = string.format("%x", (i * 2654435761) % 65536)
    seen[word] = (seen[word] or 0) + 1
    parts[#parts + 1] = word
  end
  table.sort(parts)
  return #table.concat(parts, " ")
end

local function orbit(steps)
  local x, y, vx, vy = 1.0, 0.0, 0.0, 1.0
  for _ = 1, steps do
    local r3 = (x * x + y * y) ^ 1.5
    vx, vy = vx - 0.001 * x / r3, vy - 0.001 * y / r3
    x, y = x + 0.001 * vx, y + 0.001 * vy
  end
  return x * x + y * y
end

print(fib(n), sieve(n * 6000), words(n * 600), string.format("%.9f", orbit(n * 8000)))
