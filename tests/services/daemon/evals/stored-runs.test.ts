import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { systemClock } from "../../../../src/kit/clock.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { addRunFiles } from "../../../../src/services/daemon/evals/add-run-files.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { type DaemonTables, tables } from "../../../../src/services/daemon/tables.ts";
import { openStorage } from "../../../../src/storage/open-storage.ts";
import type { Query } from "../../../../src/storage/storage.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { endedRun, writeEval } from "../../../support/daemon-evals.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const evalText = `apiVersion: platform/v1
kind: Eval
metadata: {name: greetings}
spec:
  agent: helper
  cases:
    - {id: hello, query: Hello?, checks: [{contains: hello}]}
    - {id: way, query: "Which way?", tags: [roads], checks: [{contains: north}]}
`;

const start = (daemon: TestDaemon) => daemon.asOwner("POST", "/v1/evals/greetings/runs", { body: {} });

test("runs of a process that was killed are interrupted, and go on where it stopped", async () => {
  using folder = temporaryFolder();
  let id = "";
  {
    await using daemon = await startDaemon({ workspace: folder.path });
    writeEval(daemon, "greetings.eval.yaml", evalText);
    id = (await endedRun(daemon, (await start(daemon)).body.id)).id;
  }
  await change(folder.path, async (tx, { evalRuns, evalResults }) => {
    await tx.update(evalRuns).set({ status: "running", endedAt: null, summary: null, finished: 1 });
    await tx.delete(evalResults).where(eq(evalResults.number, 2));
  });
  await using daemon = await startDaemon({ workspace: folder.path });
  expect((await daemon.asOwner("GET", `/v1/eval-runs/${id}`)).body).toMatchObject({
    status: "interrupted",
    finished: 1,
    elsewhere: false,
  });
  expect((await daemon.asOwner("POST", `/v1/eval-runs/${id}/resume`, { body: {} })).status).toBe(202);
  expect(await endedRun(daemon, id)).toMatchObject({ status: "complete", finished: 2 });
  const changed = await daemon.asOwner("POST", `/v1/eval-runs/${id}/resume`, { body: {} });
  expect(changed).toMatchObject({ status: 409, body: { error: "eval_run_ended" } });
});

test("runs of an earlier release's files are there after the start, and resume by another selection is 409", async () => {
  using folder = temporaryFolder();
  let head = {};
  {
    await using daemon = await startDaemon({ workspace: folder.path });
    writeEval(daemon, "greetings.eval.yaml", evalText);
    const { id } = await endedRun(daemon, (await start(daemon)).body.id);
    head = (await daemon.asOwner("GET", `/v1/eval-runs/${id}/report`)).body.run;
  }
  const id = "20260101T000000Z-greetings-000001";
  const old = join(folder.path, ".argosy", "evals", id);
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, "run.json"), JSON.stringify({ ...head, id }));
  const result = { case: "way", target: "agent", repeat: 1, passed: false, checks: [], turns: [] };
  writeFileSync(
    join(old, "results.jsonl"),
    `${JSON.stringify({ ...result, steps: 1, tokens: 1, cost_usd: 0, latency_ms: 1 })}\n{"case":"he`,
  );
  await using daemon = await startDaemon({ workspace: folder.path });
  expect(existsSync(join(folder.path, ".argosy", "evals"))).toBe(false);
  const resume = (body: object) => daemon.asOwner("POST", `/v1/eval-runs/${id}/resume`, { body });
  expect(await resume({ tags: ["roads"] })).toMatchObject({ status: 409, body: { error: "eval_changed" } });
  expect((await resume({})).status).toBe(202);
  expect(await endedRun(daemon, id)).toMatchObject({ status: "complete", finished: 2, failed: 1 });
  expect(daemon.models.lab.requests).toHaveLength(1);
});

test("evals and recordings beside the runs of an earlier release stay as they are", async () => {
  using folder = temporaryFolder();
  const kept = ["greetings.eval.yaml", "greetings.cassettes/way.yaml", "notes.txt"];
  mkdirSync(join(folder.path, "greetings.cassettes"));
  for (const file of kept) writeFileSync(join(folder.path, file), "kept");
  const empty = join(folder.path, "20260101T000000Z-greetings-000001");
  mkdirSync(empty);
  await addRunFiles(folder.path, { add: async () => expect.unreachable() }, silentLogger);
  for (const file of kept) expect(readFileSync(join(folder.path, file), "utf8")).toBe("kept");
  expect(existsSync(empty)).toBe(false);
});

test("evals outside the workspace run as those in it; a file that isn't there, or no file, is 400", async () => {
  using folder = temporaryFolder();
  await using daemon = await startDaemon();
  const file = join(folder.path, "far.eval.yaml");
  writeFileSync(file, evalText.replace("greetings", "far"));
  const order = (body: object) => daemon.asOwner("POST", "/v1/eval-runs", { body });
  const run = await endedRun(daemon, (await order({ file, tags: ["roads"] })).body.id);
  expect(run).toMatchObject({ eval: "far", status: "complete", planned: 1 });
  expect((await order({ file: `${file}.gone` })).status).toBe(400);
  // A device may have no end.
  symlinkSync("/dev/null", join(folder.path, "cases.jsonl"));
  const ofDevice = join(folder.path, "device.eval.yaml");
  writeFileSync(ofDevice, evalText.replace(/cases:[\s\S]*/, "cases: cases.jsonl\n"));
  for (const unending of [folder.path, "/dev/null", ofDevice]) {
    const { status, body } = await order({ file: unending });
    expect([status, body.message]).toEqual([400, expect.stringContaining("is not a regular file")]);
  }
  expect((await order({ file, candidate: true, tags: ["roads"] })).body.error).toBe("usage");
});

/** Changes the runs while no daemon runs on the folder. */
async function change(
  folder: string,
  work: (tx: Query, tables: DaemonTables) => Promise<void>,
): Promise<void> {
  const storage = await openStorage({
    ...{ service: "daemon", tables, migrations, folder: join(folder, ".argosy") },
    ...{ log: silentLogger, clock: systemClock, random: Math.random },
  });
  await storage.transact((tx) => work(tx, storage.tables));
  await storage.close();
}
