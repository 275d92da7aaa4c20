import { and, desc, eq, lt, or } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { CassetteFolder } from "./cassette-folder.ts";
import type { CassetteLimits } from "./cassette-retention.ts";
import type { CassetteTables } from "./schema.ts";

export interface SharedCassetteParts {
  storage: Storage<CassetteTables>;
  /** Recordings of this node from before they were shared. */
  own: CassetteFolder;
  /** Copies of shared recordings, for readers of files. */
  copies: CassetteFolder;
  limits: CassetteLimits;
  clock: Clock;
}

const pruneEveryMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
const deletedAtOnce = 200;

interface SharedCassettes extends CassetteFolder {
  /** Deletes recordings over the limits. */
  prune(): Promise<void>;
  worker: Worker;
}

/** The recordings of all nodes of a database, which each of them lists and replays. */
export function sharedCassettes(parts: SharedCassetteParts): SharedCassettes {
  const { storage, own, copies, limits, clock } = parts;
  const { cassettes } = storage.tables;
  const keyIs = (tenant: string, id: string) => and(eq(cassettes.tenant, tenant), eq(cassettes.id, id));
  const pruneNow = () => prune(storage, limits, clock.now());
  return {
    async keep(tenant, { summary, text }) {
      const { id, agent } = summary;
      const row = { tenant, id, agent, summary, text, bytes: Buffer.byteLength(text), at: clock.now() };
      await storage.transact((tx) => tx.insert(cassettes).values(row).onConflictDoNothing());
    },
    async find(tenant, id) {
      const [known] = await storage.read
        .select({ id: cassettes.id })
        .from(cassettes)
        .where(keyIs(tenant, id));
      if (known === undefined) return own.find(tenant, id);
      const copy = await copies.find(tenant, id);
      if (copy !== undefined) return copy;
      const { summary, text } = cassettes;
      const [row] = await storage.read.select({ summary, text }).from(cassettes).where(keyIs(tenant, id));
      if (row === undefined) return undefined;
      await copies.keep(tenant, row);
      return copies.find(tenant, id);
    },
    async list(tenant, query) {
      const { agent, traceId, limit } = query;
      const rows = await storage.read
        .select({ summary: cassettes.summary, bytes: cassettes.bytes })
        .from(cassettes)
        .where(
          and(
            eq(cassettes.tenant, tenant),
            ...(agent === undefined ? [] : [eq(cassettes.agent, agent)]),
            ...(traceId === undefined ? [] : [eq(cassettes.id, traceId)]),
          ),
        )
        // Ids sort by creation time.
        .orderBy(desc(cassettes.id))
        .limit(limit);
      const shared = rows.map(({ summary, bytes }) => ({ ...summary, bytes }));
      const all = [...shared, ...(await own.list(tenant, query))];
      return all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
    },
    async remove(tenant, id) {
      const rows = await storage.transact((tx) =>
        tx.delete(cassettes).where(keyIs(tenant, id)).returning({ id: cassettes.id }),
      );
      await copies.remove(tenant, id);
      return (await own.remove(tenant, id)) || rows.length > 0;
    },
    prune: pruneNow,
    worker: repeatedWorker("shared-cassette-pruner", pruneEveryMs, clock, pruneNow, {
      afterMs: pruneEveryMs,
    }),
  };
}

/** Deletes recordings over the limits, which hold for all tenants together. */
async function prune(
  { read, transact, tables: { cassettes } }: Storage<CassetteTables>,
  { days, bytesMax, filesMax }: CassetteLimits,
  now: Date,
): Promise<void> {
  await transact((tx) =>
    tx.delete(cassettes).where(lt(cassettes.at, new Date(now.getTime() - days * dayMs))),
  );
  const { tenant, id, bytes } = cassettes;
  const rows = await read.select({ tenant, id, bytes }).from(cassettes).orderBy(desc(cassettes.at));
  let kept = 0;
  const over = rows.filter((row, index) => {
    if (index < filesMax && kept + row.bytes <= bytesMax) {
      kept += row.bytes;
      return false;
    }
    return true;
  });
  for (let at = 0; at < over.length; at += deletedAtOnce) {
    const batch = over.slice(at, at + deletedAtOnce);
    await transact((tx) =>
      tx.delete(cassettes).where(or(...batch.map((row) => and(eq(tenant, row.tenant), eq(id, row.id))))),
    );
  }
}
