import type { Clock } from "../clock.ts";
import { splitLines } from "../text/split-lines.ts";
import { cpuTimeMs, limitedCommand, residentMemory } from "./limited-command.ts";

/** Only a child that hangs takes longer, however busy the machine is. */
const START_LIMIT_MS = 60_000;
/** An idle child is ended after this time. */
const IDLE_LIMIT_MS = 60_000;
const MEMORY_LOOK_MS = 50;
const LINE_BYTES_MAX = 128 * 1024 * 1024;

export interface LineProcessOptions<Request = never> {
  /** A program that writes an empty line when it is ready, and then a line of JSON for each line that it reads. */
  command: readonly string[];
  clock: Clock;
  /** Limits of the child's memory and address space. Its memory is checked while a request waits. */
  memory?: MemoryLimits;
  /** Writes the line of a request; `JSON.stringify` by default. */
  write?(request: Request): string | Promise<string>;
  /**
   * Returns the answer in a line of the child, or undefined if the line is not an answer, such as output that code in the child prints.
   * Absent: every line is an answer.
   */
  answerIn?: (line: string) => string | undefined;
  /** Limit for a line, in bytes (128 MiB by default). */
  lineBytesMax?: number;
}

export interface MemoryLimits {
  residentBytesMax: number;
  /** Below 4 GiB, Bun has no room to compile hot code and runs it ten times slower. */
  addressSpaceBytes: number;
  /** A child that holds more after an answer is replaced. */
  keptBytesMax?: number;
}

/** Time limit of an answer, and other reasons to end the wait. */
export interface AnswerLimits {
  timeLimitMs: number;
  /**
   * `clock` by default. `cpu`: the limit counts only the time in which the child computes, so that a busy machine fails no work; a child
   * that waits is ended after 20 times the limit. A system that doesn't report CPU time counts by the clock.
   */
  timeCounts?: "clock" | "cpu";
  signal?: AbortSignal;
  /**
   * The line that asks the child to stop when the signal aborts, and how long the child may take to stop. Absent: the child is killed at
   * once.
   */
  stop?: { line: string; graceMs: number };
}

/** The child took too long and was ended. */
export class TimeLimitPassed extends Error {}
/** The child took too much memory and was ended. */
export class MemoryLimitPassed extends Error {}
/** The child ended by itself, or something else ended it. */
export class ChildEnded extends Error {}
/** The child could not be started, or ended before it was ready. */
export class StartFailed extends Error {}

export interface LineProcess<Request, Answer> {
  /**
   * Returns the child's answer, one request at a time. The child's start does not count towards the time limit. `body` holds bytes that
   * follow the request's line. Rejects with StartFailed, TimeLimitPassed, MemoryLimitPassed, ChildEnded, the signal's reason, or another
   * error for an invalid answer. Then the child is ended, and the next request starts another.
   */
  ask(request: Request, limits: AnswerLimits, body?: Uint8Array): Promise<Answer>;
  /** True if a child runs that may keep state from earlier requests. */
  readonly isRunning: boolean;
  /** Ends the child. A running child keeps this process alive. */
  close(): void;
}

/**
 * Runs one child process, without any environment variables, for work that only a kill can stop reliably. The child starts with the first
 * request and ends after a minute without one.
 */
export function createLineProcess<Request, Answer>(
  options: LineProcessOptions<Request>,
): LineProcess<Request, Answer> {
  const { clock, write = (request: Request) => JSON.stringify(request) } = options;
  let child: Child | undefined;
  let cancelIdle = () => {};

  const stop = () => {
    cancelIdle();
    child?.kill();
    child = undefined;
  };

  return {
    get isRunning() {
      return child !== undefined;
    },
    async ask(request, limits, body) {
      cancelIdle();
      try {
        child ??= await startChild(options);
        const written = write(request);
        const line = typeof written === "string" ? written : await written;
        const answer: Answer = JSON.parse(await child.ask(line, limits, body));
        cancelIdle = clock.timer(IDLE_LIMIT_MS, stop);
        if (await child.holdsTooMuch()) stop();
        return answer;
      } catch (thrown) {
        stop();
        throw thrown;
      }
    },
    close: stop,
  };
}

interface Child {
  ask(line: string, limits: AnswerLimits, body: Uint8Array | undefined): Promise<string>;
  holdsTooMuch(): Promise<boolean>;
  kill(): void;
}

