import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult, EvalRunEnd, EvalRunHead } from "../../../src/contracts/evals/eval-run.ts";
import { FileRuns } from "../../../src/evals/files/file-runs.ts";
import { evalRunTables } from "../../../src/evals/hosted/tables.ts";
import { summarize } from "../../../src/evals/report/summarize.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { addRunFiles } from "../../../src/services/daemon/evals/add-run-files.ts";
import { dropDeadOwners, OwnerLife } from "../../../src/storage/owner-life.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import type { Columns } from "../../../src/storage/tables/columns.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { steadyLife } from "../../support/steady-life.ts";
import { onEachEngine, type TestEngine } from "../../support/storage-engines.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const startAt = "2026-11-28T10:00:00.000Z";
const minute = (number: number) => new Date(Date.parse(startAt) + number * 60_000);

const headOf = (at: number, more: Partial<EvalRunHead> = {}): EvalRunHead => ({
  id: FileRuns.newId(more.eval ?? "e", minute(at), () => 0.5),
  eval: "e",
  file: "evals/e.eval.yaml",
  agent: "a",
  agent_checksum: "new",
  content: "c",
  argosy: "0.0.0",
  started_at: minute(at).toISOString(),
  mode: "live",
  digest: "d",
  targets: ["agent"],
  cases: 2,
  repeat: 1,
  ...more,
});

const resultOf = (id: string, passed = true): CaseResult => ({
  case: id,
  target: "agent",
  repeat: 1,
  passed,
  checks: [{ check: "contains", kind: "contains", passed }],
  turns: [],
  steps: 1,
  tokens: 1,
  cost_usd: 0.5,
  latency_ms: 1,
});

const endOf = (
  head: EvalRunHead,
  results: readonly CaseResult[],
  status: "complete" | "interrupted" = "complete",
): EvalRunEnd => ({
  ...{ status, ended_at: startAt, simulated: false },
  summary: summarize(head, results, status),
});

const tables = (columns: Columns) =>
  evalRunTables<EvalRunHead>(columns, { owner: "tenant", spent: "spent", budget: "budget" });

const open = (engine: TestEngine) => engine.open({ service: "evals", tables });

async function runsOf(storage: Storage<ReturnType<typeof tables>>, process = "me", life?: OwnerLife) {
  const clock = new FakeClock();
  return new FileRuns({
    ...{ service: "daemon", storage, clock, sealer: undefined, process, ownerId: "operator" },
    life: life ?? (await steadyLife(storage, process)),
  });
}

const resultsIn = async (runs: FileRuns, id: string) =>
  (await runs.results(id)).map(({ number, result }) => [number, result.case, result.passed]);

