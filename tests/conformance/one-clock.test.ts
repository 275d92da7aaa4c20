import { expect, test } from "bun:test";
import { Glob } from "bun";

/*
 * A time that is stored and compared, of a claim, a lease, a window, a period or an expiry, comes from the clock that the process was assembled
 * with, or from the database itself: on a shared database both are the database's. Whoever asks the machine instead is named here.
 */

const asksMachine =
  /\bDate\.now\(|\bnew Date\(\)|systemClock\.now\b|\bclock(?::\s*Clock)?\s*[:=]\s*systemClock\b/;

const named: Readonly<Record<string, string>> = {
  "kit/clock.ts": "is the machine's clock",
  "compose/process-clock.ts": "asks the database over it",
  "compose/logging.ts": "the log shows the machine's time",
  "compose/when-folder-is-free.ts": "waits, and stores nothing",
  "compose/settings/vector-settings.ts": "waits, and stores nothing",
  "storage/postgres/open-postgres.ts": "bounds waits for the server",
  "storage/sqlite/commit-queue.ts": "bounds waits for the disk",
  "retrieval/stores/pgvector/pgvector-database.ts": "bounds waits for the server",
  "retrieval/stores/lancedb/native/unpack-addon.ts": "compares with files of this machine",
  "engine/cassettes/replay/replay-offline.ts": "replays on this machine",
  "evals/files/run-eval.ts": "writes files of this machine",
};

test("nothing that a server runs asks the machine for the time, but for those named here", async () => {
  const found: string[] = [];
  for await (const path of new Glob("**/*.ts").scan(`${import.meta.dir}/../../src`)) {
    // Browsers, and commands that end after their work on this machine's files.
    if (/^(console|widget|cli|command)\//.test(path)) continue;
    if (asksMachine.test(await Bun.file(`${import.meta.dir}/../../src/${path}`).text())) found.push(path);
  }
  expect(found.sort()).toEqual(Object.keys(named).sort());
});
