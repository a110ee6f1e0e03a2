/**
 * The bucket in the store, as one script: every operation is one call over one key.
 *
 * The arithmetic is that of core's gcra.ts in whole numbers: microseconds of the server's time since 2025, and
 * millionths of a token. `empty` is rounded up, so rounding never creates tokens. Numbers that may have a fraction or
 * exceed 2^53 are returned as text: a reply truncates fractions, and some clients round large integers.
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
 * Every process hands in the last state that it saw. So a loss (an eviction, a restart without data, a failover to a
 * replica that lacks the last writes) does not refill the bucket: the first process to call restores what it knows, and
 * each of the others adds what it knows beyond that.
 */
export const SCRIPT = `
local mode = ARGV[1]
-- Tokens per second in tokens per 1,000 microseconds: gcra.ts takes the rate per 1,000 units of its times.
local rate, capacity = tonumber(ARGV[2]) * 1000, tonumber(ARGV[3])
local known, until_us, called = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local amount, most, held = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local soon, within = tonumber(ARGV[10]), tonumber(ARGV[11])

local EMPTY, GIVEN, PAUSED, AT, EPOCH, BASE, RESUMED, COUNT, BEFORE, TURN = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local LONG = 250000
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil

local time = redis.call('TIME')
local now = (tonumber(time[1]) - 1735689600) * 1000000 + tonumber(time[2])
local each = 1000 / rate
local fill = capacity * each
local slack = fill * 1e-9 + 1e-6 + math.abs(now) * 4e-16
local full = now - fill

local function read(text)
  if not text or text == '' then return nil end
  local s = {}
  for number in string.gmatch(text, '%-?%d+') do s[#s + 1] = tonumber(number) end
  if #s ~= 10 then return nil end
  -- The server's clock was set back by more than a second: the state moves with it, as catching up may take hours.
  -- A smaller step is waited out: moving the state each time would create tokens if the clock goes back and forth.
  local back = s[AT] - now
  if back > 1000000 then
    s[EMPTY], s[BASE], s[PAUSED] = s[EMPTY] - back, s[BASE] - back, s[PAUSED] - back
    s[AT], s[RESUMED], s[GIVEN] = now, s[RESUMED] - back, s[GIVEN] + back
  end
  return s
end

local text = redis.call('GET', KEYS[1])
local s, k = read(text), read(known)
if text and not s then return redis.error_reply('EBB ' .. KEYS[1] .. ' does not hold a bucket') end
local dirty, met = false, false
if not s or (k and s[AT] < k[AT]) then
  local lost = s
  s = k or { full, 0, 0, now, now, 0, 0, 0, 0, 0 }
  if lost then s[EMPTY], s[PAUSED] = max(s[EMPTY], lost[EMPTY]), max(s[PAUSED], lost[PAUSED]) end
  s[EMPTY] = ceil(max(s[EMPTY], full))
  -- Processes are counted from 1 again. After two losses in a row the old count is kept: they may not all call in time.
  if now - s[EPOCH] > max(fill, LONG) then s[COUNT], s[BEFORE] = 1, max(s[COUNT], s[BEFORE]) end
  s[EPOCH], s[BASE] = now, s[EMPTY]
  dirty = k ~= nil
elseif k and s[EPOCH] ~= k[EPOCH] then
  s[EMPTY] = s[EMPTY] + max(0, k[EMPTY] - s[BASE])
  s[BASE], s[PAUSED] = max(s[BASE], k[EMPTY]), max(s[PAUSED], k[PAUSED])
  dirty, met = true, true
end

-- Processes are counted per period, which is long enough for each of 64 processes to lease a token, and for a quiet one to look.
local period = max(60000000, ceil(64000000 * each))
local ago = floor(now / period) - floor(s[AT] / period)
if ago ~= 0 then s[BEFORE], s[COUNT] = ago == 1 and s[COUNT] or 0, 0 end

local granted, wait, resume = 0, 0, 0
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
  -- Future tokens are leased as well: a process that waits for them keeps its place in the queue and need not call
  -- again. A lease that would come later than 'within' is refused; below 0 there is no limit.
  local over = max(s[EMPTY], full) + amount * each - now - max(within, 0)
  if within >= 0 and over > slack then wait = over end
  if wait == 0 and not late then
    -- At most half of the available tokens, so that some are left for other processes.
    local there = min(capacity, (now - s[EMPTY]) * rate / 1000)
    if s[EMPTY] > now then
      local turn = max(amount, soon)
      s[TURN] = ceil(s[TURN] == 0 and turn or s[TURN] + (turn - s[TURN]) / 8)
    end
    granted = max(amount, min(most, floor(there / 2)), soon)
    s[EMPTY] = ceil(max(s[EMPTY], full) + granted * each)
    dirty = true
  end
elseif mode == 'spend' then
  s[EMPTY] = ceil(max(s[EMPTY], full) + amount * each)
  granted, dirty = amount, true
elseif mode == 'refund' then
  local h = read(held)
  if h and h[EPOCH] == s[EPOCH] and not late then
    local after = s[EMPTY] - max(0, min(amount * each, h[EMPTY] + h[GIVEN] - s[GIVEN] - full))
    -- A pause leaves the bucket empty.
    if now < s[PAUSED] then after = max(after, min(s[EMPTY], s[PAUSED])) end
    after = ceil(after)
    granted = floor((s[EMPTY] - after) * rate / 1000)
    s[GIVEN], s[EMPTY] = s[GIVEN] + s[EMPTY] - after, after
    dirty = granted > 0
  end
elseif mode == 'pause' then
  local ends, since = now + amount, max(now, s[PAUSED])
  if ends > since then
    s[EMPTY], s[PAUSED] = ends + max(0, s[EMPTY] - since), ends
    dirty = true
  end
elseif mode == 'unpause' then
  local early = s[PAUSED] - now
  if early > 0 then
    s[EMPTY], s[PAUSED] = max(now, s[EMPTY] - early), now
    granted, dirty = 1, true
  end
elseif mode == 'resume' and not late then
  -- 'amount' is how long the caller's outage lasted, 'most' how long the other processes may take to come back. If
  -- no process wrote during the outage, the caller is the first one back: the bucket serves again after 'most'.
  local since = now - amount
  if s[RESUMED] <= since and (dirty or not text or s[AT] <= since + amount / 10) then
    s[RESUMED] = now + most
    s[EMPTY] = max(s[EMPTY], s[RESUMED])
  end
  resume = max(s[RESUMED], since) - now
  granted, dirty = 1, true
end

local function whole(number) return string.format('%.0f', number) end

-- A call after its deadline writes nothing.
if dirty and not late then
  s[AT] = max(s[AT], now)
  for i = 1, 10 do s[i] = whole(s[i]) end
  text = table.concat(s, ' ')
  local ttl = ceil((max(tonumber(s[EMPTY]) + fill, tonumber(s[PAUSED]), tonumber(s[RESUMED])) - now) / 1000)
  -- The count has to outlast the fill.
  redis.call('SET', KEYS[1], text, 'PX', whole(max(ttl, 2 * period / 1000) + 1000))
end

return {
  granted, ceil(wait), ceil(tonumber(s[EMPTY]) - now), max(0, ceil(tonumber(s[PAUSED]) - now)),
  now, processes, resume, text or '',
}
`;

/** The SHA-1 by which `EVALSHA` names the script. A test checks it against a server. */
export const SCRIPT_SHA1 = '77982ff56525528228de03d58820ee7874031eca';