onEachEngine("stored runs of files", (engine) => {
  test("keep each result once in the order of the plan, and end once", async () => {
    await using storage = await open(engine);
    const runs = await runsOf(storage);
    const head = headOf(0, { budget_usd: 2 });
    await runs.begin(head);
    await runs.keep(head.id, 2, resultOf("b", false));
    await runs.keep(head.id, 1, resultOf("a"));
    await expect(runs.keep(head.id, 1, resultOf("a"))).rejects.toThrow();
    expect(await resultsIn(runs, head.id)).toEqual([
      [1, "a", true],
      [2, "b", false],
    ]);
    expect(await runs.get(head.id)).toMatchObject({
      ...{ status: "running", finished: 2, passed: 1, spent: 1_000_000, budget: 2_000_000 },
      subject: head,
    });
    await runs.end(head.id, endOf(head, [resultOf("a"), resultOf("b", false)]));
    await runs.end(head.id, endOf(head, [], "interrupted"));
    expect(await runs.get(head.id)).toMatchObject({ status: "complete", summary: { finished_runs: 2 } });
    await expect(runs.keep(head.id, 3, resultOf("c"))).rejects.toThrow("cancelled");
    await expect(runs.get("last")).rejects.toThrow("There is no eval run");
  });

  test("are listed newest first, also those that started within a second, of one eval or of all", async () => {
    await using storage = await open(engine);
    const runs = await runsOf(storage);
    // The random parts fall, so only the times can put the runs in order.
    const heads = Array.from({ length: 5 }, (_, at) => {
      const id = FileRuns.newId("e", new Date(Date.parse(startAt) + at), () => 1 - (at + 1) / 32);
      return headOf(0, { id });
    });
    for (const head of heads) await runs.begin(head);
    await runs.begin(headOf(-1, { eval: "other" }));
    const newest = heads.map(({ id }) => id).reverse();
    const idsOf = async (of: Parameters<FileRuns["newest"]>[0]) =>
      (await runs.newest(of)).map(({ id }) => id);
    expect(await idsOf({ eval: "e", limit: 10 })).toEqual(newest);
    expect(await idsOf({ before: newest[1] ?? "", limit: 2 })).toEqual(newest.slice(2, 4));
    expect(await idsOf({ eval: "none", limit: 10 })).toEqual([]);
  });

  test("of a living process are its own, and those of a dead one are left and can be resumed", async () => {
    await using storage = await open(engine);
    const mine = await runsOf(storage);
    const theirLife = new OwnerLife(storage, "other", new FakeClock());
    const theirs = await runsOf(storage, "other", theirLife);
    await theirLife.renew();
    const head = headOf(0);
    await theirs.begin(head);
    const isLeft = async () => mine.isLeft(await mine.get(head.id), false);
    await expect(mine.reopen(head)).rejects.toThrow(`Another process is running ${head.id}.`);
    await expect(mine.keep(head.id, 1, resultOf("a"))).rejects.toThrow("cancelled");
    if (storage.dialect === "postgres") {
      expect(await isLeft()).toBe(false);
      const { leases } = storage.tables;
      await storage.transact((tx) => tx.update(leases).set({ expiresAt: storage.instant(-1) }));
      expect(await isLeft()).toBe(true);
      // Nobody looked at the run until the lease was deleted.
      await dropDeadOwners(storage, 0);
    }
    expect(await isLeft()).toBe(true);
    await mine.end(head.id, endOf(head, [], "interrupted"), "other");
    await mine.reopen(head);
    expect(await mine.isLeft(await mine.get(head.id), true)).toBe(false);
    await mine.keep(head.id, 1, resultOf("a"));
    expect(await mine.get(head.id)).toMatchObject({ status: "running", finished: 1, endedAt: null });
  });

  test("count for a gate only if they asked the version itself, live and with all cases", async () => {
    await using storage = await open(engine);
    const runs = await runsOf(storage);
    const judge = (before?: string) =>
      runs.judge(
        { agentName: "a", checksum: "new", before },
        {
          required: { eval: "e", min_score: 1, no_regressions: true },
          ...{ content: "c", counted: new Set(["a", "b"]), run: "run it" },
        },
      );
    const ended = async (head: EvalRunHead, results: readonly CaseResult[]) => {
      await runs.add(head, results, endOf(head, results));
    };
    const unasked = ["eval e has not asked this version; run it"];
    expect(await judge()).toEqual(unasked);
    const good = [resultOf("a"), resultOf("b")];
    const { content: _, ...selected } = headOf(1);
    for (const other of [
      selected,
      headOf(2, { agent_checksum: "old" }),
      headOf(3, { agent: "two" }),
      headOf(4, { mode: "replay" }),
      headOf(5, { targets: ["lab/x"] }),
      headOf(6, { content: "other" }),
      headOf(7, { eval: "f" }),
    ])
      await ended(other, good);
    expect(await judge()).toEqual(unasked);
    await ended(headOf(8), [resultOf("a"), resultOf("b", false)]);
    const [score, regression] = await judge("old");
    expect(score).toContain("below 100 %; failed: b (run ");
    expect(regression).toContain("regresses from the version in service in b");
    await ended(headOf(9), good);
    expect(await judge("old")).toEqual([]);
  });

  test("have a stamp that changes with each step of a run of the versions, and with no other run", async () => {
    await using storage = await open(engine);
    const runs = await runsOf(storage);
    const seen = [await runs.stampOf(["new"])];
    expect(seen).toEqual([""]);
    const changes = async () => {
      const stamp = await runs.stampOf(["new"]);
      const isNew = !seen.includes(stamp);
      seen.push(stamp);
      return isNew;
    };
    const own = headOf(0);
    await runs.begin(own);
    expect(await changes()).toBe(true);
    await runs.begin(headOf(1, { agent_checksum: "old" }));
    expect(await changes()).toBe(false);
    await runs.keep(own.id, 1, resultOf("a"));
    expect(await changes()).toBe(true);
    await runs.end(own.id, endOf(own, [], "interrupted"));
    expect(await changes()).toBe(true);
  });
});

describe("runs that earlier releases stored as files", () => {
  /** Writes a run as release 0.1 did. */
  function write(folder: string, head: EvalRunHead, lines: string, end?: EvalRunEnd): void {
    const path = join(folder, head.id);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "run.json"), JSON.stringify(head));
    writeFileSync(join(path, "results.jsonl"), lines);
    if (end !== undefined) writeFileSync(join(path, "end.json"), JSON.stringify(end));
  }
  const linesOf = (...results: readonly CaseResult[]) =>
    results.map((result) => `${JSON.stringify(result)}\n`).join("");

  onEachEngine("move into the database", (engine) => {
    test("with all results, once, without a line that a crash cut off; a damaged one stays", async () => {
      await using storage = await open(engine);
      using folder = temporaryFolder();
      const runs = await runsOf(storage);
      const [whole, killed, bare, damaged] = [headOf(0), headOf(1), headOf(2), headOf(3)];
      const results = [resultOf("a"), resultOf("b", false)];
      write(folder.path, whole, linesOf(...results, ...results), endOf(whole, results));
      write(folder.path, killed, `${linesOf(resultOf("b"))}{"case": "a", "tar`);
      const informed = { check: "max_latency_ms", kind: "max_latency_ms", passed: true } as const;
      const unchecked = { ...resultOf("a"), checks: [{ ...informed, informative: true as const }] };
      write(folder.path, bare, linesOf(unchecked));
      write(folder.path, damaged, "nonsense\n");
      mkdirSync(join(folder.path, "20260101T000000000Z-e-000000"));
      await addRunFiles(folder.path, runs, silentLogger);
      expect(readdirSync(folder.path)).toEqual([damaged.id]);
      expect(await runs.get(whole.id)).toMatchObject({
        ...{ status: "complete", finished: 2, passed: 1, subject: whole },
        summary: { targets: [{ pass_rate: 0.5 }] },
      });
      expect(await resultsIn(runs, whole.id)).toEqual([
        [1, "a", true],
        [2, "b", false],
      ]);
      expect(await runs.get(killed.id)).toMatchObject({ status: "interrupted", finished: 1 });
      // Nothing was checked, so nothing passed.
      expect(await resultsIn(runs, bare.id)).toEqual([[1, "a", false]]);
      write(folder.path, whole, linesOf(...results), endOf(whole, results));
      await addRunFiles(folder.path, runs, silentLogger);
      expect(await runs.results(whole.id)).toHaveLength(2);
    });
  });
});
