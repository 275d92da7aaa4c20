import { sql } from "drizzle-orm";
import type { HeldLease, OperatedWorker, WorkerReport } from "../../../contracts/daemon/operations.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { WorkerState } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";

export interface WorkerReportDeps {
  clock: Clock;
  /** Name of this node of the mesh; undefined if the mesh is off. */
  node: string | undefined;
  workers(): { service: string; state: WorkerState }[];
  storages(): { service: string; storage: Storage }[];
  /** Masks secrets in the messages of failures. */
  mask(text: string): string;
}

/** Most leases that a report lists of one service. */
const leasesMax = 500;

/** Reports the workers of this process and the leases in the databases of its services. */
export async function reportWorkers(deps: WorkerReportDeps): Promise<WorkerReport> {
  const storages = deps.storages();
  const leases: HeldLease[] = [];
  for (const { service, storage } of storages) leases.push(...(await readLeases(service, storage)));
  return {
    at: deps.clock.now().toISOString(),
    node: deps.node ?? null,
    shared: storages.some(({ storage }) => storage.dialect === "postgres"),
    workers: deps.workers().map(({ service, state }) => presentWorker(service, state, deps.mask)),
    leases,
  };
}

function presentWorker(
  service: string,
  { name, status, failures, startedAt, lastRoundAt, lastFailure }: WorkerState,
  mask: WorkerReportDeps["mask"],
): OperatedWorker {
  return {
    name,
    service,
    status,
    failures,
    ...(startedAt && { started_at: startedAt.toISOString() }),
    ...(lastRoundAt && { last_round_at: lastRoundAt.toISOString() }),
    ...(lastFailure && {
      last_failure: { at: lastFailure.at.toISOString(), message: mask(lastFailure.message) },
    }),
  };
}

/** The server's clock decides which leases are held. */
async function readLeases(service: string, storage: Storage): Promise<HeldLease[]> {
  const { leases } = storage.tables;
  const rows = await storage.read
    .select({
      name: leases.name,
      owner: leases.owner,
      term: leases.term,
      expiresAt: leases.expiresAt,
      held: sql<boolean | number>`${leases.expiresAt} > ${storage.instant()}`,
    })
    .from(leases)
    .orderBy(leases.name)
    .limit(leasesMax);
  return rows.map(({ name, owner, term, expiresAt, held }) => ({
    service,
    name,
    owner,
    term,
    expires_at: expiresAt.toISOString(),
    held: Boolean(held),
  }));
}
