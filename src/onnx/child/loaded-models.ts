import { dirname, isAbsolute, join } from "node:path";
import { findModelFile } from "../model-file.ts";
import type { TensorSlot } from "../onnx-runtime.ts";
import type { FileRef } from "../process/messages.ts";
import type { Engine, ModelSession } from "./engine.ts";
import { externalFiles } from "./external-files.ts";
import { ModelFault, reasonOf } from "./model-fault.ts";
import { readUnchanged } from "./read-unchanged.ts";

export interface Loaded {
  session: ModelSession;
  inputs: readonly TensorSlot[];
  outputs: readonly TensorSlot[];
  bytes: number;
}

/** Models in memory, by path and state of their file. */
export class LoadedModels {
  readonly #engine: Engine;
  readonly #models = new Map<string, Loaded>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  find(model: FileRef): Loaded | undefined {
    const key = keyOf(model);
    const loadedModel = this.#models.get(key);
    if (loadedModel === undefined) return undefined;
    this.#models.delete(key);
    this.#models.set(key, loadedModel);
    return loadedModel;
  }

  /**
   * Loads a model; the least recently used ones are unloaded if the files of all exceed `bytesMax`. Throws ModelFault, also if the model
   * alone exceeds it.
   */
  async load(model: FileRef, bytesMax: number): Promise<Loaded> {
    const known = this.find(model);
    if (known) return known;
    await this.#forgetReplaced(model);
    const { data, externalData, bytes } = this.#read(model, bytesMax);
    await this.#makeRoom(bytes, bytesMax);
    let session: ModelSession;
    try {
      session = await this.#engine.InferenceSession.create(data, {
        executionProviders: ["wasm"],
        logSeverityLevel: 4,
        externalData,
      });
    } catch (thrown) {
      throw new ModelFault("model_invalid", `can't be loaded: ${reasonOf(thrown)}`);
    }
    const loaded = {
      session,
      inputs: session.inputMetadata.map(slotOf),
      outputs: session.outputMetadata.map(slotOf),
      bytes,
    };
    this.#models.set(keyOf(model), loaded);
    return loaded;
  }

  async unload(model: FileRef): Promise<void> {
    await this.#release(keyOf(model));
  }

  #read(
    model: FileRef,
    bytesMax: number,
  ): {
    data: Uint8Array;
    externalData: { path: string; data: Uint8Array }[];
    bytes: number;
  } {
    let bytes = 0;
    const count = (more: number) => {
      bytes += more;
      if (bytes > bytesMax) {
        throw new ModelFault(
          "model_invalid",
          `is larger than the ${Math.floor(bytesMax / 2 ** 20)} MiB that models may have`,
        );
      }
    };
    const data = readUnchanged(model, count);
    const externalData = [...externalFiles(data)].map((path) => ({
      path,
      data: readUnchanged(besideModel(model, path), count),
    }));
    return { data, externalData, bytes };
  }

  async #makeRoom(bytes: number, bytesMax: number): Promise<void> {
    for (const key of this.#models.keys()) {
      const loadedBytes = [...this.#models.values()].reduce((sum, model) => sum + model.bytes, 0);
      if (loadedBytes + bytes <= bytesMax) return;
      await this.#release(key);
    }
  }

  async #forgetReplaced({ path }: FileRef): Promise<void> {
    for (const key of this.#models.keys()) if (key.startsWith(`${path}\0`)) await this.#release(key);
  }

  async #release(key: string): Promise<void> {
    const loaded = this.#models.get(key);
    this.#models.delete(key);
    await loaded?.session.release();
  }
}

const keyOf = ({ path, stamp }: FileRef) => `${path}\0${stamp}`;

/** A file that a model names, which must be in the model's folder or below it. */
function besideModel({ root, name }: FileRef, location: string): FileRef {
  try {
    if (isAbsolute(location) || location.split(/[/\\]/).includes("..")) throw new Error("outside");
    return { root, ...findModelFile(root, join(dirname(name), location)) };
  } catch {
    const shortLocation = location.slice(0, 100);
    throw new ModelFault(
      "model_invalid",
      `keeps weights in the file ${shortLocation}, which is not beside it`,
    );
  }
}

/** Converts a slot; -1 in the shape means a variable length. */
function slotOf(slot: ModelSession["inputMetadata"][number]): TensorSlot {
  if (!slot.isTensor) return { name: slot.name, type: "other", shape: [] };
  const shape = slot.shape.map((length) => (typeof length === "number" ? length : -1));
  return { name: slot.name, type: slot.type, shape };
}
