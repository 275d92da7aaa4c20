import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { type Clock, sleep, systemClock } from "../../../../kit/clock.ts";
import { splitLines } from "../../../../kit/text/split-lines.ts";
import { openSystemCalls, processesBelow, type SystemCalls } from "./process-tree.ts";
import { endings, lifelineDescriptor, type ServerOrder } from "./server-order.ts";

const descriptorsMax = 4096;
const processesMax = 256;
const lookEveryMs = 250;
/** Time for a server to exit after its input has ended, and after SIGTERM. */
const leaveMs = 1000;
const termMs = 2000;
const orderCharsMax = 4 * 1024 * 1024;

/**
 * The process between the daemon and one MCP server. It starts the server in its own group and ends it with all descendants as soon as the
 * lifeline closes, which also happens if the daemon is killed. The server uses the daemon's pipes directly for input and output.
 */
export async function superviseServer(): Promise<void> {
  // Signals to the group are meant for the server; this process ends last.
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

/** Returns the exit status for too much memory or too many processes, once a limit is exceeded. */
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

/** Asks all descendants to end and kills them after `graceMs`; then reaps them. */
async function endEverything(
  server: number,
  graceMs: number,
  { system, clock }: { system: SystemCalls; clock: Clock },
): Promise<void> {
  const askedAtMs = clock.monotonicMs();
  if (graceMs > 0) signalAll("SIGTERM");
  while (living().length > 0 && clock.monotonicMs() - askedAtMs < graceMs) await sleep(clock, 20);
  // A process may start another while it is being killed.
  while (signalAll("SIGKILL") > 0) await sleep(clock, 5);
  for (const { pid } of processesBelow(process.pid)) if (pid !== server) system.reap(pid);
  // Other systems only have the group, which includes this process.
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
      // The process has already ended.
    }
  }
  return processes.length;
}

async function endOf(lifeline: AsyncGenerator<string>): Promise<void> {
  try {
    while (!(await lifeline.next()).done);
  } catch {
    // After any error the lifeline counts as closed.
  }
}

function statusOf({ exitCode, signalCode }: Bun.Subprocess): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return exitCode ?? 128 + (numbers[String(signalCode)] ?? 9);
}

/** If the machine runs out of memory, the server should be killed before the daemon. */
function offerToMemoryKiller(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not available or not permitted.
  }
}
