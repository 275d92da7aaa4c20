import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { descriptorShortage } from "../../kit/process/descriptor-shortage.ts";
import { DatabaseFault } from "../database-error.ts";

/** Errors of a server that cannot serve now: it is starting, is full, cannot write its disk, or follows another one. */
const notNow = /^(LOADING|BUSY|OOM|MISCONF|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|UNKILLABLE)\b/;
const loginRefused = /^(NOAUTH|WRONGPASS|NOPERM|ERR (AUTH|invalid password|Client sent AUTH))/;
const otherNode = /^(MOVED|ASK|CROSSSLOT)\b/;

/**
 * Converts an error of a command or a connection to an AppError: `storage_unavailable`, `storage_login_refused`, otherwise `internal`. It
 * contains nothing of the command.
 */
export function redisError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const shortage = descriptorShortage(thrown);
  if (shortage !== undefined) return shortage;
  const { code = "", message = "" } = thrown as { code?: string; message?: string };
  const [word = ""] = message.split(" ");
  const cause = new DatabaseFault(code || "REDIS", /^[A-Z]+$/.test(word) ? word : undefined);
  if (message.startsWith("ERR DB index"))
    return unavailable("The Redis server has no database of that number.", cause);
  if (code !== "ERR_REDIS_SERVER_ERROR") {
    return unavailable("The Redis server can't be reached at the moment; try again.", cause);
  }
  if (loginRefused.test(message)) return redisLoginRefused(cause);
  if (notNow.test(message))
    return unavailable("The Redis server can't read or write at the moment; try again.", cause);
  if (otherNode.test(message))
    return unavailable("The Redis server is a node of a cluster, which is not supported.", cause);
  return new AppError("internal", "internal", "Something went wrong on our side.", { cause });
}

/** The error for a server that does not answer in time. */
export const redisTimedOut = (): AppError =>
  unavailable("The Redis server does not answer at the moment; try again.");

/** The error for a server that ends a connection because of its login. */
export const redisLoginRefused = (cause: unknown = new DatabaseFault("REDIS_LOGIN", undefined)): AppError =>
  new AppError(
    "unavailable",
    "storage_login_refused",
    "The Redis server refused the login; check user and password of its address.",
    { cause },
  );

const unavailable = (message: string, cause?: unknown) =>
  new AppError("unavailable", "storage_unavailable", message, { cause });

/** Time limit for the check, in addition to that of the failed connection. */
const askMs = 1_000;

/** Returns true if the server refuses the login of this address. Bun's client reports only that the connection ended. */
export async function refusesLogin(url: string, clock: Clock): Promise<boolean> {
  const { hostname, port, username, password } = new URL(url);
  const login = [username, password].map(decodeURIComponent).filter((part) => part !== "");
  const words = login.length === 0 ? ["PING"] : ["AUTH", ...login];
  const command = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("");
  const answer = Promise.withResolvers<string>();
  const give = (text: string) => answer.resolve(text);
  const cancelTimer = clock.timer(askMs, () => give(""));
  const socket = await Bun.connect({
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || 6379),
    socket: {
      open: (opened) => void opened.write(`*${words.length}\r\n${command}`),
      data: (_, bytes) => give(bytes.toString()),
      close: () => give(""),
      error: () => give(""),
    },
  }).catch(() => undefined);
  if (socket === undefined) give("");
  const text = await answer.promise;
  cancelTimer();
  socket?.end();
  return /^-(WRONGPASS|NOAUTH|NOPERM|ERR (AUTH|invalid password|Client sent AUTH))/.test(text);
}
