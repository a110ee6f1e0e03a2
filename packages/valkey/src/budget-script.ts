/**
 * The retry budget in the store, as one script: every operation is one call over one key. Times are whole microseconds
 * of the server's time since 2025; retries are counted in whole millionths.
 *
 * The key holds 16 whole numbers:
 *
 * - `slot`: a tenth of the window
 * - `epoch`: when the key was created
 * - `at`: when this state was written
 * - `tokens`: the retries that are available, in millionths
 * - `count`, `before`: how many processes called in this hour, and in the previous one
 * - ten counts of successes, one per slot, the present slot first
 *
 * The rules are those of core's `retryBudget`, with one addition: a new key starts empty, and its reserve comes in
 * over one window. So a store that keeps losing the key grants at most one reserve per window. A key that no process
 * has used for six windows has its whole reserve at once, as in core.
 */
export const BUDGET_SCRIPT = `
local ratio, reserve, slot = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local until_us, called = tonumber(ARGV[4]), tonumber(ARGV[5])
local deposits, returned, wanted = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local SLOT, EPOCH, AT, TOKENS, COUNT, BEFORE, FIRST, LAST = 1, 2, 3, 4, 5, 6, 7, 16
local max, min, floor = math.max, math.min, math.floor
local function whole(number) return string.format('%.0f', number) end

local time = redis.call('TIME')
local clock = (tonumber(time[1]) - 1735689600) * 1000000 + tonumber(time[2])
local now = clock
if until_us > 0 and now > until_us then return { 0, 0, 0, 1, now, 0 } end

local text = redis.call('GET', KEYS[1])
local s = {}
if text then
  for number in string.gmatch(text, '%-?%d+') do s[#s + 1] = tonumber(number) end
  if #s ~= LAST then return redis.error_reply('EBB ' .. KEYS[1] .. ' does not hold a budget') end
else
  s = { slot, now, now, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
end

-- The server's clock was set back: by up to a second, time stands still; by more, the state moves with it.
if now < s[AT] and s[AT] - now <= 1000000 then now = s[AT] end
if now < s[AT] then s[EPOCH], s[AT] = s[EPOCH] - (s[AT] - now), now end

-- The window has a new length, so the counts of the old slots are dropped.
if s[SLOT] ~= slot then
  s[SLOT], s[TOKENS] = slot, min(s[TOKENS], reserve)
  for i = FIRST, LAST do s[i] = 0 end
end

local window = slot * 10
local function grown(at) return reserve * min(1, max(0, (at - s[EPOCH]) / window)) end

local passed = floor(now / slot) - floor(s[AT] / slot)
local successes = 0
for i = LAST, FIRST, -1 do
  s[i] = i - passed >= FIRST and s[i - passed] or 0
  successes = successes + s[i]
end
local most = grown(now) + ratio * successes
if passed >= 60 then s[TOKENS] = reserve
else s[TOKENS] = min(s[TOKENS] + grown(now) - grown(s[AT]), most) end

s[FIRST] = s[FIRST] + deposits
most = most + ratio * deposits
s[TOKENS] = floor(min(most, s[TOKENS] + ratio * deposits + returned * 1000000))

local balance = floor(s[TOKENS] / 1000000)
-- At most half of the balance, so that some is left for other processes.
local granted = min(wanted, max(min(1, balance), floor(balance / 2)))
s[TOKENS] = s[TOKENS] - granted * 1000000

-- Processes are counted per hour, or per six windows if they are longer, so that those that call seldom count as well.
local period = max(3600000000, slot * 60)
local ago = floor(now / period) - floor(s[AT] / period)
if ago ~= 0 then s[BEFORE], s[COUNT] = ago == 1 and s[COUNT] or 0, 0 end
if floor(called / period) ~= floor(now / period) then s[COUNT] = s[COUNT] + 1 end

s[AT] = now
-- Nothing is spent of a budget that is still empty.
local free = most > 0 and min(1, s[TOKENS] / most) or 1
local processes = max(1, s[COUNT], s[BEFORE])
for i = 1, LAST do s[i] = whole(s[i]) end
redis.call('SET', KEYS[1], table.concat(s, ' '), 'PX', whole(max(86400000, window / 500)))
return { granted, balance - granted, processes, 0, clock, floor(free * 1000000) }
`;

/** The SHA-1 by which `EVALSHA` names the script. A test checks it against a server. */
export const BUDGET_SCRIPT_SHA1 = '43b8a8122afdef8c3ec68a90024f3e2c4cbdcbab';
