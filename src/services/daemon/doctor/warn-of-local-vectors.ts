import { join } from "node:path";
import type { Logger } from "../../../kit/log.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import type { Dialect } from "../../../storage/tables/columns.ts";

/** Logs a warning if executables that share a database each use their own disk for vectors. */
export function warnOfLocalVectors(
  { runtime, dataFolder }: { runtime: RuntimeFile; dataFolder: string },
  dialect: Dialect,
  log: Logger,
): void {
  const { backend = "lancedb", url } = runtime.spec.vectors ?? {};
  if (dialect !== "postgres" || backend !== "lancedb" || url !== undefined) return;
  log.warn("vectors.local", {
    folder: join(dataFolder, "vectors"),
    hint: "The database is shared, these vectors are not: other executables answer 503 vectors_elsewhere for what is ingested here. Name a shared store with spec.vectors in runtime.yaml.",
  });
}
