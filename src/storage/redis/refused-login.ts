import type { Clock } from "../../kit/clock.ts";

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
