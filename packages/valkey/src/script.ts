import {
  CHANGE_LIMIT,
  EACH_RECORD,
  KEEP_STATE,
  LEDGER,
  READ_GHOSTS,
  READ_STATE,
  SURE_US,
  WRITE_STATE,
} from './script-state.ts';

/**
 * The bucket in the store, as one script: every operation is one call over one key.
 *
 * The arithmetic is that of core's gcra.ts in whole numbers: microseconds, and millionths of a token. `empty` is rounded up, so
 * rounding never creates tokens. The reply has whole numbers alone, but for limits that are new to the caller.
 *
 * **Time.** `now` is the server's time since 2025 plus `shift`, and never goes back. If the server's clock is set back by more than a
 * second, `shift` makes up for it; a smaller step is waited out. A process proposes a time if the clock is ahead of all times that the
 * process has measured, and `shift` falls. The state is never moved: its times mean the same before and after a step.
 *
 * **The value** is packed: 235, the layout, the number of units; then
 *
 * - `at`: when this was written; `shift`; `frame`: names this time, which lasts until a bucket is made from nothing
 * - `epoch`: names the bucket; a later one after each loss
 * - `paused`: when the last pause ends
 * - `resumed`: when the bucket serves again after the last outage of the store
 * - `version`: of the limits; it rises with each change
 * - `count`, `total`, `ends`: how many processes hold a share, the sum of their shares, when the last of these expires
 * - the names of the units, and the limits that a process has declared last
 *
 * and for each unit `rate`, `capacity`, `empty` (when it is or was empty, as in gcra.ts), `given` (how far refunds have moved
 * `empty` back in total), `base` (`empty` at the start of the epoch), `turn` (how much a process leases at a time while
 * requests wait, a moving average over about eight leases).
 *
 * **The ledger** follows: `ghost`, `ghosts`, `ghostEnds`, and for each process its name, its share, and when this expires. A share is the
 * part of the quota that a process may spend while the store is away, in millionths. The recorded share is never less than the share in
 * use: a larger share is recorded before the process learns of it, and a smaller share once the process has confirmed it. Ghosts are the
 * shares that were recorded before a loss, until their processes come again or they expire.
 *
 * **A loss.** Every process hands in the last state that it saw. After an eviction, a restart without data, or a failover to a replica
 * without the last writes, the first process to call restores its state, and each other process adds the parts that the restored state
 * lacks.
 */
