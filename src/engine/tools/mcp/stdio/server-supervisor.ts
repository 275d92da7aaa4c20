import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { type Clock, sleep, systemClock } from "../../../../kit/clock.ts";
import { splitLines } from "../../../../kit/split-lines.ts";
import { processesBelow } from "./process-tree.ts";
import { endings, lifelineDescriptor, type ServerOrder } from "./server-order.ts";
import { openSystemCalls, type SystemCalls } from "./system-calls.ts";

const descriptorsMax = 4096;
const processesMax = 256;
const lookEveryMs = 250;
/** How long a server may take to leave once its input has ended, and once it was asked to. */
const leaveMs = 1000;
const termMs = 2000;
const orderCharsMax = 4 * 1024 * 1024;

/**
 * The process between the daemon and one MCP server: starts the server in its own group, and ends it with everything it
 * has started as soon as the lifeline closes, which also happens when the daemon is killed. The server's input and output
 * are the daemon's pipes themselves.
 */
export async function superviseServer(): Promise<void> {
  // Whoever ends the group means the server; this process ends last.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  const lifeline = splitLines(Bun.file(lifelineDescriptor).stream(), orderCharsMax);
  const first = await lifeline.next();
  if (first.done) process.exit(0);
  const order: ServerOrder = JSON.parse(first.value);
  const system = openSystemCalls();
  system.adoptOrphans();
  system.limitDescriptors(descriptorsMax);
  system.forbidCoreFiles();
  system.stepBack();
  offerToMemoryKiller();
  process.exit(await liveAndDie(order, lifeline, system, systemClock));
}

async function liveAndDie(
  { command, args, env, memoryBytesMax }: ServerOrder,
  lifeline: AsyncGenerator<string>,
  system: SystemCalls,
  clock: Clock,
): Promise<number> {
  const program = Bun.which(command, { PATH: env.PATH ?? "", cwd: process.cwd() });
  if (program === null) return endings.notFound;
  let server: Bun.Subprocess;
  try {
    server = Bun.spawn([program, ...args], { stdio: ["inherit", "inherit", "inherit"], env: { ...env } });
  } catch {
    return endings.notStarted;
  }
  const ended = server.exited.then(() => statusOf(server));
  const over = new AbortController();
  const limit = watchLimits(server.pid, memoryBytesMax, { system, clock, signal: over.signal });
  const cause = await Promise.race([
    ended.then((status) => ({ status, graceMs: termMs })),
    limit.then((status) => ({ status, graceMs: 0 })),
    endOf(lifeline).then(() => ({ status: 0, graceMs: termMs, mayLeave: true })),
  ]);
  over.abort();
  if ("mayLeave" in cause) await Promise.race([ended, sleep(clock, leaveMs)]);
  await endEverything(server.pid, cause.graceMs, { system, clock });
  return cause.status;
}

/** The status that tells of too much memory or too many processes, once there are. */
async function watchLimits(
  server: number,
  memoryBytesMax: number,
  { system, clock, signal }: { system: SystemCalls; clock: Clock; signal: AbortSignal },
): Promise<number> {
  while (!signal.aborted) {
    const tree = processesBelow(process.pid);
    const living = tree.filter(({ isZombie }) => !isZombie);
    if (living.length > processesMax) return endings.tooManyProcesses;
    const memoryBytes = living.reduce((sum, one) => sum + one.memoryBytes, 0);
    if (memoryBytes > memoryBytesMax) return endings.tooMuchMemory;
    for (const { pid, isZombie } of tree) if (isZombie && pid !== server) system.reap(pid);
    await sleep(clock, lookEveryMs, signal).catch(() => undefined);
  }
  return 0;
}

/** Asks all processes below to end, and after `graceMs` makes them; nothing of them is left, not even for others to reap. */
async function endEverything(
  server: number,
  graceMs: number,
  { system, clock }: { system: SystemCalls; clock: Clock },
): Promise<void> {
  const askedAtMs = clock.monotonicMs();
  if (graceMs > 0) signalAll("SIGTERM");
  while (living().length > 0 && clock.monotonicMs() - askedAtMs < graceMs) await sleep(clock, 20);
  // A process may start another while it is being ended.
  while (signalAll("SIGKILL") > 0) await sleep(clock, 5);
  for (const { pid } of processesBelow(process.pid)) if (pid !== server) system.reap(pid);
  // Elsewhere there is only the group to go by, and this process belongs to it.
  if (process.platform !== "linux") process.kill(0, "SIGKILL");
}

function living() {
  return processesBelow(process.pid).filter(({ isZombie }) => !isZombie);
}

function signalAll(signal: NodeJS.Signals): number {
  if (process.platform !== "linux" && signal === "SIGTERM") process.kill(0, signal);
  const processes = living();
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It is gone.
    }
  }
  return processes.length;
}

async function endOf(lifeline: AsyncGenerator<string>): Promise<void> {
  try {
    while (!(await lifeline.next()).done);
  } catch {
    // Whatever else befalls it, it is no lifeline any more.
  }
}

function statusOf({ exitCode, signalCode }: Bun.Subprocess): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return exitCode ?? 128 + (numbers[String(signalCode)] ?? 9);
}

/** Where the machine has no memory left, the server is to go before the daemon does. */
function offerToMemoryKiller(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // There is none, or it may not be chosen.
  }
}
