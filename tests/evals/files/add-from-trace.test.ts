import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addCaseFromTrace, type TraceReader } from "../../../src/evals/files/add-from-trace.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const at = "2026-01-01T00:00:00.000Z";
const bad = { rating: "down", at } as const;

/** A daemon that has one trace, with these verdicts. */
const traceWith = (verdicts: object) =>
  ({
    getTrace: async () => ({
      trace_id: "t1",
      agent: "helper",
      spans: [{ name: "agent.run", attributes: { input: "Why?", output: "Never mind." } }],
      ...verdicts,
    }),
    listCassettes: async () => ({ cassettes: [] }),
  }) as unknown as TraceReader;

const add = (client: TraceReader, path: string, checks: readonly string[]) =>
  addCaseFromTrace(client, { trace: "t1", path, shown: "a.eval.yaml", checks });

test.each([
  ["nobody judged", {}, true],
  ["a person judged good", { feedback: { rating: "up", at } }, true],
  ["a person judged bad", { feedback: bad }, false],
  ["users judged bad", { channel_feedback: { ...bad, channel: "telegram", emoji: "x" } }, false],
])("an answer that %s is expected: %#", async (_title, verdicts, isExpected) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.eval.yaml");
  const added = await add(traceWith(verdicts), path, ["contains: because"]);
  expect(added.has_expected).toBe(isExpected);
  expect(readFileSync(path, "utf8").includes("Never mind.")).toBe(isExpected);
});

test("a case without a check, or with none that can be read, is refused, and no file is made", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.eval.yaml");
  for (const [checks, code] of [
    [[], "invalid_manifest"],
    [["max_latency_ms: 5"], "invalid_manifest"],
    [["contains"], "usage"],
    [["contains: ["], "usage"],
  ] as const)
    await expect(add(traceWith({}), path, checks)).rejects.toMatchObject({ code });
  expect(existsSync(path)).toBe(false);
});
