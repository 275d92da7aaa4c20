import type { MlDeleted } from "../../../contracts/daemon/models/ml.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { modelNotFound } from "./present-model.ts";
import { deleteModels, filesInUse } from "./store.ts";

/** Deletes one version, or all versions of a name, from the registry. The files stay. */
export async function deleteModel(
  { ml, log }: DaemonDeps,
  name: string,
  version: string | undefined,
): Promise<MlDeleted> {
  const rows = await deleteModels(ml.storage, operatorTenant, name, version);
  if (rows.length === 0) throw modelNotFound(name, version);
  const paths = rows.map(({ path }) => path);
  const used = await filesInUse(ml.storage, operatorTenant, paths);
  for (const path of paths) if (!used.has(path)) ml.shelf.release(path);
  log.info("ml.deleted", { model: name, versions: rows.length });
  const versions = rows.map((row) => row.version).sort((one, other) => Bun.semver.order(other, one));
  return { status: "deleted", name, versions };
}
