import { Database } from "bun:sqlite";
import { join } from "node:path";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import type { ServiceMigrations } from "../../../src/storage/migration.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { createCheckpointThread } from "../../../src/storage/sqlite/checkpoint-thread.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import type { Columns } from "../../../src/storage/tables/columns.ts";

export interface FilledService<Tables> {
  service: string;
  tables: (columns: Columns) => Tables;
  migrations: ServiceMigrations;
  /** Rows of each table: SQL for each column, over a number `i` from 0. */
  rows: Readonly<Record<string, { count: number; columns: Readonly<Record<string, string>> }>>;
}

/** Opens a SQLite database of a service that was filled by SQL, which takes a minute for a million rows of every table. */
export async function openFilled<Tables extends object>(
  folder: string,
  { service, tables, migrations, rows }: FilledService<Tables>,
): Promise<Storage<Tables>> {
  const checkpoints = createCheckpointThread(silentLogger);
  const open = () =>
    openStorage({
      checkpoints,
      service,
      tables,
      migrations,
      folder,
      log: silentLogger,
      clock: systemClock,
      random: Math.random,
    });
  await (await open()).close();
  const database = new Database(join(folder, `${service}.db`));
  database.run("pragma synchronous = off");
  for (const [table, { count, columns }] of Object.entries(rows)) {
    const names = Object.keys(columns).map((name) => `\`${name}\``);
    database.run(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1}) insert into \`${table}\` (${names.join(", ")}) select ${Object.values(columns).join(", ")} from n`,
    );
  }
  database.run("pragma wal_checkpoint(truncate)");
  database.close();
  return open();
}

export interface Figure {
  medianMs: number;
  /** The longest time for which nothing else could run. */
  blockMs: number;
}

/** Asks `times` times; medians in milliseconds, and the longest block of the event loop. */
export async function measured(ask: () => Promise<unknown>, times = 5): Promise<Figure> {
  let blockMs = 0;
  let last = performance.now();
  let isOver = false;
  const look = () => {
    const now = performance.now();
    blockMs = Math.max(blockMs, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const from = performance.now();
    await ask();
    took.push(performance.now() - from);
  }
  isOver = true;
  look();
  return { medianMs: took.toSorted((one, other) => one - other)[Math.floor(times / 2)] ?? 0, blockMs };
}
