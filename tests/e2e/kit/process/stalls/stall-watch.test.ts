import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

interface Program extends AsyncDisposable {
  /** The next line of stdout. */
  said(): Promise<string>;
  /** The next event of its log. */
  logged(): Promise<Record<string, unknown>>;
  line(): Promise<string>;
  stall(seconds: number, request?: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number>;
}

function start(folder: string, format = "json"): Program {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "stalled-program.ts"), folder, format], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const linesOf = (stream: ReadableStream) =>
    createInterface({ input: Readable.fromWeb(stream as never) })[Symbol.asyncIterator]();
  const [stdout, stderr] = [linesOf(child.stdout), linesOf(child.stderr)];
  const next = async (lines: AsyncIterator<string>) => (await lines.next()).value ?? "";
  return {
    said: () => next(stdout),
    logged: async () => JSON.parse(await next(stderr)),
    line: () => next(stderr),
    async stall(seconds, request = "GET http://127.0.0.1:8000/v1/agents") {
      child.stdin.write(`${seconds} ${request}\n`);
      child.stdin.flush();
      expect(await next(stdout)).toBe("stalls");
    },
    kill: (signal) => child.kill(signal),
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

describe.skipIf(process.platform !== "linux")("the watch of the main thread", () => {
  test("logs a stall with the last request while it lasts, and its end", async () => {
    using folder = temporaryFolder();
    await using program = start(folder.path);
    expect(await program.said()).toBe("ready");
    expect(readdirSync(folder.path)).toEqual([]);
    await program.stall(
      6,
      "POST http://127.0.0.1:8000/hook/bot7:AAE/x/secret-of-more-than-24-letters/run?token=t",
    );
    const events = [await program.logged(), await program.logged(), await program.logged()];
    expect(events).toMatchObject([
      { level: "error", event: "process.stalled", seconds: 2, last_request: "POST /hook/*/x/*/run" },
      { level: "error", event: "process.stalled", seconds: 4, cpu_ms: expect.any(Number) },
      { level: "error", event: "process.stall_ended", seconds: expect.any(Number) },
    ]);
    expect(Date.parse(String(events[0]?.time))).toBeGreaterThan(0);
  });

  test("a stalled process ends after SIGTERM with status 130", async () => {
    using folder = temporaryFolder();
    await using program = start(folder.path);
    await program.said();
    await program.stall(60);
    program.kill("SIGTERM");
    expect(await program.exited).toBe(130);
    expect((await program.logged()).event).toBe("process.stalled");
  });

  test("a second signal ends a stalled process that has not been silent for long", async () => {
    using folder = temporaryFolder();
    await using program = start(folder.path, "text");
    await program.said();
    await program.stall(60);
    program.kill("SIGTERM");
    program.kill("SIGTERM");
    expect(await program.exited).toBe(130);
  });

  test("with the format text, the line is text", async () => {
    using folder = temporaryFolder();
    await using program = start(folder.path, "text");
    await program.said();
    await program.stall(60);
    expect(await program.line()).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z error {3}process\.stalled seconds=2 cpu_ms=\d+ last_request="GET \/v1\/agents"$/,
    );
  });

  test("without a stall, SIGTERM reaches the program as before", async () => {
    using folder = temporaryFolder();
    await using program = start(folder.path);
    await program.said();
    program.kill("SIGTERM");
    expect(await program.said()).toBe("asked to stop");
    expect(await program.exited).toBe(0);
  });
});
