// Parts in Lua that the scripts of a bucket share. script.ts describes the state.

/** The age at which a bucket has recorded all processes with a share of the bucket. In microseconds. */
export const SURE_US = 500_000;

/** Reads `text`, the value of the key, into the variables of the state; ends the script if that is not a bucket of this layout. */
export const READ_STATE = `local magic, layout, rest
  magic, layout, n = string.byte(text, 1, 3)
  if magic ~= 235 then return redis.error_reply('EBB ' .. key .. ' does not hold a bucket') end
  if layout > 1 then return redis.error_reply('EBB ' .. key .. ' was written by a newer version: update @ebb/valkey') end
  at, shift, frame, epoch, paused, resumed, version, count, total, ends, names, declared, rest =
    struct.unpack('<ddddddddddss', text, 4)
  u = { struct.unpack(n == 1 and '<dddddd' or '<' .. string.rep('d', 6 * n), text, rest) }
  who = string.sub(text, u[6 * n + 1])`;

/** Writes it, for `px` milliseconds at most. */
export const WRITE_STATE = `u[6 * n + 1] = nil
  redis.call('SET', key, struct.pack('<BBBddddddddddss', 235, 1, n, at, shift, frame, epoch, paused, resumed, version, count, total, ends,
    names, declared) .. struct.pack(n == 1 and '<dddddd' or '<' .. string.rep('d', 6 * n), unpack(u)) .. who, 'PX', px)`;

/** Sets `px`: the state is needed until the bucket is full, and every share has expired. */
export const KEEP_STATE = `local keeps = max(now, paused, resumed, ends)
  for o = 0, 6 * n - 6, 6 do keeps = max(keeps, u[o + 3] + u[o + 2] / u[o + 1]) end
  -- Limits that were changed are kept for a day.
  local px = ceil((keeps - now) / 1000) + 1000
  if version > 1 then px = max(px, 86400000) end`;

/** Gives the unit at `o` the limits `rate` and `capacity`. */
export const CHANGE_LIMIT = `-- The tokens that are there, or the debt, stay.
    local left = min(u[o + 2], capacity, (now - u[o + 3]) * u[o + 1])
    local empty = ceil(now - left / rate)
    local moved = empty - u[o + 3]
    u[o + 1], u[o + 2], u[o + 3], u[o + 4], u[o + 5] = rate, capacity, empty, u[o + 4] - moved, u[o + 5] + moved`;

/** Takes the ghosts out of the ledger. */
export const READ_GHOSTS = `local ghost, ghosts, ghostEnds = 0, 0, 0
  if who ~= '' then ghost, ghosts, ghostEnds = struct.unpack('<ddd', who) end`;

/** Begins a loop over the records of the processes: from `p` on is that of `other`, with its share and when this expires. */
export const EACH_RECORD = `for p = 25, #who, 20 do
    local other, part, expires = struct.unpack('<c8I4d', who, p)`;

/** Puts them back, with the records of the processes. */
export const LEDGER = `struct.pack('<ddd', ghost, ghosts, ghostEnds) .. table.concat(records)`;
