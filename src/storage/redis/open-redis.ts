import { RedisClient } from "bun";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { NoAnswer, ServerWatch } from "../../kit/outages/server-watch.ts";
import { redisError, redisLoginRefused, redisTimedOut, refusesLogin } from "./redis-error.ts";
import type { RedisScript } from "./redis-script.ts";

/** A server that answers nothing for so long hangs: it is probed in the background, and calls fail at once until it is back. */
const hangMs = 3_000;
/** Behind that limit, which comes first. */
const connectMs = hangMs + 500;

/**
 * A connection to a Redis server, made for the first command and again after it was lost. Every error is an AppError. A command is never
 * sent twice, because its effect before the connection was lost is unknown.
 */
export interface Redis {
  send(command: string, args: readonly string[]): Promise<unknown>;
  /** Runs a script; sends its text if the server does not know it yet. */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  close(): void;
}

export function openRedis(url: string, clock: Clock): Redis {
  const make = () =>
    new RedisClient(url, {
      connectionTimeout: connectMs,
      // Otherwise commands would queue during an outage, and run when no caller wants them any more.
      autoReconnect: false,
      enableOfflineQueue: false,
    });
  let client: RedisClient | undefined;
  let connecting: Promise<RedisClient> | undefined;
  let isClosed = false;
  const watch = new ServerWatch({ clock, hangMs, probe: () => probe(make(), clock) });
  watch.onLost(() => client?.close());

  const connected = (): Promise<RedisClient> | RedisClient => {
    if (isClosed) throw new AppError("unavailable", "storage_closed", "The Redis connection is closed.");
    if (client?.connected) return client;
    connecting ??= connect().finally(() => {
      connecting = undefined;
    });
    return connecting;
  };
  const connect = async () => {
    client?.close();
    const fresh = make();
    client = fresh;
    try {
      await watch.during(fresh.connect());
    } catch (thrown) {
      if (thrown instanceof NoAnswer) throw thrown;
      throw (await refusesLogin(url, clock)) ? redisLoginRefused() : thrown;
    }
    watch.heard();
    return fresh;
  };
  const asked = async (ask: (used: RedisClient) => Promise<unknown>): Promise<unknown> => {
    try {
      watch.admit();
      const used = await connected();
      const answer = await watch.during(ask(used));
      watch.heard();
      return answer;
    } catch (thrown) {
      if (isAnswer(thrown)) watch.heard();
      throw thrown instanceof NoAnswer ? redisTimedOut() : redisError(thrown);
    }
  };
  const send: Redis["send"] = (command, args) => asked((used) => used.send(command, args as string[]));

  return {
    send,
    run({ source, sha1 }, keys, args) {
      const rest = [String(keys.length), ...keys, ...args];
      return asked(async (used) => {
        try {
          return await used.send("EVALSHA", [sha1, ...rest]);
        } catch (thrown) {
          if (!(thrown instanceof Error && thrown.message.startsWith("NOSCRIPT"))) throw thrown;
          return used.send("EVAL", [source, ...rest]);
        }
      });
    },
    close() {
      isClosed = true;
      watch.close();
      client?.close();
    },
  };
}

/** Asks over a connection of its own; a refusal is an answer. */
async function probe(client: RedisClient, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<never>();
  const cancelTimer = clock.timer(hangMs, () => late.reject(new NoAnswer()));
  const asking = client.connect().then(() => client.send("PING", []));
  try {
    await Promise.race([asking.catch(rejectTimeouts), late.promise]);
  } finally {
    cancelTimer();
    client.close();
  }
}

function rejectTimeouts(thrown: unknown): void {
  if (codeOf(thrown) === "ERR_REDIS_CONNECTION_TIMEOUT") throw thrown;
}

/** Returns true if the server itself reported the error. */
const isAnswer = (thrown: unknown) => codeOf(thrown) === "ERR_REDIS_SERVER_ERROR";

const codeOf = (thrown: unknown) => (thrown as { code?: unknown } | undefined)?.code;
