/**
 * The bucket in the store, as one script: every operation is one call over one key.
 *
 * The arithmetic is that of core's gcra.ts in whole numbers: microseconds of the server's time since 2025, and
 * millionths of a token. `empty` is rounded up, so rounding never creates tokens. Numbers that may have a fraction or
 * exceed 2^53 are returned as text: a reply truncates fractions, and some clients round large integers.
 *
 * Rates, capacities and amounts are lists with a number for each unit of the bucket, separated by spaces.
 *
 * The key holds ten whole numbers:
 *
 * - `empty`: when the bucket is or was empty, as in gcra.ts
 * - `given`: how far refunds have moved `empty` back, in total
 * - `paused`: when the last pause ends
 * - `at`: when this state was written
 * - `epoch`: when the bucket was created, or last restored after a loss
 * - `base`: the value of `empty` at that time
 * - `resumed`: when the bucket serves again after the last outage of the store
 * - `count`, `before`: how many processes called in this period, and in the previous one
 * - `turn`: what a process leases at a time while requests wait, a moving average over about eight leases
 *
 * and `empty`, `given`, `base` and `turn` again for each further unit.
 *
 * Every process hands in the last state that it saw. So a loss (an eviction, a restart without data, a failover to a
 * replica that lacks the last writes) does not refill the bucket: the first process to call restores what it knows, and
 * each of the others adds what it knows beyond that.
 */
