/**
 * A process of its own that asks `/healthz` of servers every 20 ms, and prints a line of JSON for each line of its input: the
 * longest answer since the last one, by URL, and the most processor time that the main thread of the servers took during one
 * answer. On a busy machine only the latter says what the server itself did. Arguments: the servers' process id, then URLs.
 *
 * Linux only: the times of a thread come from /proc.
 */
import { readFileSync } from "node:fs";

const everyMs = 20;
const pid = process.argv[2];

/** Processor time of the server's main thread. */
function busyMs(): number {
  const [nanoseconds = "0"] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

interface Watched {
  url: string;
  longestMs: number;
  busiestMs: number;
  failures: number;
  /** When the answer that is waited for was asked for. */
  askedAtMs: number | undefined;
}

const watched = process.argv
  .slice(3)
  .map((url): Watched => ({ url, longestMs: 0, busiestMs: 0, failures: 0, askedAtMs: undefined }));

async function ask(server: Watched): Promise<void> {
  for (;;) {
    const askedAtMs = performance.now();
    const busyBefore = busyMs();
    server.askedAtMs = askedAtMs;
    try {
      const response = await fetch(`${server.url}/healthz`);
      await response.arrayBuffer();
      if (response.status !== 200) server.failures++;
    } catch {
      server.failures++;
    }
    server.askedAtMs = undefined;
    server.longestMs = Math.max(server.longestMs, performance.now() - askedAtMs);
    server.busiestMs = Math.max(server.busiestMs, busyMs() - busyBefore);
    await Bun.sleep(everyMs);
  }
}

for (const server of watched) void ask(server);

for await (const _ of console) {
  const now = performance.now();
  const answer = watched.map((server) => {
    const pendingMs = server.askedAtMs === undefined ? 0 : now - server.askedAtMs;
    const { longestMs, busiestMs, failures } = server;
    server.longestMs = 0;
    server.busiestMs = 0;
    server.failures = 0;
    return { longestMs: Math.max(longestMs, pendingMs), busiestMs, failures };
  });
  console.log(JSON.stringify(answer));
}
process.exit(0);
