import {
  CHANGE_LIMIT,
  EACH_RECORD,
  KEEP_STATE,
  LEDGER,
  READ_GHOSTS,
  READ_STATE,
  WRITE_STATE,
} from './script-state.ts';

/**
 * The operations of an operator on a bucket, in a separate script, because the bucket's script runs for every lease. The first argument is
 * one of
 *
 * - `inspect`: reads the state
 * - `set version names limits [declared names limits version]`: gives the named units their limits if the present limits are of this
 *   version. The optional arguments make a bucket if the store has none
 * - `leave name`: removes a process from the ledger
 * - `reset`: every unit is empty now, without tokens, debts and pauses
 *
 * The first number of the reply: 1 if the operation is done, 0 if there is no bucket, 2 if the limits are of another version, 3 if the unit
 * or the process is not known. After a 1 follow the time, the state, how long the key lives and how long its value is, each unit, the
 * ghosts, and each process.
 */
export const OPERATOR_SCRIPT: string = `
local A, key = ARGV, KEYS[1]
local mode = A[1]
local max, min, ceil = math.max, math.min, math.ceil
local time = redis.call('TIME')
local real = (time[1] - 1735689600) * 1000000 + time[2]
local text = redis.call('GET', key)
local u, n, names, declared, who = {}, 0, '', '', ''
local at, shift, frame, epoch, paused, resumed, version, count, total, ends = real, 0, real, real, 0, 0, 0, 0, 0, 0
local made = mode == 'set' and A[5]

if text then
  ${READ_STATE}
elseif not made then
  return { 0 }
end

local now = real + shift
if at - now > 1000000 then
  shift, now = at - real, at
else
  now = max(now, at)
end

local function numbers(text)
  local list = {}
  for number in string.gmatch(text, '%S+') do list[#list + 1] = tonumber(number) end
  return list
end

if not text then
  names, declared, version = A[6], A[5], tonumber(A[8])
  local limits = numbers(A[7])
  n = #limits / 2
  for i = 1, n do
    local rate, capacity, o = limits[2 * i - 1], limits[2 * i], 6 * (i - 1)
    local full = ceil(now - capacity / rate)
    u[o + 1], u[o + 2], u[o + 3], u[o + 4], u[o + 5], u[o + 6] = rate, capacity, full, 0, full, 0
  end
end

local places = {}
for name in string.gmatch(names, '([^ ]*) ') do
  places[#places + 1] = name
  places[name .. ' '] = 6 * (#places - 1)
end
${READ_GHOSTS}
local dirty = false

if mode == 'set' then
  local limits, i, others = numbers(A[4]), 0, {}
  for name in string.gmatch(A[3], '([^ ]*) ') do
    local o, rate, capacity = places[name .. ' '], limits[2 * i + 1], limits[2 * i + 2]
    if not o then return { 3 } end
    if u[o + 1] ~= rate or u[o + 2] ~= capacity then others[#others + 1] = { o, rate, capacity } end
    i = i + 1
  end
  -- Limits that hold already need no version: several processes may set the same.
  if #others > 0 then
    if text and version ~= tonumber(A[2]) then return { 2, version } end
    for _, other in ipairs(others) do
      local o, rate, capacity = other[1], other[2], other[3]
      ${CHANGE_LIMIT}
    end
    version, dirty = version + 1, true
  elseif not text then
    dirty = true
  end
elseif mode == 'leave' then
  local records, isThere = {}, false
  count, total, ends = ghosts, ghost, ghostEnds
  ${EACH_RECORD}
    if other == A[2] then
      isThere = true
    else
      count, total, ends = count + 1, total + part, max(ends, expires)
      records[#records + 1] = string.sub(who, p, p + 19)
    end
  end
  if not isThere then return { 3 } end
  who, dirty = ${LEDGER}, true
elseif mode == 'reset' then
  -- What processes have leased stays with them, and may still be given back.
  if now < paused then paused = now end
  for o = 0, 6 * n - 6, 6 do
    local empty = max(now, resumed)
    local moved = empty - u[o + 3]
    u[o + 3], u[o + 4], u[o + 5] = empty, u[o + 4] - moved, max(u[o + 3], u[o + 5], empty)
  end
  dirty = true
end

local expires = -1
if mode == 'inspect' then expires = redis.call('PTTL', key) end
if dirty then
  -- 'at' stays: to the processes that come back after an outage, an operator's call is no sign that the bucket is in use.
  ${KEEP_STATE}
  ${WRITE_STATE}
  expires = px
end

local reply = { 1, now, shift, at, epoch, paused, resumed, version, expires, text and #text or 0, n }
for i = 1, n do
  local o = 6 * (i - 1)
  reply[#reply + 1] = places[i]
  reply[#reply + 1] = string.format('%.17g', u[o + 1])
  reply[#reply + 1] = string.format('%.17g', u[o + 2])
  reply[#reply + 1] = u[o + 3]
end
reply[#reply + 1] = declared
reply[#reply + 1] = ghosts
reply[#reply + 1] = ghost
reply[#reply + 1] = ghostEnds
${EACH_RECORD}
  reply[#reply + 1] = other
  reply[#reply + 1] = part
  reply[#reply + 1] = expires
end
return reply
`;
