import { redisScript } from "../../../../../storage/redis/redis-script.ts";

/*
 * Each change of a session is one script, which the server runs atomically. KEYS are always the session's turns, the session and the index;
 * ARGV[1] is the session id. Instants are milliseconds passed as strings, because Lua writes large numbers with an exponent.
 */

/** `id, life, first, last, forget up to or "", ttl or "", maximum number of turns, turns…`; returns the position of the last turn. */
export const appendTurns = redisScript(`
local turns, session, index = KEYS[1], KEYS[2], KEYS[3]
local last = redis.call('HGET', session, 'last_at')
if last and ARGV[5] ~= '' and tonumber(last) <= tonumber(ARGV[5]) then
  redis.call('DEL', turns, session)
  last = false
end
if not last then
  redis.call('DEL', turns, session)
  redis.call('HSET', session, 'life', ARGV[2], 'first_at', ARGV[3])
end
local tokens = 0
for at = 8, #ARGV do
  redis.call('RPUSH', turns, ARGV[at])
  tokens = tokens + tonumber(string.match(ARGV[at], '^%-?%d+'))
end
local over = redis.call('LLEN', turns) - tonumber(ARGV[7])
if over > 0 then
  for _, turn in ipairs(redis.call('LRANGE', turns, 0, over - 1)) do
    tokens = tokens - tonumber(string.match(turn, '^%-?%d+'))
  end
  redis.call('LTRIM', turns, over, -1)
end
redis.call('HSET', session, 'last_at', ARGV[4])
redis.call('HINCRBY', session, 'tokens', string.format('%.0f', tokens))
redis.call('ZADD', index, ARGV[4], ARGV[1])
if ARGV[6] ~= '' then
  redis.call('PEXPIRE', turns, ARGV[6])
  redis.call('PEXPIRE', session, ARGV[6])
else
  redis.call('PERSIST', turns)
  redis.call('PERSIST', session)
end
return redis.call('HINCRBY', session, 'last_seq', #ARGV - 7)
`);

/** `id`; returns the number of deleted turns. */
export const clearSession = redisScript(`
local count = redis.call('LLEN', KEYS[1])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
return count
`);

/** `id, up to`: deletes the session and returns 1, or returns 0 if it has continued since. */
export const forgetSession = redisScript(`
local last = redis.call('HGET', KEYS[2], 'last_at')
if last and tonumber(last) > tonumber(ARGV[2]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
`);

/** `id`: removes an expired session from the index. */
export const dropFromIndex = redisScript(`
if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[3], ARGV[1]) end
return 0
`);

/** `id, limit, before or ""`: returns the position of the first turn returned, and the last `limit` turns before `before`. */
export const turnsBefore = redisScript(`
local last = tonumber(redis.call('HGET', KEYS[2], 'last_seq') or '0')
local length = redis.call('LLEN', KEYS[1])
local stop = length - 1
if ARGV[3] ~= '' then stop = math.min(stop, length - 1 - (last - tonumber(ARGV[3]) + 1)) end
if stop < 0 then return {0} end
local start = math.max(0, stop - tonumber(ARGV[2]) + 1)
local found = redis.call('LRANGE', KEYS[1], start, stop)
table.insert(found, 1, last - length + 1 + start)
return found
`);

/** `id, limit, after`: returns the same for the first `limit` turns after a position. */
export const turnsAfter = redisScript(`
local last = tonumber(redis.call('HGET', KEYS[2], 'last_seq') or '0')
local length = redis.call('LLEN', KEYS[1])
local start = math.max(0, length - (last - tonumber(ARGV[3])))
if start >= length then return {0} end
local found = redis.call('LRANGE', KEYS[1], start, start + tonumber(ARGV[2]) - 1)
table.insert(found, 1, last - length + 1 + start)
return found
`);

/** `id, now, until`: claims a session; returns the values that the summarizer continues from, or nothing. */
export const claimSession = redisScript(`
local life, last, up_to, text, claimed = unpack(redis.call('HMGET', KEYS[2], 'life', 'last_seq', 'summary_up_to', 'summary', 'claimed_until'))
if not life then return false end
if claimed and tonumber(claimed) > tonumber(ARGV[2]) then return false end
redis.call('HSET', KEYS[2], 'claimed_until', ARGV[3])
return {life, last, up_to or '0', text or ''}
`);

/** `id, life, position before, position, text, tokens, at`; returns 1 if the summary was saved. */
export const saveSummary = redisScript(`
local life, up_to = unpack(redis.call('HMGET', KEYS[2], 'life', 'summary_up_to'))
if life ~= ARGV[2] or (up_to or '0') ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[2], 'summary_up_to', ARGV[4], 'summary', ARGV[5], 'summary_tokens', ARGV[6], 'summary_at', ARGV[7])
return 1
`);

/** `id, life, until`: releases the claim. */
export const releaseSession = redisScript(`
local life, claimed = unpack(redis.call('HMGET', KEYS[2], 'life', 'claimed_until'))
if life == ARGV[2] and claimed == ARGV[3] then redis.call('HDEL', KEYS[2], 'claimed_until') end
return 0
`);
