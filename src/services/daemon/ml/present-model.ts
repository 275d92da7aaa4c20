import type { MlModel, MlModelDetail } from "../../../contracts/daemon/models/ml.ts";
import { AppError } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { DaemonMl, LoadedMlModels } from "./loaded-models.ts";
import type { MlModelRow } from "./schema.ts";
import { versionsOf } from "./store.ts";

/** Converts a model to the form that the API returns. */
export function presentModel(loaded: LoadedMlModels, row: MlModelRow): MlModel {
  const { name, version, path, task, metadata, inputs, outputs, createdAt } = row;
  return {
    name,
    version,
    format: "onnx",
    path,
    task,
    metadata,
    ...loaded.stateOf(path),
    inputs,
    outputs,
    created_at: createdAt.toISOString(),
  };
}

/** Like `presentModel`, with all versions of the name. */
export async function presentDetail(ml: DaemonMl, name: string, version?: string): Promise<MlModelDetail> {
  const rows = await sortedVersions(ml, name);
  return {
    ...presentModel(ml.loaded, pick(rows, name, version)),
    versions: rows.map((row) => row.version),
  };
}

/** Returns the given version of a name, or the highest one. Throws AppError `model_not_found`. */
export async function getModel(ml: DaemonMl, name: string, version?: string): Promise<MlModelRow> {
  return pick(await sortedVersions(ml, name), name, version);
}

/** Creates the error for an unknown name or version. */
export function modelNotFound(name: string, version?: string): AppError {
  const what = version === undefined ? `a model ${name}` : `a version ${version} of the model ${name}`;
  return new AppError("not_found", "model_not_found", `There is not ${what}.`.replace("not a", "no"), {
    details: { hint: "GET /v1/ml/models lists the models that are registered." },
  });
}

/** Versions, highest first. A pre-release is lower than its release; the part after `+` is ignored. */
async function sortedVersions({ storage }: DaemonMl, name: string): Promise<MlModelRow[]> {
  const rows = await versionsOf(storage, operatorTenant, name);
  return rows.sort(
    (one, other) => Bun.semver.order(other.version, one.version) || (one.version < other.version ? 1 : -1),
  );
}

function pick(rows: readonly MlModelRow[], name: string, version: string | undefined): MlModelRow {
  const row = version === undefined ? rows[0] : rows.find((candidate) => candidate.version === version);
  if (row === undefined) throw modelNotFound(name, rows.length === 0 ? undefined : version);
  return row;
}
