import { describe, expect, test } from "bun:test";
import {
  hasSameVersion,
  versionChanges,
  versionOf,
} from "../../../../src/console/studio/evals/run-versions.ts";
import type { ManifestVersion } from "../../../../src/contracts/daemon/agent-versions.ts";
import type { EvalRunBrief } from "../../../../src/contracts/daemon/evals/eval-runs.ts";

const day = (number: number) => `2026-03-${String(number).padStart(2, "0")}T12:00:00.000Z`;

function run(id: string, at: number, change: Partial<EvalRunBrief> = {}): EvalRunBrief {
  return {
    id,
    eval: "tea",
    agent: "hello",
    agent_checksum: "0123456789abcdef",
    mode: "live",
    status: "complete",
    started_at: day(at),
    targets: ["default"],
    cases: 1,
    repeat: 1,
    planned: 1,
    finished: 1,
    failed: 0,
    pass_rate: 1,
    spent_usd: 0,
    unpriced: 0,
    ...change,
  };
}

const version = (number: number, checksum: string, at: number): ManifestVersion => ({
  number,
  at: day(at),
  origin: "api",
  checksum,
  bytes: 1,
  masked: false,
  current: false,
});

/** Newest first; version 3 restored version 1. */
const versions = [version(3, "aaa", 10), version(2, "bbb", 5), version(1, "aaa", 1)];

describe("a run's version", () => {
  test.each([
    [{ agent_manifest: "bbb" }, 6, 2, "Version 2"],
    [{ agent_manifest: "aaa" }, 3, 1, "Version 1"],
    [{ agent_manifest: "aaa" }, 11, 3, "Version 3"],
    [{ agent_manifest: "fedcba9876" }, 6, undefined, "fedcba9"],
    [{}, 6, undefined, "0123456"],
  ] as [Partial<EvalRunBrief>, number, number | undefined, string][])(
    "of %j on day %i is %p, named %s",
    (change, at, number, label) => {
      expect(versionOf(run("r", at, change), versions)).toMatchObject({ number, label });
    },
  );

  test("is compared by the manifest, and by the older checksum if a run has no other", () => {
    const candidate = { agent_checksum: "fingerprint", agent_manifest: "aaa" };
    expect(hasSameVersion(run("a", 1, { agent_manifest: "aaa" }), run("b", 2, candidate))).toBe(true);
    expect(hasSameVersion(run("a", 1), run("b", 2))).toBe(true);
    expect(hasSameVersion(run("a", 1), run("b", 2, { agent_checksum: "x" }))).toBe(false);
    expect(hasSameVersion(run("a", 1), run("b", 2, { agent: "other" }))).toBe(false);
  });
});

test("changes name the version and lead to its differences, or to the run", () => {
  const runs = [
    run("r1", 2, { agent_manifest: "aaa" }),
    run("r2", 3, { agent_manifest: "aaa" }),
    run("r3", 6, { agent_manifest: "bbb" }),
    run("r4", 7, { agent_manifest: "gone" }),
    run("r5", 11, { agent_manifest: "aaa" }),
    run("r6", 12, { agent: "other", agent_manifest: "bbb" }),
  ];
  expect(
    versionChanges(runs, versions).map(({ run: { id }, version: { label }, href }) => [id, label, href]),
  ).toEqual([
    ["r3", "Version 2", "/studio/agents/hello/history?from=1&to=2"],
    ["r4", "gone", "/studio/eval-runs/r4"],
    ["r5", "Version 3", "/studio/eval-runs/r5"],
    ["r6", "Version 2", "/studio/eval-runs/r6"],
  ]);
  expect(versionChanges([], versions)).toEqual([]);
});
