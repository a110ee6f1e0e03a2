/**
 * The bucket as it lies in the store, in one script: whatever is done to it is one call, one key, one SHA.
 *
 * The arithmetic is that of core's gcra.ts, in whole numbers: microseconds of the server's time since 2025, and
 * millionths of a token. `empty` is rounded up, so that
 * what rounding takes is never minted. Text goes out where a number would: a reply cuts off what is behind the
 * point, and some clients misread whole numbers beyond 2^53.
 *
 * The key holds ten whole numbers:
 *
 * - `empty`: the moment at which the bucket is or would be empty, as in gcra.ts
 * - `given`: how far back `empty` was moved by what was given back
 * - `paused`: the end of the last pause
 * - `at`: the moment of this writing
 * - `epoch`: when this line of states began; another one begins when writings were lost
 * - `base`: what `empty` was taken to be then
 * - `resumed`: when the bucket serves again after the last outage of the store
 * - `count`, `before`: processes that took tokens in this stretch of time, and in the one before
 * - `turn`: what those take at a time who wait, on the average of about eight
 *
 * Every process hands in the last state that it saw. So what the store forgot (an eviction, a restart without
 * data, a failover to a replica that had not heard of the last writings) is no full bucket: the first who comes
 * begins from what it knows, and each of the others adds what it knows beyond that.
 */
export const SCRIPT = `
local mode = ARGV[1]
-- Per thousand microseconds, as gcra.ts has its rate per thousand of whatever its times are.
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
  -- The server's clock was set back. Nothing may wait for it to catch up: that could be an hour. What it was
  -- set back by less than a second is waited for, since a clock that goes to and fro would mint tokens else.
  local back = s[AT] - now
  if back > 1000000 then
    s[EMPTY], s[BASE], s[PAUSED] = s[EMPTY] - back, s[BASE] - back, s[PAUSED] - back
    s[AT], s[RESUMED], s[GIVEN] = now, s[RESUMED] - back, s[GIVEN] + back
  end
  return s
end

local text = redis.call('GET', KEYS[1])
local s, k = read(text), read(known)
if text and not s then return redis.error_reply('EBB ' .. KEYS[1] .. ' holds something else than a bucket') end
local dirty, met = false, false
if not s or (k and s[AT] < k[AT]) then
  local lost = s
  s = k or { full, 0, 0, now, now, 0, 0, 0, 0, 0 }
  if lost then s[EMPTY], s[PAUSED] = max(s[EMPTY], lost[EMPTY]), max(s[PAUSED], lost[PAUSED]) end
  s[EMPTY] = ceil(max(s[EMPTY], full))
  -- The others come, and are counted anew. Unless this one began with a loss, too: then they may not all meet.
  if now - s[EPOCH] > max(fill, LONG) then s[COUNT], s[BEFORE] = 1, max(s[COUNT], s[BEFORE]) end
  s[EPOCH], s[BASE] = now, s[EMPTY]
  dirty = k ~= nil
elseif k and s[EPOCH] ~= k[EPOCH] then
  s[EMPTY] = s[EMPTY] + max(0, k[EMPTY] - s[BASE])
  s[BASE], s[PAUSED] = max(s[BASE], k[EMPTY]), max(s[PAUSED], k[PAUSED])
  dirty, met = true, true
end

-- A stretch is long enough for each of 64 processes to take a token.
local stretch = max(1000000, ceil(64000000 * each))
local ago = floor(now / stretch) - floor(s[AT] / stretch)
if ago ~= 0 then s[BEFORE], s[COUNT] = ago == 1 and s[COUNT] or 0, 0 end

local granted, wait, resume = 0, 0, 0
local late = until_us > 0 and now > until_us

local processes = max(1, s[COUNT], s[BEFORE])

if mode == 'lease' then
  -- Tokens that are yet to come are leased too: who waits for them has its place in line with that, and need not
  -- ask again. Unless they come after 'within', which is when the asker gives up; below 0, it never does.
  local over = max(s[EMPTY], full) + amount * each - now - max(within, 0)
  if within >= 0 and over > slack then wait = over end
  if wait == 0 and not late then
    if met or floor(called / stretch) ~= floor(now / stretch) then s[COUNT] = s[COUNT] + 1 end
    processes = max(processes, s[COUNT])
    -- At most half of what is there.
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
  -- 'amount' is how long the caller could not reach the store, 'most' how long all who could not may take to
  -- come back. If nobody wrote in that time, the caller is the first: the bucket serves again after it.
  local since = now - amount
  if s[RESUMED] <= since and (dirty or not text or s[AT] <= since + amount / 10) then
    s[RESUMED] = now + most
    s[EMPTY] = max(s[EMPTY], s[RESUMED])
  end
  resume = max(s[RESUMED], since) - now
  granted, dirty = 1, true
end

local function whole(number) return string.format('%.0f', number) end

-- What comes too late leaves no trace: not even the time at which it came.
if dirty and not late then
  s[AT] = max(s[AT], now)
  for i = 1, 10 do s[i] = whole(s[i]) end
  text = table.concat(s, ' ')
  local ttl = ceil((max(tonumber(s[EMPTY]) + fill, tonumber(s[PAUSED]), tonumber(s[RESUMED])) - now) / 1000)
  redis.call('SET', KEYS[1], text, 'PX', whole(max(ttl, 0) + 1000))
end

return {
  granted, ceil(wait), ceil(tonumber(s[EMPTY]) - now), max(0, ceil(tonumber(s[PAUSED]) - now)),
  now, processes, resume, text or '',
}
`;

/** By which a server knows the script. A test holds it against the script. */
export const SCRIPT_SHA1 = 'a41d525f20dc73fe48e1e4aa527ce0fe18a5018b';
