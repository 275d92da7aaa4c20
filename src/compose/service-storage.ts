import type { ReadinessCheck } from "../contracts/health.ts";
import { toAppError } from "../kit/app-error.ts";
import type { WorkerState } from "../kit/worker.ts";
import { openStorage } from "../storage/open-storage.ts";
import { checkSealingKeys } from "../storage/sealing/key-check.ts";
import type { Storage, StorageOptions } from "../storage/storage.ts";
import type { Foundation } from "./foundation.ts";
import type { ServiceName } from "./settings/service-settings.ts";

/** Tables of a service and the steps that create them, and what counts the conflicts of its transactions. */
export type ServiceSchema<Tables> = Pick<
  StorageOptions<Tables>,
  "service" | "tables" | "migrations" | "onConflict"
>;

/** Place of a storage besides the installation's own: a SQLite file, or a PostgreSQL database. */
export type StoragePlace = { file: string } | { url: string };

/** Parts that a storage is opened with. */
export type StorageParts = Pick<Foundation, "config" | "folder" | "log" | "clock" | "random" | "servers"> &
  Partial<Pick<Foundation, "faults" | "checkpoints">>;

/** Opens a service's storage at a place; by default in the installation's own database. */
export function openServiceStorage<Tables>(
  { config, folder, log, clock, random, servers, faults, checkpoints }: StorageParts,
  schema: ServiceSchema<Tables>,
  place: StoragePlace | undefined = config.databaseUrl === undefined
    ? undefined
    : { url: config.databaseUrl },
): Promise<Storage<Tables>> {
  return openStorage({
    ...schema,
    folder: folder.path,
    log,
    clock,
    random,
    servers,
    checkpoints,
    ...(faults && { faults }),
    ...place,
  });
}

/** Opens a service's own storage, and checks that its secrets can be opened with the installation's keys. */
export async function openOwnStorage<Tables>(
  foundation: StorageParts & Pick<Foundation, "sealer">,
  schema: ServiceSchema<Tables>,
): Promise<Storage<Tables>> {
  const storage = await openServiceStorage(foundation, schema);
  try {
    if (foundation.sealer !== undefined) await checkSealingKeys(storage, foundation.sealer, foundation.clock);
    return storage;
  } catch (thrown) {
    await storage.close();
    throw thrown;
  }
}

/**
 * Readiness of a service: its storage accepts writes, its background workers run and get on, and the mesh takes this node.
 */
export async function readinessOf(
  service: ServiceName,
  storage: Storage,
  { operated, unready, machineClock }: Pick<Foundation, "operated" | "unready" | "machineClock">,
): Promise<ReadinessCheck[]> {
  const workers = operated
    .workers()
    .filter((worker) => worker.service === service)
    .map(({ state }) => workerCheck(state));
  const meshFault = unready();
  const mesh = meshFault === undefined ? [] : [{ name: "mesh", ok: false, message: meshFault }];
  const clockFault = machineClock.fault();
  // The services go by the database's time, so it keeps none from working.
  const clock = clockFault === undefined ? [] : [{ name: "clock", ok: true, message: clockFault }];
  return [await storageCheck(storage), ...mesh, ...clock, ...workers];
}

const workerCheck = ({ name, status, lastFailure }: WorkerState): ReadinessCheck => {
  const check = { name: `worker ${name}`, ok: status === "running" };
  if (status === "stuck") return { ...check, message: "It gets no work done." };
  return status === "waiting" && lastFailure ? { ...check, message: "It failed and restarts soon." } : check;
};

async function storageCheck(storage: Storage): Promise<ReadinessCheck> {
  try {
    await storage.check();
    return { name: "storage", ok: true };
  } catch (thrown) {
    return { name: "storage", ok: false, message: toAppError(thrown).message };
  }
}
