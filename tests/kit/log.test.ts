import { describe, expect, test } from "bun:test";
import { createLogger, type LoggerOptions } from "../../src/kit/log.ts";
import { SecretRegistry } from "../../src/kit/secrets/secret-registry.ts";
import corpus from "../corpora/secrets_redaction.json" with { type: "json" };
import { FakeClock } from "../support/fake-clock.ts";

function loggerInto(changes: Partial<LoggerOptions> = {}) {
  const writes: string[] = [];
  const clock = new FakeClock("2026-01-01T00:00:00.000Z");
  const secrets = new SecretRegistry();
  const write = (lines: string) => void writes.push(lines);
  const log = createLogger({ level: "info", format: "json", write, secrets, clock, ...changes });
  const lines = () => {
    log.flush();
    return writes.join("").split("\n").slice(0, -1);
  };
  return { log, clock, secrets, writes, lines };
}

describe("json", () => {
  test("one line per event with level, time, event and fields", () => {
    const { log, lines } = loggerInto({ level: "debug" });
    log.debug("a.debug");
    log.info("a.info", { agent: "weather", ms: 1.5 });
    log.warn("a.warning");
    log.error("an.error", { err: new Error("no") });
    const records = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.map(({ level, event }) => [level, event])).toEqual([
      ["debug", "a.debug"],
      ["info", "a.info"],
      ["warning", "a.warning"],
      ["error", "an.error"],
    ]);
    expect(records[1]).toEqual({
      level: "info",
      time: "2026-01-01T00:00:00.000Z",
      event: "a.info",
      agent: "weather",
      ms: 1.5,
    });
    expect(Object.keys(records[3] ?? {})).toEqual(["level", "time", "event", "err"]);
    expect(records[3]?.err).toEqual({
      type: "Error",
      message: "no",
      stack: expect.stringMatching(/^ {4}at /),
    });
  });

  test("events below the level are dropped", () => {
    const { log, lines } = loggerInto({ level: "warning" });
    log.debug("a");
    log.info("b");
    log.warn("c");
    expect(lines()).toHaveLength(1);
  });

  test("fields of with() are in each event; the event's own win, once", () => {
    const { log, lines } = loggerInto();
    log.with({ request: "r1", agent: "a" }).with({ run: "x" }).info("e", { agent: "b" });
    expect(lines()[0]).toBe(
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","event":"e","request":"r1","agent":"b","run":"x"}',
    );
  });

  test("a field can't pose as level, time or event", () => {
    const { log, lines } = loggerInto();
    log.info("e", { level: "error", time: 0, event: "forged" });
    expect(lines()[0]).toBe(
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","event":"e","level_":"error","time_":0,"event_":"forged"}',
    );
  });

  test("fields that can't be read don't disturb the caller", () => {
    const { log, lines } = loggerInto();
    log.info("e", {
      get boom(): string {
        throw new Error("boom");
      },
    });
    expect(JSON.parse(lines()[0] ?? "")).toMatchObject({ event: "e", fields: "[unreadable]" });
  });
});

test("text is one readable line, with nothing in it that steers a terminal", () => {
  const { log, lines } = loggerInto({ format: "text" });
  log.warn("run.finished", {
    agent: "weather",
    query: "two\nlines \u001b[31m\u009b\u202e",
    ms: 12,
    deep: { a: [1] },
  });
  expect(lines()).toEqual([
    '2026-01-01T00:00:00.000Z warning run.finished agent=weather query="two\\nlines \\u001b[31m\\u009b\\u202e" ms=12 deep={"a":[1]}',
  ]);
});

describe("buffering", () => {
  test("lines are written together, 20 ms after the first", async () => {
    const { log, clock, writes } = loggerInto();
    log.info("a");
    await clock.advance(19);
    log.info("b");
    expect(writes).toHaveLength(0);
    await clock.advance(1);
    expect(writes).toHaveLength(1);
    expect(writes[0]?.split("\n")).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  test("an error is written at once, with all before it", () => {
    const { log, writes } = loggerInto();
    log.info("a");
    log.error("b");
    expect(writes).toHaveLength(1);
  });

  test("much is written before the time", () => {
    const { log, writes } = loggerInto();
    for (let i = 0; i < 100; i++) log.info("a", { text: "x".repeat(1000) });
    expect(writes.length).toBeGreaterThan(1);
  });

  test("a sink that fails causes no error", () => {
    const { log } = loggerInto({
      write: () => {
        throw new Error("EPIPE");
      },
    });
    log.error("a");
    log.flush();
  });
});

describe("secrets", () => {
  // An unregistered secret: it must be recognized by its context.
  const canary = "cnry7f3k9Q2mZx81";

  for (const { id, input } of corpus.entries) {
    const text = input.startsWith("urlencoded(")
      ? `?token=${encodeURIComponent(`${canary}/+`)}`
      : input.replaceAll("CANARY", canary);
    test(`${id} is not shown, as a text, in an error and as fields`, () => {
      const { log, lines } = loggerInto();
      log.info("e", {
        text,
        nested: [{ text: JSON.stringify({ text }) }],
        err: new Error(text, { cause: new Error(text) }),
      });
      const [name = "", value = ""] = text.split(": ");
      log.with({ [name]: value }).info("e", { headers: new Headers({ "X-Plain": text }) });
      const output = lines().join("\n");
      expect(output).not.toContain(canary);
      expect(output).not.toContain("4111");
    });
  }

  test("a known secret is masked in values, keys and bound fields, however it is spelled", () => {
    const { log, secrets, lines } = loggerInto();
    const secret = "correct horse/battery";
    secrets.add(secret);
    const spellings = [secret, encodeURIComponent(secret), btoa(secret), btoa(`user:${secret}`)];
    for (const spelling of spellings) {
      log
        .with({ bound: spelling })
        .info("e", { a: `<${spelling}>`, [spelling]: [spelling], err: new Error(spelling) });
    }
    const output = lines().join("\n");
    for (const spelling of [...spellings, "Y29ycmVjdCBob3JzZS", "29ycmVjdCBob3JzZS9iYXR0ZXJ"]) {
      expect(output).not.toContain(spelling);
    }
    expect(output).toContain("[redacted]");
  });
});
