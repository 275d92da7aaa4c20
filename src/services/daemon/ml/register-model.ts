import type { MlDeleted, MlModel, MlRegistration } from "../../../contracts/daemon/models/ml.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { findModelFile } from "../../../onnx/model-file.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { DaemonMl } from "./loaded-models.ts";
import { modelNotFound, presentModel } from "./present-model.ts";
import type { MlModelRow } from "./schema.ts";
import { deleteModels, filesInUse, type Inserted, insertModel, versionsOf } from "./store.ts";

const METADATA_BYTES_MAX = 16 * 1024;
const MODELS_MAX = 1000;
const versionDefault = "1.0.0";

export interface MlDeps {
  ml: DaemonMl;
  clock: Clock;
  log: Logger;
}

/**
 * Loads a model to learn its inputs and outputs, and stores it under a name and version. Refuses an existing version, and a file that can't
 * be loaded; nothing is stored then.
 */
export async function registerModel(
  deps: MlDeps,
  registration: MlRegistration,
  signal: AbortSignal,
): Promise<MlModel> {
  const { ml } = deps;
  const { name, version = versionDefault, path, metadata = {} } = registration;
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX) {
    throw invalid("metadata", `must be at most ${METADATA_BYTES_MAX} bytes of JSON`);
  }
  const { name: file } = findModelFile(ml.loaded.folder, path);
  const known = await versionsOf(ml.storage, operatorTenant, name);
  if (known.some((row) => row.version === version)) throw refusals.exists(name, version);
  try {
    const row = await keepModel(deps, { ...registration, version, metadata, path: file }, signal);
    return presentModel(ml.loaded, row);
  } catch (thrown) {
    // Unloads the model unless another registration uses its file.
    const used = await filesInUse(ml.storage, operatorTenant, [file]);
    if (!used.has(file)) ml.loaded.release(file);
    throw thrown;
  }
}

async function keepModel(
  { ml, clock, log }: MlDeps,
  { name, version, path, task, metadata }: MlRegistration & { version: string; metadata: object },
  signal: AbortSignal,
): Promise<MlModelRow> {
  const { inputs, outputs } = await ml.loaded.session(path, signal);
  const row: MlModelRow = {
    tenant: operatorTenant,
    name,
    version,
    path,
    task: task ?? null,
    metadata: { ...metadata },
    inputs: inputs.map(({ shape, ...slot }) => ({ ...slot, shape: [...shape] })),
    outputs: outputs.map(({ shape, ...slot }) => ({ ...slot, shape: [...shape] })),
    createdAt: clock.now(),
  };
  const outcome = await insertModel(ml.storage, row, MODELS_MAX);
  if (outcome !== "inserted") throw refusals[outcome](name, version);
  log.info("ml.registered", { model: name, version });
  return row;
}

/** Deletes one version, or all versions of a name, from the registry. The files stay. */
export async function deleteModel(
  { ml, log }: MlDeps,
  name: string,
  version: string | undefined,
): Promise<MlDeleted> {
  const rows = await deleteModels(ml.storage, operatorTenant, name, version);
  if (rows.length === 0) throw modelNotFound(name, version);
  const paths = rows.map(({ path }) => path);
  const used = await filesInUse(ml.storage, operatorTenant, paths);
  for (const path of paths) if (!used.has(path)) ml.loaded.release(path);
  log.info("ml.deleted", { model: name, versions: rows.length });
  const versions = rows.map((row) => row.version).sort((one, other) => Bun.semver.order(other, one));
  return { status: "deleted", name, versions };
}

const refusals: Record<Exclude<Inserted, "inserted">, (name: string, version: string) => AppError> = {
  exists: (name, version) =>
    new AppError(
      "conflict",
      "model_exists",
      `Version ${version} of the model ${name} is already registered.`,
      {
        details: { hint: "Register it under another version, or delete that one first." },
      },
    ),
  full: () =>
    new AppError("conflict", "model_limit_reached", `The limit of ${MODELS_MAX} models is reached.`, {
      details: { hint: "Delete models that you no longer need." },
    }),
};

function invalid(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
