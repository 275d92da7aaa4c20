import type { MlStatus } from "../../../contracts/daemon/models/ml.ts";
import { AppError } from "../../../kit/app-error.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { findModelFile } from "../../../onnx/model-file.ts";
import type { OnnxRuntime, OnnxSession } from "../../../onnx/onnx-runtime.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { MlTables } from "./schema.ts";

interface Place {
  /** Stamp of the file that was last loaded or is being loaded. */
  stamp: string;
  status: Exclude<MlStatus, "registered">;
  error?: string;
  session: Promise<OnnxSession>;
}

/** Storage and loaded models of the model registry. */
export interface DaemonMl {
  storage: Storage<MlTables>;
  loaded: LoadedMlModels;
}

/** Loaded models, by the path of their file. Versions with the same file share one model. */
export class LoadedMlModels {
  readonly #onnx: OnnxRuntime;
  readonly #places = new Map<string, Place>();

  constructor(onnx: OnnxRuntime) {
    this.#onnx = onnx;
  }

  /** Folder of the model files. */
  get folder(): string {
    return this.#onnx.folder;
  }

  stateOf(path: string): { status: MlStatus; error?: string } {
    const place = this.#places.get(path);
    if (place === undefined) return { status: "registered" };
    const { status, error } = place;
    return { status, ...(error === undefined ? {} : { error }) };
  }

  /**
   * Returns the current model of a file. Concurrent callers share one load, which continues if one of them leaves. Loads again if the file
   * was replaced or the last attempt failed. Throws like `OnnxRuntime.open`.
   */
  async session(path: string, signal: AbortSignal): Promise<OnnxSession> {
    const { stamp } = this.#look(path);
    let place = this.#places.get(path);
    if (place === undefined || place.stamp !== stamp || place.status === "error") {
      this.release(path);
      place = this.#load(path, stamp);
    }
    const { session } = place;
    return untilAborted(signal, () => session);
  }

  /** Unloads a file's model and frees its memory. */
  release(path: string): void {
    const place = this.#places.get(path);
    this.#places.delete(path);
    place?.session.then(
      (session) => session.close().catch(() => {}),
      () => {},
    );
  }

  #look(path: string): { stamp: string } {
    try {
      return findModelFile(this.#onnx.folder, path);
    } catch (thrown) {
      const gone = thrown instanceof AppError ? thrown.message : "it could not be read";
      this.release(path);
      const session = Promise.reject(thrown);
      session.catch(() => {});
      this.#places.set(path, { stamp: "", status: "error", error: gone, session });
      throw thrown;
    }
  }

  #load(path: string, stamp: string): Place {
    const session = this.#onnx.open(path, new AbortController().signal);
    const place: Place = { stamp, status: "loading", session };
    this.#places.set(path, place);
    session.then(
      () => {
        place.status = "ready";
      },
      (thrown) => {
        place.status = "error";
        place.error = thrown instanceof AppError ? thrown.message : "it could not be loaded";
      },
    );
    return place;
  }
}
