import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AssembledArgosy, assembleArgosy } from "../../src/compose/assemble.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { roundMaxMs, type Worker, WorkerGroup } from "../../src/kit/worker.ts";
import { fullDisk } from "../../src/storage/database-error.ts";
import { type FailingDatabase, failingDatabase } from "../support/failing-database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/*
 * Every background worker of the five services, under an outage of the database that begins at each of the statements of its rounds. After
 * the outage each works again within five seconds, and still stops when it is told to.
 */

const outageMs = 3_000;
const recoveryMs = 5_000;
const stepMs = 500;
const stopMaxMs = 24 * 60 * 60_000;
/** Statements of a round at which an outage begins. */
const placesMax = 12;

let clock: FakeClock;
let folder: ReturnType<typeof temporaryFolder>;
let database: FailingDatabase;
let argosy: AssembledArgosy;

beforeAll(async () => {
  clock = new FakeClock();
  folder = temporaryFolder();
  database = failingDatabase();
  argosy = await assembleArgosy(loadConfig({ workspace: folder.path }), { log: silentLogger, clock });
});

afterAll(async () => {
  await argosy.close(0);
  database[Symbol.dispose]();
  folder[Symbol.dispose]();
});

/** Resolves when the transactions that were begun have ended. */
const settled = () =>
  Promise.all(
    argosy.services.map(({ storage }) => storage.transact(async () => undefined).catch(() => undefined)),
  );

/** Advances the clock step by step, as work over a real disk goes on in between. */
async function advance(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    await clock.advance(stepMs);
    await settled();
  }
}

/** Lets a worker end a round, however long its interval is. */
async function advanceRound({ silenceMaxMs = 0 }: Worker): Promise<void> {
  await advance(1_000);
  const restMs = silenceMaxMs - roundMaxMs;
  if (restMs <= 0) return;
  await clock.advance(restMs);
  await advance(1_000);
}

function start(worker: Worker): WorkerGroup {
  const group = new WorkerGroup([worker], { clock, random: () => 0.5, log: silentLogger });
  group.start();
  return group;
}

async function stop(group: WorkerGroup): Promise<void> {
  let isStopped = false;
  void group.stop(stopMaxMs).then(() => {
    isStopped = true;
  });
  while (!isStopped) await advance(stepMs);
}

/** Statements of the worker's rounds. */
async function statementsOf(worker: Worker): Promise<number> {
  const before = database.statements;
  const group = start(worker);
  await advanceRound(worker);
  await stop(group);
  return database.statements - before;
}

/** Workers without rounds. */
const withoutRounds: Readonly<Record<string, string>> = {
  "unsettled-runs": "waits until a run's end can't be written",
  "mcp-servers": "waits for its stop",
  "loop-lag": "is a timer",
  "deployed-agents": "does its work once, and the cloud is not ready before",
};

test("each worker with rounds says how long it may be silent", () => {
  const silent = argosy.services
    .flatMap(({ workers }) => workers)
    .filter(({ silenceMaxMs }) => silenceMaxMs === undefined)
    .map(({ name }) => name);
  expect(silent.filter((name) => withoutRounds[name] === undefined)).toEqual([]);
});

/** Has each worker meet an outage at each of its statements, then lets `recover` pass. Returns what went wrong. */
async function outagesOf(error: () => Error, recover: (worker: Worker) => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = [];
  const worked: string[] = [];
  for (const { service, workers } of argosy.services) {
    for (const worker of workers) {
      const places = await statementsOf(worker);
      if (places === 0) continue;
      worked.push(worker.name);
      for (let place = 0; place <= Math.min(places, placesMax); place++) {
        const group = start(worker);
        database.failAfter(place, error);
        await advanceRound(worker);
        await advance(outageMs);
        database.heal();
        const before = database.statements;
        await recover(worker);
        const [state] = group.states();
        // After its last statement, a round may have ended before the outage.
        const isHit = place < places || (state?.failures ?? 0) > 0;
        const found = { status: state?.status, works: !isHit || database.statements > before };
        await stop(group);
        const end = group.states()[0]?.status;
        if (found.status === "running" && found.works && end === "stopped") continue;
        failures.push({ worker: `${service.name} ${worker.name}`, place, places, ...found, end });
      }
    }
  }
  expect(worked).toContain("inbound");
  return failures;
}

test("each worker works again within 5 s of an outage that begins at any of its statements", async () => {
  expect(await outagesOf(fullDisk, () => advance(recoveryMs))).toEqual([]);
}, 120_000);

test("each worker works again in its next round after a fault that nobody knows, at any of its statements", async () => {
  const recover = async (worker: Worker) => {
    await advance(recoveryMs);
    await advanceRound(worker);
  };
  expect(await outagesOf(() => new Error("broken"), recover)).toEqual([]);
}, 120_000);
