/*
 * The keys of a store in Redis, each under the prefix of the store:
 *   entry:<name> the bytes of an entry, with an expiry where entries have one
 *   used sorted set of all names by last use, in milliseconds since 1970
 *   of:<group> hash of the entries of an image (or of all infos) to their sizes; the group and a
 *                 field of it make up a name
 *   bytes the sum of all sizes
 *   notes notes between servers
 * The scripts change them together. They build the keys of entries themselves, which a cluster
 * allows since all keys are in one slot.
 */

// Where the recorded size is lost, the length counts: a server that evicts keys may take any.
const prelude = `
local used, held, prefix = KEYS[1], KEYS[2], ARGV[1]
local function parts(name) return string.match(name, '^(.+)/([^/]+)$') end
local function size_of(name)
  local of, part = parts(name)
  local size = redis.call('HGET', prefix .. 'of:' .. of, part)
  if size then return tonumber(size) end
  if not redis.call('ZSCORE', used, name) then return 0 end
  return redis.call('STRLEN', prefix .. 'entry:' .. name)
end
local function drop(name)
  local of, part = parts(name)
  local size = size_of(name)
  redis.call('HDEL', prefix .. 'of:' .. of, part)
  redis.call('UNLINK', prefix .. 'entry:' .. name)
  return redis.call('ZREM', used, name), size
end
local function settle(entries, bytes)
  if redis.call('ZCARD', used) == 0 then redis.call('DEL', held)
  elseif bytes > 0 then redis.call('DECRBY', held, bytes) end
  return {entries, bytes}
end
`;

/** Accounts for an entry before its bytes are set: prefix, name, its size, now. */
export const note = `${prelude}
local name, size = ARGV[2], tonumber(ARGV[3])
local of, part = parts(name)
local before = size_of(name)
redis.call('HSET', prefix .. 'of:' .. of, part, size)
redis.call('INCRBY', held, size - before)
redis.call('ZADD', used, ARGV[4], name)
`;

/** Records a use: prefix, name, now, time to live in milliseconds or 0. */
export const touch = `${prelude}
if not redis.call('ZSCORE', used, ARGV[2]) then return 0 end
if ARGV[4] ~= '0' and redis.call('PEXPIRE', prefix .. 'entry:' .. ARGV[2], ARGV[4]) == 0 then return 0 end
redis.call('ZADD', used, ARGV[3], ARGV[2])
return 1
`;

/** Removes entries: prefix, names. Returns their number and bytes. */
export const forget = `${prelude}
local entries, bytes = 0, 0
for n = 2, #ARGV do
  local known, size = drop(ARGV[n])
  entries = entries + known
  bytes = bytes + size
end
return settle(entries, bytes)
`;

/**
 * Evicts the least recently used: prefix, the time before which all go or empty, maximum bytes and
 * entries or 0, how many to remove at once. Returns their number and bytes.
 */
export const trim = `${prelude}
local before, most_bytes, most_entries, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local entries, bytes = 0, 0
local all, sum = redis.call('ZCARD', used), tonumber(redis.call('GET', held) or 0)
local is_full = (most_bytes > 0 and sum > most_bytes) or (most_entries > 0 and all > most_entries)
local first = redis.call('ZRANGE', used, 0, 0, 'WITHSCORES')[2]
if not first or not (is_full or (before and tonumber(first) < before)) then return {0, 0} end
local oldest = redis.call('ZRANGE', used, 0, most - 1, 'WITHSCORES')
for n = 1, #oldest, 2 do
  local too_much = (most_bytes > 0 and sum - bytes > most_bytes)
    or (most_entries > 0 and all - entries > most_entries)
  local too_old = before and tonumber(oldest[n + 1]) < before
  if not (too_old or too_much) then break end
  local known, size = drop(oldest[n])
  entries = entries + 1
  bytes = bytes + size
end
return settle(entries, bytes)
`;

/** Removes the records of entries that the server itself evicted: prefix, names. As `forget`. */
export const removeEvictedRecords = `${prelude}
local entries, bytes = 0, 0
for n = 2, #ARGV do
  if redis.call('EXISTS', prefix .. 'entry:' .. ARGV[n]) == 0 then
    local known, size = drop(ARGV[n])
    entries = entries + known
    bytes = bytes + size
  end
end
return settle(entries, bytes)
`;

/** Counts existing entries among some: prefix, names. Returns their number and bytes. */
export const count = `${prelude}
local entries, bytes = 0, 0
for n = 2, #ARGV do
  if redis.call('ZSCORE', used, ARGV[n]) then
    entries = entries + 1
    bytes = bytes + size_of(ARGV[n])
  end
end
return {entries, bytes}
`;

/** Releases a lock: the key, the token it was taken with. */
export const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;
