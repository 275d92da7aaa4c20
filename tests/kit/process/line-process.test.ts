import { afterEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { serialQueue } from "../../../src/kit/concurrency/serial-queue.ts";
import {
  ChildEnded,
  createLineProcess,
  type LineProcess,
  type LineProcessOptions,
  MemoryLimitPassed,
  StartFailed,
  TimeLimitPassed,
} from "../../../src/kit/process/line-process.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const MIB = 1024 * 1024;
const isLinux = process.platform === "linux";

/** Echoes its input with its own number; `hang`, `wait`, `die` and `grow` take effect first. */
const program = `
  const kept = [];
  process.stdout.write("\\n");
  for await (const line of console) {
    const request = JSON.parse(line);
    if (request.do === "hang") for (;;);
    if (request.do === "wait") await new Promise((done) => setTimeout(done, 3_600_000));
    if (request.do === "die") process.exit(3);
    if (request.do === "nonsense") { process.stdout.write("nonsense\\n"); continue; }
    if (request.do === "grow") for (let i = 0; i < request.mib; i++) kept.push(Buffer.alloc(1048576, 1));
    process.stdout.write(JSON.stringify({ said: request.say, pid: process.pid, home: process.env.HOME ?? null }) + "\\n");
  }`;
interface Request {
  say?: string;
  do?: string;
  mib?: number;
}
interface Answer {
  said: string;
  pid: number;
  home: string | null;
}

const opened: LineProcess<Request, Answer>[] = [];
afterEach(() => {
  for (const child of opened.splice(0)) child.close();
});

function open(options: Partial<LineProcessOptions> = {}): LineProcess<Request, Answer> {
  const command = [process.execPath, "-e", program];
  const child = createLineProcess<Request, Answer>({ command, clock: systemClock, ...options });
  opened.push(child);
  return child;
}

const limits = { timeLimitMs: 10_000 };
const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (thrown) => thrown,
  );

test("one child answers one request after the other, without an environment", async () => {
  const child = open();
  const first = await child.ask({ say: "one" }, limits);
  expect(first).toMatchObject({ said: "one", home: null });
  const long = "ü".repeat(3_000_000);
  expect(await child.ask({ say: long }, limits)).toEqual({ ...first, said: long });
});

test.each([
  ["ends", { do: "die" }, ChildEnded],
  ["says nonsense", { do: "nonsense" }, SyntaxError],
])("a child that %s fails its request, and the next has another", async (_, request, fault) => {
  const child = open();
  const { pid } = await child.ask({}, limits);
  expect(await failure(child.ask(request, limits))).toBeInstanceOf(fault);
  expect((await child.ask({}, limits)).pid).not.toBe(pid);
});

test("a child that takes too long is ended", async () => {
  const clock = new FakeClock();
  const child = open({ clock });
  const { pid } = await child.ask({}, limits);
  const late = failure(child.ask({ do: "hang" }, { timeLimitMs: 500 }));
  await clock.advance(500);
  expect(await late).toBeInstanceOf(TimeLimitPassed);
  expect((await child.ask({}, limits)).pid).not.toBe(pid);
});

test.skipIf(!isLinux)("time that counts by CPU lets a child wait for twenty times its limit", async () => {
  const clock = new FakeClock();
  const child = open({ clock });
  const { pid } = await child.ask({}, limits);
  const late = failure(child.ask({ do: "wait" }, { timeLimitMs: 500, timeCounts: "cpu" }));
  await clock.advance(500 * 19);
  expect(await Promise.race([late, Promise.resolve("waits")])).toBe("waits");
  await clock.advance(500 * 2);
  expect(await late).toBeInstanceOf(TimeLimitPassed);
  expect((await child.ask({}, limits)).pid).not.toBe(pid);
});

test.skipIf(!isLinux)("time that counts by CPU ends a child that computes", async () => {
  const child = open();
  const busy = failure(child.ask({ do: "hang" }, { timeLimitMs: 50, timeCounts: "cpu" }));
  expect(await busy).toBeInstanceOf(TimeLimitPassed);
});

test("a request that is aborted ends the child", async () => {
  const child = open();
  const { pid } = await child.ask({}, limits);
  const call = new AbortController();
  const aborted = failure(child.ask({ do: "hang" }, { ...limits, signal: call.signal }));
  const reason = new Error("gone");
  call.abort(reason);
  expect(await aborted).toBe(reason);
  expect((await child.ask({}, limits)).pid).not.toBe(pid);
});