export const SCRIPT: string = `
local A, key = ARGV, KEYS[1]
local mode, called = A[1], A[2]
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil
local time = redis.call('TIME')
local real = (time[1] - 1735689600) * 1000000 + time[2]
local text = redis.call('GET', key)
local u, n, names, declared, who = {}, 0, called, called .. A[9], ''
local at, shift, frame, epoch, paused, resumed, version, count, total, ends = real, 0, real, real, 0, 0, 1, 0, 0, 0

if text then
  ${READ_STATE}
end

-- What the caller knows is read only if the store does not know it as well.
local knownEpoch, knownAt = tonumber(A[6]), tonumber(A[7])
local k, isLost
if knownEpoch > 0 and not (epoch == knownEpoch and at >= knownAt) then
  k = {}
  for number in string.gmatch(A[8], '%S+') do k[#k + 1] = tonumber(number) end
  -- Older than the caller knows it: a replica has lost the last writes.
  isLost = not text or (k[8] == frame and epoch <= knownEpoch)
  if isLost then
    at, shift, frame, resumed = knownAt, k[1], k[8], max(resumed, k[3])
  end
end

local now, proposed = real + shift, tonumber(A[4])
local dirty = false
if proposed > 0 and now > max(at, proposed) then
  now = max(at, proposed)
  shift, dirty = now - real, true
elseif at - now > 1000000 then
  shift, now, dirty = at - real, at, true
else
  now = max(now, at)
end
if isLost then epoch = max(now, knownEpoch + 1) end
local untilNow = tonumber(A[3])
local late = untilNow > 0 and now > untilNow
-- The first call after an outage. Shares that expired meanwhile are in use: their processes come back soon.
local isFirst, lasted, back = false, 0, 0
if mode == 'resume' and not late then
  lasted = tonumber(A[11])
  isFirst = resumed <= now - lasted and (k or not text or at <= now - lasted * 0.9)
  if isFirst then back = now + tonumber(A[12]) + 2000000 end
end
if isFirst and ends > now - lasted then ends = max(ends, back) end
if ends < now then count, total = 0, 0 end

-- Where the units of the caller stand, if not at the same places as in the state.
local m, where, limits, mine = n, nil, nil, nil
local knownVersion = tonumber(A[5])
local isNew = knownVersion == 0 and text and not k and declared ~= called .. A[9]
if isNew or not text or names ~= called then
  mine = {}
  for number in string.gmatch(A[9], '%S+') do mine[#mine + 1] = tonumber(number) end
end
if not text or names ~= called then
  where, m = {}, 0
  for name in string.gmatch(called, '([^ ]*) ') do
    local j, o = 0, nil
    if text then
      for other in string.gmatch(names, '([^ ]*) ') do
        if other == name then o = 6 * j end
        j = j + 1
      end
    end
    if not o then
      o = 6 * n
      local rate, capacity = mine[2 * m + 1], mine[2 * m + 2]
      local full = ceil(now - capacity / rate)
      u[o + 1], u[o + 2], u[o + 3], u[o + 4], u[o + 5], u[o + 6] = rate, capacity, full, 0, full, 0
      n = n + 1
      if text then names, version, dirty = names .. name .. ' ', version + 1, true end
    end
    m = m + 1
    where[m] = o
  end
end

if isNew then
  -- The limits that were declared last hold.
  limits, declared, version = mine, called .. A[9], version + 1
elseif k and (not text or k[4] > version) then
  limits, version = {}, k[4]
  for i = 1, m do limits[2 * i - 1], limits[2 * i] = k[6 * i + 3], k[6 * i + 4] end
end
if limits then
  dirty = true
  for i = 1, m do
    local o = where and where[i] or 6 * (i - 1)
    local rate, capacity = limits[2 * i - 1], limits[2 * i]
    ${CHANGE_LIMIT}
  end
end

if k then
  dirty = true
  -- Two buckets that began without each other have different times.
  local d = k[8] ~= frame and shift - k[1] or 0
  paused = max(paused, k[2] > 0 and k[2] + d or 0)
  for i = 1, m do
    local o = where and where[i] or 6 * (i - 1)
    local empty = k[6 * i + 5] + d
    if isLost then
      empty = ceil(max(empty, u[o + 3], now - u[o + 2] / u[o + 1]))
      u[o + 3], u[o + 4], u[o + 5], u[o + 6] = empty, k[6 * i + 6], empty, k[6 * i + 8]
    else
      u[o + 3] = u[o + 3] + max(0, empty - u[o + 5])
      u[o + 5] = max(u[o + 5], empty)
    end
  end
  local knownEnds = k[7] + d
  if isFirst and knownEnds > now - lasted then knownEnds = max(knownEnds, back) end
  if knownEnds > now and (k[6] > total or k[5] > count) then
    ${READ_GHOSTS}
    local more, others = max(0, k[6] - total), max(0, k[5] - count)
    ghost, ghosts, ghostEnds = ghost + more, ghosts + others, max(ghostEnds, knownEnds)
    total, count, ends = total + more, count + others, max(ends, knownEnds)
    who = struct.pack('<ddd', ghost, ghosts, ghostEnds) .. string.sub(who, 25)
  end
end

-- The caller is counted, also by a call that comes late: what it holds, it holds. A late one restores nothing, as its time may be wrong.
local share = -1
if A[10] ~= '' and not (late and k) then
  local name, held, holds, expected = string.match(A[10], '^(%S+) (%d+) (%d+) (%d+)$')
  held, holds, expected = tonumber(held), tonumber(holds), tonumber(expected)
  ${READ_GHOSTS}
  local records, mine = {}, nil
  count, total, ends = 0, 0, 0
  if isFirst and ghostEnds > now - lasted then ghostEnds = max(ghostEnds, back) end
  ${EACH_RECORD}
    if other == name then
      mine = part
    else
      if isFirst and expires > now - lasted then expires = max(expires, back) end
      if expires > now then
        count, total, ends = count + 1, total + part, max(ends, expires)
        records[count] = isFirst and struct.pack('<c8I4d', other, part, expires) or string.sub(who, p, p + 19)
      end
    end
  end
  if ghostEnds <= now then ghost, ghosts, ghostEnds = 0, 0, 0 end
  if not mine and held > 0 and ghosts > 0 then ghost, ghosts = max(0, ghost - held), ghosts - 1 end
  total, count, ends = total + ghost, count + ghosts, max(ends, ghostEnds)
  share = 0
  if holds > 0 then
    count = count + 1
    local fair = floor(1000000 / max(count, expected))
    local recorded
    -- A large share shrinks by a third at a time, as the others take up what is free with their next calls.
    if held > fair then share, recorded = max(fair, floor(held * 2 / 3)), held
    elseif mine or held > 0 then
      -- In a younger bucket not all who hold a share may be recorded yet: a share grows later.
      local most = now - epoch >= ${SURE_US} and fair or min(fair, mine or 0)
      share = max(held, min(most, 1000000 - total))
    -- A newcomer has half of what is free at most, so that others who come meanwhile have a part as well.
    else share = max(0, min(fair, floor((1080000 - total) / 2))) end
    recorded = recorded or share
    total, ends = total + recorded, max(ends, now + holds)
    records[#records + 1] = struct.pack('<c8I4d', name, recorded, now + holds)
  end
  who = ${LEDGER}
end

-- A pause empties the unit that fills fastest.
local fastest
if now < paused or mode == 'pause' or mode == 'unpause' then
  for o = 0, 6 * n - 6, 6 do
    if not fastest or u[o + 2] / u[o + 1] < u[fastest + 2] / u[fastest + 1] then fastest = o end
  end
end

local wait, granted = 0, nil
if not late then
  local q = mode == 'lease' and 12 + 3 * m or 11
  if mode == 'lease' or mode == 'refund' then
    -- What was not spent of some leases: the epoch of each, and of each unit the tokens and where the lease had left 'empty'.
    local leases = tonumber(A[q])
    q = q + 1
    for _ = 1, leases do
      if tonumber(A[q]) == epoch then
        for i = 1, m do
          local o = where and where[i] or 6 * (i - 1)
          local rate, empty = u[o + 1], u[o + 3]
          local after = empty - max(0, min(A[q + 2 * i - 1] / rate, A[q + 2 * i] - u[o + 4] - now + u[o + 2] / rate))
          -- A pause leaves the bucket empty.
          if o == fastest and now < paused then after = max(after, min(empty, paused)) end
          after = ceil(after)
          if after ~= empty then u[o + 3], u[o + 4], dirty = after, u[o + 4] + empty - after, true end
        end
      end
      q = q + 1 + 2 * m
    end
  end
  if A[q] and (mode == 'lease' or mode == 'spend') then
    -- A debt takes no longer to pay than the caller says: of what a server says that it has charged, more cannot be true.
    local longest = now + tonumber(A[q])
    for i = 1, m do
      local o = where and where[i] or 6 * (i - 1)
      local from = max(u[o + 3], now - u[o + 2] / u[o + 1])
      u[o + 3] = ceil(min(from + A[q + i] / u[o + 1], max(from, longest)))
    end
    dirty = true
  end

  if mode == 'lease' then
    -- Future tokens are leased as well: a process that waits for them keeps its place in the queue and need not call
    -- again. A lease that would come later than 'within' is refused; below 0 there is no limit.
    local within = tonumber(A[11])
    if within >= 0 then
      for i = 1, m do
        local o, least = where and where[i] or 6 * (i - 1), tonumber(A[9 + 3 * i])
        if least > 0 then
          local rate, fill = u[o + 1], u[o + 2] / u[o + 1]
          local over = max(u[o + 3], now - fill) + least / rate - now - within
          if over > fill * 1e-9 + 1e-6 + now * 4e-16 then wait = max(wait, ceil(over)) end
        end
      end
    end
    if wait == 0 then
      granted = {}
      for i = 1, m do
        local o = where and where[i] or 6 * (i - 1)
        local rate, capacity, empty = u[o + 1], u[o + 2], u[o + 3]
        local least, soon = tonumber(A[9 + 3 * i]), tonumber(A[11 + 3 * i])
        if empty > now then
          local turn = max(least, soon)
          u[o + 6] = ceil(u[o + 6] == 0 and turn or u[o + 6] + (turn - u[o + 6]) / 8)
        end
        -- At most half of the available tokens, so that some are left for other processes.
        local there = floor(min(capacity, (now - empty) * rate) / 2)
        granted[i] = max(least, min(A[10 + 3 * i] + 0, there), soon)
        u[o + 3] = ceil(max(empty, now - capacity / rate) + granted[i] / rate)
      end
      dirty = true
    end
  elseif mode == 'pause' then
    local to, since = now + tonumber(A[11]), max(now, paused)
    if to > since then
      u[fastest + 3], paused, dirty = to + max(0, u[fastest + 3] - since), to, true
    end
  elseif mode == 'unpause' then
    if now < paused then
      u[fastest + 3], paused, dirty = max(now, u[fastest + 3] - paused + now), now, true
    end
  elseif mode == 'resume' then
    -- The first number is how long the caller's outage lasted, the second how long the other processes may take to come back.
    -- If none wrote during the outage, the caller is the first one back: the bucket serves again after the second.
    if isFirst then
      resumed = now + tonumber(A[12])
      for o = 0, 6 * n - 6, 6 do u[o + 3] = max(u[o + 3], resumed) end
    end
    dirty = true
  end
end

dirty = dirty and not late
if dirty or share >= 0 then
  -- A call that does no more than count its process is no sign that the bucket is in use.
  if dirty then at = now end
  ${KEEP_STATE}
  ${WRITE_STATE}
elseif not text then
  epoch = 0
end

local isOther = knownVersion ~= version or k
local reply = { late and 2 or granted and 1 or 0, now, shift, epoch, version, paused, resumed, count, total, ends, share, wait, at, frame }
for i = 1, m do
  local o, p = where and where[i] or 6 * (i - 1), 5 * i + 10
  reply[p], reply[p + 1], reply[p + 2], reply[p + 3], reply[p + 4] =
    granted and granted[i] or 0, u[o + 3], u[o + 4], u[o + 5], u[o + 6]
end
if isOther then
  for i = 1, m do
    local o = where and where[i] or 6 * (i - 1)
    reply[#reply + 1] = string.format('%.17g', u[o + 1])
    reply[#reply + 1] = string.format('%.17g', u[o + 2])
  end
end
return reply
`;

/** The SHA-1 by which `EVALSHA` names the script. A test checks it against a server. */
export const SCRIPT_SHA1 = '5f35b8d86d5c5f0c5d10e365e5186ed1a5701f11';
