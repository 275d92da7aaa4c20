import { and, desc, eq, inArray, lt, ne, notInArray, or } from "drizzle-orm";
import { deleteInPieces } from "../../../../storage/delete-in-pieces.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { RagJobFailure, RagJobLoss, RagJobStatus, RagTables } from "../registry/schema.ts";

type Rag = Storage<RagTables>;

/** A job as last stored. */
export interface JobRecord extends JobProgress {
  id: string;
  kind: "ingest" | "reindex";
  collection: string;
  status: RagJobStatus;
  documentsTotal: number;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

export interface JobProgress {
  documentsDone: number;
  chunks: number;
  failed: RagJobFailure[];
  losses: RagJobLoss[] | null;
}

/** Final state of a job. */
export interface JobEnd extends JobProgress {
  status: Exclude<RagJobStatus, "queued" | "running">;
  errorCode: string | null;
  errorMessage: string | null;
  endedAt: Date;
}

const open: RagJobStatus[] = ["queued", "running"];

export async function insertJob(
  storage: Rag,
  tenant: string,
  job: Pick<JobRecord, "id" | "kind" | "collection" | "documentsTotal" | "createdAt">,
  { owner, holdMs }: { owner: string; holdMs: number },
): Promise<void> {
  await storage.transact((tx) =>
    tx.insert(storage.tables.ragJobs).values({
      ...job,
      tenant,
      status: "queued",
      documentsDone: 0,
      chunks: 0,
      failed: [],
      losses: null,
      owner,
      heldUntil: storage.instant(holdMs),
    }),
  );
}

export async function updateJob(
  { transact, tables: { ragJobs } }: Rag,
  tenant: string,
  id: string,
  change: (JobProgress & { status: "running" }) | JobEnd,
): Promise<void> {
  await transact((tx) =>
    tx
      .update(ragJobs)
      .set(change)
      .where(and(eq(ragJobs.tenant, tenant), eq(ragJobs.id, id), inArray(ragJobs.status, open))),
  );
}

export async function findJob(storage: Rag, tenant: string, id: string): Promise<JobRecord | undefined> {
  const { ragJobs } = storage.tables;
  const [row] = await storage.read
    .select(jobColumns(storage.tables))
    .from(ragJobs)
    .where(and(eq(ragJobs.tenant, tenant), eq(ragJobs.id, id)));
  return row;
}

/** Jobs, newest first. */
export function listJobs(storage: Rag, tenant: string, limit: number): Promise<JobRecord[]> {
  const { ragJobs } = storage.tables;
  return storage.read
    .select(jobColumns(storage.tables))
    .from(ragJobs)
    .where(eq(ragJobs.tenant, tenant))
    .orderBy(desc(ragJobs.createdAt), desc(ragJobs.id))
    .limit(limit);
}

export async function deleteJob(storage: Rag, tenant: string, id: string): Promise<void> {
  const { ragJobs } = storage.tables;
  await storage.transact((tx) =>
    tx.delete(ragJobs).where(and(eq(ragJobs.tenant, tenant), eq(ragJobs.id, id))),
  );
}

/** Marks jobs whose process has ended as interrupted, for all tenants. `own` are the jobs that this process still runs. */
export async function interruptAbandoned(
  storage: Rag,
  { owner, own, now }: { owner: string; own: readonly string[]; now: Date },
): Promise<void> {
  const { ragJobs } = storage.tables;
  const isOthers = ne(ragJobs.owner, owner);
  const isSilent =
    storage.dialect === "sqlite" ? isOthers : and(isOthers, lt(ragJobs.heldUntil, storage.instant()));
  const isLost = and(
    eq(ragJobs.owner, owner),
    own.length === 0 ? undefined : notInArray(ragJobs.id, [...own]),
  );
  const isAbandoned = and(inArray(ragJobs.status, open), or(isSilent, isLost));
  // Usually there are none, and a read needs no disk write.
  const [job] = await storage.read.select({ id: ragJobs.id }).from(ragJobs).where(isAbandoned).limit(1);
  if (job === undefined) return;
  await storage.transact((tx) =>
    tx.update(ragJobs).set({ status: "interrupted", endedAt: now }).where(isAbandoned),
  );
}

/** Renews the lease of a process on its jobs. */
export async function holdJobs(
  storage: Rag,
  { owner, holdMs }: { owner: string; holdMs: number },
): Promise<void> {
  const { ragJobs } = storage.tables;
  const heldUntil = storage.instant(holdMs);
  await storage.transact((tx) =>
    tx
      .update(ragJobs)
      .set({ heldUntil })
      .where(and(eq(ragJobs.owner, owner), inArray(ragJobs.status, open))),
  );
}

/** Deletes jobs that ended before `olderThan`. */
export async function pruneJobs(storage: Rag, olderThan: Date): Promise<void> {
  const { ragJobs } = storage.tables;
  const isOld = lt(ragJobs.endedAt, olderThan);
  const [job] = await storage.read.select({ id: ragJobs.id }).from(ragJobs).where(isOld).limit(1);
  if (job !== undefined) await deleteInPieces(storage, ragJobs, isOld);
}

const jobColumns = ({ ragJobs: table }: RagTables) => ({
  id: table.id,
  kind: table.kind,
  collection: table.collection,
  status: table.status,
  documentsDone: table.documentsDone,
  documentsTotal: table.documentsTotal,
  chunks: table.chunks,
  failed: table.failed,
  losses: table.losses,
  errorCode: table.errorCode,
  errorMessage: table.errorMessage,
  createdAt: table.createdAt,
  endedAt: table.endedAt,
});
