import { RedisClient } from "bun";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { redisError, redisLoginRefused, redisTimedOut } from "./redis-error.ts";
import type { RedisScript } from "./redis-script.ts";
import { refusesLogin } from "./refused-login.ts";

/** Time limit of one command; a slower server counts as gone. */
const commandMs = 3_000;
const connectMs = 2_000;

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
    await within(connectMs, fresh, async () => {
      try {
        await fresh.connect();
      } catch (thrown) {
        throw (await refusesLogin(url, clock)) ? redisLoginRefused() : thrown;
      }
    });
    return fresh;
  };
  const within = async <T>(ms: number, used: RedisClient, work: () => Promise<T>): Promise<T> => {
    const late = Promise.withResolvers<never>();
    const cancelTimer = clock.timer(ms, () => {
      late.reject(redisTimedOut());
      // If the server hangs, the next command uses a new connection.
      used.close();
    });
    try {
      return await Promise.race([work(), late.promise]);
    } catch (thrown) {
      throw redisError(thrown);
    } finally {
      cancelTimer();
    }
  };
  const send: Redis["send"] = async (command, args) => {
    const used = await connected();
    return within(commandMs, used, () => used.send(command, args as string[]));
  };

  return {
    send,
    async run({ source, sha1 }, keys, args) {
      const rest = [String(keys.length), ...keys, ...args];
      const used = await connected();
      return within(commandMs, used, async () => {
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
      client?.close();
    },
  };
}
