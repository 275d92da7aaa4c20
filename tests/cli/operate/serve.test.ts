import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { runCommandLine } from "../../../src/cli/command-line.ts";
import type { CommandLogger, Parts } from "../../../src/command/parts.ts";
import type { ConfigFlags } from "../../../src/compose/settings/config.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { LogRing } from "../../../src/kit/log-ring.ts";
import { configWith, recordingShell, say } from "../recording-shell.ts";

/** Parts that pretend to start a server, and record the order of events. */
function serving(events: string[], asked: ConfigFlags[] = []): Partial<Parts> {
  const log: CommandLogger = {
    ...silentLogger,
    ring: new LogRing(),
    flush: () => void events.push("flushed"),
  };
  return {
    loadConfig: async (flags) => {
      asked.push(flags);
      return configWith({});
    },
    createLogger: async () => log,
    start: async () => {
      events.push("started");
      return {
        services: [{ name: "daemon", url: "http://127.0.0.1:8000" }],
        consoleLink: () => "http://127.0.0.1:8000/#open=once",
        runs: () => 1,
        stop: async () => void events.push("stopped"),
      };
    },
  };
}

test("the first signal stops it gracefully, with exit code 0", async () => {
  const events: string[] = [];
  const said = await say(["serve", "--json"], {
    parts: serving(events),
    onSignalReady: (signal) => queueMicrotask(signal),
  });
  expect(said).toEqual({
    code: 0,
    stdout: '{"services":[{"name":"daemon","url":"http://127.0.0.1:8000"}]}\n',
    stderr: "",
  });
  expect(events).toEqual(["started", "stopped", "flushed"]);
});

test("a second signal ends the process at once", async () => {
  let signal = () => {};
  const { shell } = recordingShell({
    parts: {
      ...serving([]),
      start: async () => ({
        services: [],
        consoleLink: () => undefined,
        runs: () => 0,
        // Never ends: a run that does not stop.
        stop: () => {
          queueMicrotask(() => signal());
          return new Promise(() => {});
        },
      }),
    },
    onSignalReady(received) {
      signal = received;
      queueMicrotask(received);
    },
  });
  const code = await new Promise((resolve) => {
    shell.exitNow = resolve;
    void runCommandLine(["serve"], shell);
  });
  expect(code).toBe(130);
});

test("every flag reaches the configuration", async () => {
  const asked: ConfigFlags[] = [];
  const flags = ["--port", "0", "--host", "::1", "--services", "daemon", "--insecure-open", "--rehearse"];
  await say(["serve", ...flags, "--log-level", "error", "--data", "d"], {
    parts: serving([], asked),
    onSignalReady: (signal) => queueMicrotask(signal),
  });
  expect(asked).toEqual([
    {
      port: "0",
      host: "::1",
      services: "daemon",
      insecureOpen: true,
      rehearse: true,
      logLevel: "error",
      data: "d",
    },
  ]);
});

test("a start that is refused says why", async () => {
  const refusal = new AppError("conflict", "port_taken", "Port 8000 is taken.");
  const parts = { ...serving([]), start: () => Promise.reject(refusal) };
  expect(await say(["serve"], { parts })).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: Port 8000 is taken.\n",
  });
});

test("a link to the console is for who reads along, never for a log", async () => {
  const ready = { parts: serving([]), onSignalReady: (signal: () => void) => queueMicrotask(signal) };
  const link = "http://127.0.0.1:8000/#open=once";
  expect((await say(["serve"], { ...ready, terminal: true })).stderr).toContain(link);
  for (const args of [["serve"], ["serve", "--json"]]) {
    const { stdout, stderr } = await say(args, ready);
    expect(stdout + stderr).not.toContain("#open=");
  }
});

test("--stop-with-stdin stops it gracefully when standard input ends, and ignores what was typed", async () => {
  const events: string[] = [];
  const stdin = new PassThrough();
  const parts = serving(events);
  const said = await say(["serve", "--json", "--stop-with-stdin"], {
    stdin,
    parts: {
      ...parts,
      start: async (config, log) => {
        stdin.end("stop\n");
        return (parts.start as Parts["start"])(config, log);
      },
    },
  });
  expect([said.code, events]).toEqual([0, ["started", "stopped", "flushed"]]);
});

test("a person reads the log as lines of text, and what the stop waits for; a pipe gets neither", async () => {
  const parts: Partial<Parts> = {
    ...serving([]),
    createLogger: async (_config, show) => {
      show?.(
        '{"level":"info","time":"2026-01-01T00:00:00.000Z","event":"service.listening","service":"daemon"}',
      );
      return { ...silentLogger, ring: new LogRing(), flush: () => undefined };
    },
  };
  const onSignalReady = (signal: () => void) => queueMicrotask(signal);
  const { stderr } = await say(["serve", "--no-color"], { parts, onSignalReady, terminal: true });
  expect(stderr).toContain('2026-01-01T00:00:00.000Z info service.listening {"service":"daemon"}\n');
  expect(stderr).toContain("Waiting for 1 run, 10 seconds at most.");
  expect((await say(["serve"], { parts, onSignalReady })).stderr).toBe("");
  const asJson = await say(["serve", "--json"], { parts, onSignalReady, terminal: true });
  expect(asJson.stderr).not.toContain("2026-01-01");
});