export const SCRIPT = `
local mode = ARGV[1]
local known, until_us, called = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local held, within = ARGV[9], tonumber(ARGV[11])

local function list(text)
  local one = tonumber(text)
  if one then return { one } end
  local numbers = {}
  for number in string.gmatch(text, '%S+') do numbers[#numbers + 1] = tonumber(number) end
  return numbers
end

local rates, capacities = list(ARGV[2]), list(ARGV[3])
local amounts, mosts, soons = list(ARGV[7]), list(ARGV[8]), list(ARGV[10])
-- In modes without units.
local amount, most = amounts[1], mosts[1]

local PAUSED, AT, EPOCH, RESUMED, COUNT, BEFORE = 3, 4, 5, 7, 8, 9
local LONG = 250000
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil

local time = redis.call('TIME')
local now = (tonumber(time[1]) - 1735689600) * 1000000 + tonumber(time[2])

-- Where a unit stands in the state, and how fast it fills. The fastest is the one that a pause empties.
local units, fastest, slowest, size = {}, nil, 0, 6
for i = 1, #rates do
  -- Tokens per second in tokens per 1,000 microseconds: gcra.ts takes the rate per 1,000 units of its times.
  local rate, capacity = rates[i] * 1000, capacities[i]
  local each = 1000 / rate
  local fill, at = capacity * each, size + 1
  units[i] = {
    rate = rate, each = each, capacity = capacity, fill = fill, full = now - fill,
    slack = fill * 1e-9 + 1e-6 + math.abs(now) * 4e-16,
    EMPTY = i == 1 and 1 or at, GIVEN = i == 1 and 2 or at + 1, BASE = i == 1 and 6 or at + 2, TURN = at + 3,
  }
  size = size + 4
  if not fastest or fill < fastest.fill then fastest = units[i] end
  slowest = max(slowest, each)
end

local function read(text)
  if not text or text == '' then return nil end
  local s = {}
  for number in string.gmatch(text, '%-?%d+') do s[#s + 1] = tonumber(number) end
  if #s ~= size then return nil end
  -- The server's clock was set back by more than a second: the state moves with it, as catching up may take hours.
  -- A smaller step is waited out: moving the state each time would create tokens if the clock goes back and forth.
  local back = s[AT] - now
  if back > 1000000 then
    s[PAUSED], s[AT], s[RESUMED] = s[PAUSED] - back, now, s[RESUMED] - back
    for i = 1, #units do
      local u = units[i]
      s[u.EMPTY], s[u.BASE], s[u.GIVEN] = s[u.EMPTY] - back, s[u.BASE] - back, s[u.GIVEN] + back
    end
  end
  return s
end

local text = redis.call('GET', KEYS[1])
local s, k = read(text), known ~= text and read(known) or nil
if text and not s then return redis.error_reply('EBB ' .. KEYS[1] .. ' does not hold a bucket of these units') end
local dirty, met = false, false
if not s or (k and s[AT] < k[AT]) then
  local lost = s
  s = k or { 0, 0, 0, now, now, 0, 0, 0, 0, 0 }
  if lost then s[PAUSED] = max(s[PAUSED], lost[PAUSED]) end
  -- Processes are counted from 1 again. After two losses in a row the old count is kept: they may not all call in time.
  if now - s[EPOCH] > max(fastest.fill, LONG) then s[COUNT], s[BEFORE] = 1, max(s[COUNT], s[BEFORE]) end
  s[EPOCH] = now
  for i = 1, #units do
    local u = units[i]
    if not k then s[u.EMPTY], s[u.GIVEN], s[u.TURN] = u.full, 0, 0 end
    if lost then s[u.EMPTY] = max(s[u.EMPTY], lost[u.EMPTY]) end
    s[u.EMPTY] = ceil(max(s[u.EMPTY], u.full))
    s[u.BASE] = s[u.EMPTY]
  end
  dirty = k ~= nil
elseif k and s[EPOCH] ~= k[EPOCH] then
  s[PAUSED] = max(s[PAUSED], k[PAUSED])
  for i = 1, #units do
    local u = units[i]
    s[u.EMPTY] = s[u.EMPTY] + max(0, k[u.EMPTY] - s[u.BASE])
    s[u.BASE] = max(s[u.BASE], k[u.EMPTY])
  end
  dirty, met = true, true
end

-- Processes are counted per period, which is long enough for each of 64 processes to lease a token, and for a quiet one to look.
local period = max(60000000, ceil(64000000 * slowest))
local ago = floor(now / period) - floor(s[AT] / period)
if ago ~= 0 then s[BEFORE], s[COUNT] = ago == 1 and s[COUNT] or 0, 0 end

-- Returns what was not spent of some leases, separated by commas: the amounts of each, and the state that it left.
local function refund(unspent, states)
  local each, sums = string.gmatch(unspent or '', '[^,]+'), {}
  for i = 1, #units do sums[i] = 0 end
  for state in string.gmatch(states, '[^,]+') do
    local h, left = read(state), list(each())
    for i = 1, h and h[EPOCH] == s[EPOCH] and #units or 0 do
      local u = units[i]
      local after = s[u.EMPTY] - max(0, min(left[i] * u.each, h[u.EMPTY] + h[u.GIVEN] - s[u.GIVEN] - u.full))
      -- A pause leaves the bucket empty.
      if now < s[PAUSED] and u == fastest then after = max(after, min(s[u.EMPTY], s[PAUSED])) end
      after = ceil(after)
      local back = floor((s[u.EMPTY] - after) * u.rate / 1000)
      sums[i] = sums[i] + back
      s[u.GIVEN], s[u.EMPTY] = s[u.GIVEN] + s[u.EMPTY] - after, after
      dirty = dirty or back > 0
    end
  end
  return sums
end

-- A debt takes no longer than 'longest' to pay: of what a server says that it has charged, more cannot be true.
local function spend(spent, longest)
  for i = 1, #spent do
    local u = units[i]
    local from = max(s[u.EMPTY], u.full)
    s[u.EMPTY] = ceil(min(from + spent[i] * u.each, max(from, now + (longest or math.huge))))
    dirty = true
  end
  return spent
end

local granted, waits, resume = {}, 0, 0
for i = 1, #units do granted[i] = 0 end
local late = until_us > 0 and now > until_us

-- A process says when it was counted last; below 0, that another call of it may count it now.
if not late and called >= 0 and (mode == 'lease' or mode == 'peek' or mode == 'resume')
  and (met or floor(called / period) ~= floor(now / period)) then
  s[COUNT] = s[COUNT] + 1
  -- A look does not make a bucket.
  dirty = dirty or text
end
local processes = max(1, s[COUNT], s[BEFORE])

if mode == 'lease' then
  -- On its way it settles what was spent of earlier leases, and beyond them.
  if not late then
    refund(ARGV[12], held)
    spend(list(ARGV[13] or ''), tonumber(ARGV[14] or ''))
  end
  -- Future tokens are leased as well: a process that waits for them keeps its place in the queue and need not call
  -- again. A lease that would come later than 'within' is refused; below 0 there is no limit.
  for i = 1, #units do
    local u = units[i]
    local over = max(s[u.EMPTY], u.full) + amounts[i] * u.each - now - max(within, 0)
    if within >= 0 and amounts[i] > 0 and over > u.slack then waits = max(waits, over) end
  end
  if waits == 0 and not late then
    for i = 1, #units do
      local u = units[i]
      -- At most half of the available tokens, so that some are left for other processes.
      local there = min(u.capacity, (now - s[u.EMPTY]) * u.rate / 1000)
      if s[u.EMPTY] > now then
        local turn = max(amounts[i], soons[i])
        s[u.TURN] = ceil(s[u.TURN] == 0 and turn or s[u.TURN] + (turn - s[u.TURN]) / 8)
      end
      granted[i] = max(amounts[i], min(mosts[i], floor(there / 2)), soons[i])
      s[u.EMPTY] = ceil(max(s[u.EMPTY], u.full) + granted[i] * u.each)
    end
    dirty = true
  end
elseif mode == 'spend' then
  granted = spend(amounts, tonumber(ARGV[12] or ''))
elseif mode == 'refund' and not late then
  granted = refund(ARGV[7], held)
elseif mode == 'pause' then
  local ends, since = now + amount, max(now, s[PAUSED])
  if ends > since then
    s[fastest.EMPTY], s[PAUSED] = ends + max(0, s[fastest.EMPTY] - since), ends
    dirty = true
  end
elseif mode == 'unpause' then
  local early = s[PAUSED] - now
  if early > 0 then
    s[fastest.EMPTY], s[PAUSED] = max(now, s[fastest.EMPTY] - early), now
    granted[1], dirty = 1, true
  end
elseif mode == 'resume' and not late then
  -- 'amount' is how long the caller's outage lasted, 'most' how long the other processes may take to come back. If
  -- no process wrote during the outage, the caller is the first one back: the bucket serves again after 'most'.
  local since = now - amount
  if s[RESUMED] <= since and (dirty or not text or s[AT] <= since + amount / 10) then
    s[RESUMED] = now + most
    for i = 1, #units do s[units[i].EMPTY] = max(s[units[i].EMPTY], s[RESUMED]) end
  end
  resume = max(s[RESUMED], since) - now
  granted[1], dirty = 1, true
end

-- Whole numbers, separated by spaces.
local function join(numbers)
  return string.format(string.sub(string.rep('%.0f ', #numbers), 1, -2), unpack(numbers))
end

-- A call after its deadline writes nothing.
local ends, empties = max(s[PAUSED], s[RESUMED]), {}
for i = 1, #units do
  local u = units[i]
  empties[i] = ceil(s[u.EMPTY] - now)
  ends = max(ends, s[u.EMPTY] + u.fill)
end
local paused = max(0, ceil(s[PAUSED] - now))
if dirty and not late then
  s[AT] = max(s[AT], now)
  text = join(s)
  -- The count has to outlast the fill.
  redis.call('SET', KEYS[1], text, 'PX', join({ max(ceil((ends - now) / 1000), 2 * period / 1000) + 1000 }))
end

return {
  join(granted), ceil(waits), join(empties), paused,
  now, processes, resume, text or '',
}
`;

/** The SHA-1 by which `EVALSHA` names the script. A test checks it against a server. */
export const SCRIPT_SHA1 = 'a280d12d52445a39a0e3655c0f6ca62667b22ae1';