async function startChild({
  command,
  clock,
  memory,
  answerIn = (line) => line,
  lineBytesMax = LINE_BYTES_MAX,
}: Omit<LineProcessOptions, "write">): Promise<Child> {
  const limited = memory && limitedCommand(command, process.pid, memory.addressSpaceBytes);
  const child = spawn(limited ?? [...command]);
  const lines = splitLines(child.stdout, lineBytesMax);
  const kill = () => child.kill("SIGKILL");

  const nextLine = async (
    timeLimitMs: number,
    read: (line: string) => string | undefined,
    ends: Promise<never>[] = [],
    timeCounts: AnswerLimits["timeCounts"] = "clock",
  ): Promise<string> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const onLate = () => reject(new TimeLimitPassed());
    const cancel =
      timeCounts === "cpu"
        ? watchCpuTime(child.pid, clock, timeLimitMs, onLate)
        : clock.timer(timeLimitMs, onLate);
    try {
      for (;;) {
        const { value, done } = await Promise.race([lines.next(), late, ...ends]);
        if (done) throw new ChildEnded("the child ended");
        const answer = read(value);
        if (answer !== undefined) return answer;
      }
    } finally {
      cancel();
    }
  };

  try {
    await nextLine(START_LIMIT_MS, (line) => line);
  } catch (cause) {
    kill();
    throw new StartFailed("the child did not start", { cause });
  }
  return {
    async ask(line, { timeLimitMs, timeCounts, signal, stop }, body) {
      const { promise: ended, reject } = Promise.withResolvers<never>();
      // The child may end after the answer, when no caller waits any more.
      ended.catch(() => {});
      let cancelGrace = () => {};
      const onAbort = () => {
        if (stop === undefined) return reject(signal?.reason);
        cancelGrace = clock.timer(stop.graceMs, () => reject(signal?.reason));
        try {
          send(child.stdin, stop.line, undefined);
        } catch (thrown) {
          reject(thrown);
        }
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", onAbort);
      const endWatch = memory
        ? watchMemory(child.pid, clock, memory.residentBytesMax, () => reject(new MemoryLimitPassed()))
        : () => {};
      try {
        send(child.stdin, line, body);
        return await nextLine(timeLimitMs, answerIn, [ended], timeCounts);
      } finally {
        endWatch();
        cancelGrace();
        signal?.removeEventListener("abort", onAbort);
      }
    },
    async holdsTooMuch() {
      if (memory?.keptBytesMax === undefined) return false;
      return ((await residentMemory(child.pid)) ?? 0) > memory.keptBytesMax;
    },
    kill,
  };
}

function spawn(command: string[]) {
  try {
    return Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "ignore", env: {}, cwd: "/" });
  } catch (cause) {
    throw new StartFailed("the child could not be started", { cause });
  }
}

function send(stdin: Bun.FileSink, line: string, body: Uint8Array | undefined): void {
  try {
    const writes = [stdin.write(`${line}\n`), body === undefined ? 0 : stdin.write(body), stdin.flush()];
    // Each may be a promise. If the child ends before it has read everything, its end is reported instead.
    void Promise.allSettled(writes);
  } catch (cause) {
    throw new ChildEnded("the child ended", { cause });
  }
}

/** A child that computes less than a twentieth of the time waits for something. */
const waitingFactor = 20;

/** Calls `onLate` when the process has computed for `limitMs` from now on. */
function watchCpuTime(pid: number, clock: Clock, limitMs: number, onLate: () => void): () => void {
  const begunMs = cpuTimeMs(pid);
  let waitedMs = 0;
  let cancel = () => {};
  const look = (afterMs: number) => {
    cancel = clock.timer(afterMs, () => {
      waitedMs += afterMs;
      const nowMs = cpuTimeMs(pid);
      const isMeasured = begunMs !== undefined && nowMs !== undefined;
      const leftMs = isMeasured ? limitMs - (nowMs - begunMs) : 0;
      if (leftMs <= 0 || waitedMs >= limitMs * waitingFactor) onLate();
      else look(Math.max(leftMs, limitMs / 10));
    });
  };
  look(limitMs);
  return () => cancel();
}

/** Checks the memory of a process repeatedly until the returned function is called. */
function watchMemory(pid: number, clock: Clock, bytesMax: number, onTooMuch: () => void): () => void {
  let cancel = () => {};
  let ended = false;
  const look = async () => {
    const bytes = await residentMemory(pid);
    if (ended) return;
    if (bytes !== undefined && bytes > bytesMax) onTooMuch();
    else again();
  };
  const again = () => {
    cancel = clock.timer(MEMORY_LOOK_MS, () => void look());
  };
  again();
  return () => {
    ended = true;
    cancel();
  };
}