test.skipIf(!isLinux)("a child that takes more memory than it may is ended", async () => {
  const child = open({ memory: { residentBytesMax: 200 * MIB, addressSpaceBytes: 4096 * MIB } });
  const grown = await failure(child.ask({ do: "grow", mib: 100_000 }, limits));
  expect(grown).toBeInstanceOf(MemoryLimitPassed);
});

test.skipIf(!isLinux)("a child that keeps much makes way when it has answered", async () => {
  const memory = { residentBytesMax: 600 * MIB, addressSpaceBytes: 4096 * MIB, keptBytesMax: 200 * MIB };
  const child = open({ memory });
  const { pid } = await child.ask({ say: "small" }, limits);
  expect((await child.ask({ do: "grow", mib: 200 }, limits)).pid).toBe(pid);
  expect((await child.ask({}, limits)).pid).not.toBe(pid);
});

test("an idle child ends after a minute", async () => {
  const clock = new FakeClock();
  const child = open({ clock });
  const { pid } = await child.ask({}, limits);
  await clock.advance(59_999);
  expect((await child.ask({}, limits)).pid).toBe(pid);
  await clock.advance(60_000);
  expect((await child.ask({}, limits)).pid).not.toBe(pid);
});

test.each([
  ["is not there", ["/nonexistent/program"]],
  ["ends before it is ready", [process.execPath, "-e", "process.exit(1)"]],
])("a program that %s did not start", async (_, command) => {
  expect(await failure(open({ command }).ask({}, limits))).toBeInstanceOf(StartFailed);
});

test("tasks in turn keep their order, and one that fails does not hold up the next", async () => {
  const turn = serialQueue();
  const done: number[] = [];
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const first = turn(async () => {
    await gate;
    done.push(1);
  });
  const second = failure(turn(() => Promise.reject(new Error("second"))));
  const third = turn(async () => void done.push(3));
  expect(done).toEqual([]);
  resolve();
  await Promise.all([first, third]);
  expect(await second).toEqual(new Error("second"));
  expect(done).toEqual([1, 3]);
});

describe("a child that is asked to stop", () => {
  /** Prints other lines between its answers, and answers `wait` when it is asked to stop. */
  const polite = `
    process.stdout.write("\\n");
    for await (const line of console) {
      const request = JSON.parse(line);
      process.stdout.write("printed\\n");
      if (request.do === "wait") continue;
      process.stdout.write("> " + JSON.stringify({ said: request.do ?? request.say, pid: process.pid }) + "\\n");
    }`;
  const answerIn = (line: string) => (line.startsWith("> ") ? line.slice(2) : undefined);
  const stop = { line: JSON.stringify({ do: "stop" }), graceMs: 1000 };
  const command = [process.execPath, "-e", polite];

  test("and answers in time lives on; what it prints is not taken for an answer", async () => {
    const child = open({ command, answerIn, clock: new FakeClock() });
    const { pid } = await child.ask({ say: "a" }, limits);
    const stopping = new AbortController();
    const asked = child.ask({ do: "wait" }, { ...limits, signal: stopping.signal, stop });
    stopping.abort(new Error("enough"));
    expect((await asked).said).toBe("stop");
    expect((await child.ask({ say: "b" }, limits)).pid).toBe(pid);
  });

  test("and does not, is killed when its time is over", async () => {
    const clock = new FakeClock();
    const child = open({ clock });
    const { pid } = await child.ask({ say: "a" }, limits);
    const stopping = new AbortController();
    const asked = failure(child.ask({ do: "hang" }, { ...limits, signal: stopping.signal, stop }));
    stopping.abort(new Error("enough"));
    await clock.advance(1000);
    expect((await asked)?.message).toBe("enough");
    expect((await child.ask({ say: "b" }, limits)).pid).not.toBe(pid);
  });

  test("is not begun under a signal that has aborted", async () => {
    const child = open({ command, answerIn });
    expect(await failure(child.ask({ say: "a" }, { ...limits, signal: AbortSignal.abort("no"), stop }))).toBe(
      "no",
    );
  });
});
