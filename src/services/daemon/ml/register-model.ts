import type { MlModel, MlRegistration } from "../../../contracts/daemon/models/ml.ts";
import { AppError } from "../../../kit/app-error.ts";
import { findModelFile } from "../../../onnx/model-file.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { presentModel } from "./present-model.ts";
import type { MlModelRow } from "./schema.ts";
import { filesInUse, type Inserted, insertModel, versionsOf } from "./store.ts";

const METADATA_BYTES_MAX = 16 * 1024;
const MODELS_MAX = 1000;
const versionDefault = "1.0.0";

/**
 * Loads a model to learn its inputs and outputs, and stores it under a name and version. Refuses an existing version, and a file that can't
 * be loaded; nothing is stored then.
 */
export async function registerModel(
  deps: DaemonDeps,
  registration: MlRegistration,
  signal: AbortSignal,
): Promise<MlModel> {
  const { ml } = deps;
  const { name, version = versionDefault, path, metadata = {} } = registration;
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX) {
    throw invalid("metadata", `must be at most ${METADATA_BYTES_MAX} bytes of JSON`);
  }
  const { name: file } = findModelFile(ml.shelf.folder, path);
  const known = await versionsOf(ml.storage, operatorTenant, name);
  if (known.some((row) => row.version === version)) throw refusals.exists(name, version);
  try {
    const row = await keepModel(deps, { ...registration, version, metadata, path: file }, signal);
    return presentModel(ml.shelf, row);
  } catch (thrown) {
    // Unloads the model unless another registration uses its file.
    const used = await filesInUse(ml.storage, operatorTenant, [file]);
    if (!used.has(file)) ml.shelf.release(file);
    throw thrown;
  }
}

async function keepModel(
  { ml, clock, log }: DaemonDeps,
  { name, version, path, task, metadata }: MlRegistration & { version: string; metadata: object },
  signal: AbortSignal,
): Promise<MlModelRow> {
  const { inputs, outputs } = await ml.shelf.session(path, signal);
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

const refusals: Record<Exclude<Inserted, "inserted">, (name: string, version: string) => AppError> = {
  exists: (name, version) =>
    new AppError(
      "conflict",
      "model_exists",
      `Version ${version} of the model ${name} is registered already.`,
      {
        details: { hint: "Register it under another version, or delete that one first." },
      },
    ),
  full: () =>
    new AppError("conflict", "model_limit_reached", `There are ${MODELS_MAX} models already.`, {
      details: { hint: "Delete some that are not needed any more." },
    }),
};

function invalid(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
