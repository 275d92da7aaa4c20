/**
 * Measures the cost of the network guard: `bun scripts/bench/guarded-fetch.ts`. Plain and guarded requests to a public address, one after
 * the other and 50 at once; "in time" has a deadline, like every guarded request. The guard has no switch to allow loopback, so the script
 * moves into a network namespace of its own, in which a public address belongs to this machine. Linux allows that to root, and most systems
 * to other users too.
 */
import { spawnSync } from "node:child_process";
import { nothingOpened } from "../../src/engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../src/engine/tools/network/direct-connection.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { startDeadline } from "../../src/kit/deadline.ts";

const publicAddress = "11.0.0.1";
const port = 8080;
const goal = 1.3;
const inside = "inside";
const serving = "serving";

const requests = 2000;
const rounds = 7;
const bodyBytes = 2048;

if (process.argv[2] === serving) serve();
else if (process.argv[2] === inside) await measure();
else moveInside();

function moveInside(): void {
  const enter = `ip link set lo up && ip addr add ${publicAddress}/32 dev lo && exec "$@"`;
  const unshare = ["unshare", process.getuid?.() === 0 ? "-n" : "-rn", "sh", "-c", enter, "sh"];
  const [program = "", ...rest] = unshare;
  if (process.platform !== "linux" || spawnSync(program, [...rest, "true"]).status !== 0) {
    console.log("Not measured: this machine makes no network in which a public address could be its own.");
    return;
  }
  const { status } = spawnSync(program, [...rest, process.execPath, import.meta.path, inside], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}

function serve(): void {
  const body = "x".repeat(bodyBytes);
  Bun.serve({ port, hostname: publicAddress, fetch: () => new Response(body) });
  console.log("ready");
}

async function measure(): Promise<void> {
  const server = Bun.spawn([process.execPath, import.meta.path, serving], { stdout: "pipe" });
  await server.stdout.getReader().read();
  const network = createGuardedNetwork({
    connect: createDirectConnections(systemClock),
    resolve: async () => [publicAddress],
    clock: systemClock,
    opened: nothingOpened,
  });
  const { signal } = new AbortController();
  const plain = async () => (await fetch(`http://${publicAddress}:${port}/a`)).bytes();
  const inTime = async () => {
    const deadline = startDeadline(systemClock, 30_000, () => new AppError("timed_out", "late", "Late."), [
      signal,
    ]);
    const answer = await fetch(`http://${publicAddress}:${port}/a`, { signal: deadline.signal });
    const body = await answer.bytes();
    deadline.dispose();
    return body;
  };
  const guarded = (host: string) => async () => {
    const { body } = await network.request({
      url: `http://${host}:${port}/a`,
      method: "GET",
      timeoutMs: 30_000,
      bodyBytesMax: 5_242_880,
      whenLonger: "refuse",
      redirectsMax: 5,
      signal,
    });
    return body;
  };
  const ways = {
    plain,
    "plain, in time": inTime,
    "guarded, address": guarded(publicAddress),
    "guarded, name": guarded("bench.test"),
  };
  for (const atOnce of [1, 50]) {
    const times = await timesOf(ways, atOnce);
    const [base = 1] = Object.values(times);
    for (const [way, us] of Object.entries(times)) {
      const ratio = us / base;
      const verdict =
        way === "plain" ? "" : `  ${ratio.toFixed(2)}x  ${ratio <= goal ? "ok" : `over ${goal}x`}`;
      console.log(
        `${String(atOnce).padStart(2)} at once  ${way.padEnd(18)} ${us.toFixed(1)} µs a request${verdict}`,
      );
    }
  }
  server.kill();
}

/** Returns the microseconds per request, for each way the median of rounds that take turns. */
async function timesOf<Way extends string>(
  ways: Record<Way, () => Promise<Uint8Array>>,
  atOnce: number,
): Promise<Record<Way, number>> {
  const names = Object.keys(ways) as Way[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Way, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const startedNs = Bun.nanoseconds();
      for (let done = 0; done < requests; done += atOnce) {
        const bodies = await Promise.all(Array.from({ length: atOnce }, ways[name]));
        if (bodies.some(({ length }) => length !== bodyBytes)) throw new Error("a body is missing");
      }
      // The first round is a warm-up.
      if (round > 0) taken[name].push((Bun.nanoseconds() - startedNs) / 1000 / requests);
    }
  }
  const medians = names.map((name) => [name, taken[name].sort((a, b) => a - b)[Math.floor(rounds / 2)]]);
  return Object.fromEntries(medians) as Record<Way, number>;
}
