import { sleep } from "../../../kit/clock.ts";
import { type Drill, type DrillOutcome, healthMaxMs, ms, promises } from "./drill.ts";
import { ask, type DrillAnswer, type DrillWorld, drillAgent, watchingHealth } from "./drill-world.ts";

/** Time for which a fault of the storage stays. */
const outageMs = 3_000;
/** Time after which a fault ends by itself, whatever happens to the drill. */
const outageMaxMs = 15_000;
/** Time in which the server notices the end of a fault. */
const recoveryMs = 5_000;
const answerMaxMs = 5_000;

const answers = `a run ends within ${answerMaxMs} ms in an answer or in 503, never in 500`;
const ready = "/readyz answers 503 and names the storage";
const recovery = `/readyz answers 200 within ${recoveryMs} ms after the fault, without a restart`;
const works = "the first run after the fault succeeds";
const history = "the conversation before the fault is kept";
const storagePromises = [promises.health, answers, ready, recovery, works, history];

/** Injects a fault of the storage and asks the server until it has noticed the end of it. */
async function* storageOutage(
  world: DrillWorld,
  session: string,
  begin: () => () => void,
): AsyncGenerator<DrillOutcome> {
  const { clock, signal, call } = world;
  const before = await ask(world, drillAgent, session);
  const end = begin();
  try {
    const { result, slowestMs, failures } = await watchingHealth(
      world,
      (async () => {
        const run = await ask(world, drillAgent, session);
        const readiness = await call("GET", "/readyz");
        await sleep(clock, Math.max(0, outageMs - run.tookMs - readiness.tookMs), signal);
        return { run, readiness };
      })(),
    );
    yield {
      promise: promises.health,
      held: failures === 0 && slowestMs <= healthMaxMs,
      measured: `slowest ${ms(slowestMs)}, ${failures} failures`,
    };
    const { run, readiness } = result;
    yield {
      promise: answers,
      held: (run.status === 200 || run.status === 503) && run.tookMs <= answerMaxMs,
      measured: answerText(run),
    };
    yield {
      promise: ready,
      held: readiness.status === 503 && readiness.text.includes("storage"),
      measured: `${readiness.status} after ${ms(readiness.tookMs)}`,
    };
  } finally {
    end();
  }
  yield await readyAgain(world, clock.monotonicMs());
  const again = await ask(world, drillAgent, session);
  yield { promise: works, held: again.status === 200, measured: answerText(again) };
  const historyAnswer = await call("GET", `/v1/memory/${drillAgent}/history/${session}`);
  const count = Array.isArray(historyAnswer.body?.messages) ? historyAnswer.body.messages.length : 0;
  yield {
    promise: history,
    // The run before the fault and the one after it; the one during the fault may be stored or refused.
    held: before.status === 200 && count >= 4,
    measured: `${count} messages, at least 4 expected`,
  };
}

/** Waits until the server is ready again, at most `recoveryMs` after `sinceMs`. */
async function readyAgain({ clock, signal, call }: DrillWorld, sinceMs: number): Promise<DrillOutcome> {
  let readiness = await call("GET", "/readyz");
  while (readiness.status !== 200 && clock.monotonicMs() - sinceMs < recoveryMs) {
    await sleep(clock, 100, signal);
    readiness = await call("GET", "/readyz");
  }
  const tookMs = clock.monotonicMs() - sinceMs;
  return {
    promise: recovery,
    held: readiness.status === 200 && tookMs <= recoveryMs,
    measured: `${readiness.status} after ${ms(tookMs)}`,
  };
}

const answerText = ({ status, body, tookMs }: DrillAnswer) =>
  `${status}${typeof body?.error === "string" ? ` ${body.error}` : ""} after ${ms(tookMs)}`;

const fullDisk: Drill = {
  name: "full-disk",
  fault: `For ${outageMs / 1000} s, every commit to SQLite fails as on a full disk.`,
  scope: "everyone",
  promises: storagePromises,
  missing: ({ database }) =>
    database === "sqlite" ? undefined : "The database is PostgreSQL, which has its own disk.",
  run: (world) =>
    storageOutage(world, "drill-full-disk", () => world.faults.inject("fullDisk", true, outageMaxMs)),
};

const silentDatabase: Drill = {
  name: "silent-database",
  fault: "PostgreSQL accepts statements and never answers.",
  scope: "everyone",
  promises: storagePromises,
  missing: ({ database }) =>
    database === "postgres" ? undefined : "DATABASE_URL names no PostgreSQL server.",
  run: (world) =>
    storageOutage(world, "drill-silent-database", () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = world.faults.inject("silentDatabase", promise, outageMaxMs);
      const cancelTimer = world.clock.timer(outageMaxMs, resolve);
      return () => {
        cancelTimer();
        end();
        resolve();
      };
    }),
};

/** Part of the command line of every child that Argosy keeps: of templates, SQL, models, tools and replays. */
const childName = "-child";
const replaced = "the first run after the kill succeeds";

const killedChild: Drill = {
  name: "killed-child",
  fault: "The child processes of the server are killed (SIGKILL).",
  scope: "everyone",
  promises: [promises.health, replaced, recovery],
  missing: ({ childrenWith }) =>
    childrenWith(childName).length === 0 ? "The server has no child process now." : undefined,
  async *run(world) {
    const { clock } = world;
    const children = world.childrenWith(childName);
    const killedMs = clock.monotonicMs();
    for (const pid of children) world.kill(pid);
    const { result, slowestMs, failures } = await watchingHealth(world, ask(world, drillAgent));
    yield {
      promise: promises.health,
      held: failures === 0 && slowestMs <= healthMaxMs,
      measured: `slowest ${ms(slowestMs)}, ${failures} failures`,
    };
    yield {
      promise: replaced,
      held: result.status === 200,
      measured: `${children.length} killed, then ${answerText(result)}`,
    };
    yield await readyAgain(world, killedMs);
  },
};

export const systemDrills: readonly Drill[] = [fullDisk, silentDatabase, killedChild];
