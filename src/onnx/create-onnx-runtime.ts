import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import { findModelFile, type ModelFile } from "./model-file.ts";
import type { OnnxRuntime, OnnxSession, Tensor } from "./onnx-runtime.ts";
import type { FileRef, LoadedModel } from "./process/messages.ts";
import { type OnnxCalls, type OnnxLimits, OnnxProcess } from "./process/onnx-process.ts";
import { createTextModel } from "./run-text-model.ts";

export interface OnnxRuntimeOptions {
  /** `<data>/models`; may be missing. */
  folder: string;
  /** Command that starts `runOnnxChild` in its own process: the executable with its hidden command, or bun with the file. */
  childCommand: readonly string[];
  /** Makes ONNX Runtime's package available before that process starts; not given: it is. */
  install?: () => Promise<void>;
  clock: Clock;
  log: Logger;
  limits?: Partial<OnnxLimits>;
}

const defaultLimits: OnnxLimits = {
  loadMs: 120_000,
  callMs: 60_000,
  graceMs: 2000,
  waitingMax: 512,
  modelBytesMax: 1024 * 1024 * 1024,
};

/** Creates a runtime that runs models with ONNX Runtime as WebAssembly, in a child process that starts with the first call. */
export function createOnnxRuntime({
  folder,
  childCommand,
  limits,
  ...ports
}: OnnxRuntimeOptions): OnnxRuntime {
  const process = new OnnxProcess({
    command: childCommand,
    ...ports,
    limits: { ...defaultLimits, ...limits },
  });
  /** Number of sessions per model: closing the last one frees its memory. */
  const open = new Map<string, number>();
  let generations = 0;

  const close = async (model: FileRef): Promise<void> => {
    const left = (open.get(model.stamp) ?? 1) - 1;
    if (left > 0) open.set(model.stamp, left);
    else {
      open.delete(model.stamp);
      await process.free({ op: "unload", model });
    }
  };

  const ownedBy = (owner: () => string): OnnxRuntime => {
    const calls = process.for(owner);
    return {
      folder,
      async open(path, signal) {
        const model = refTo(folder, findModelFile(folder, path));
        const loaded = await calls.load(model, signal);
        open.set(model.stamp, (open.get(model.stamp) ?? 0) + 1);
        return createSession(calls, model, loaded, close);
      },
      text: (files) => createTextModel(calls, folder, files, () => String(++generations)),
      ownedBy,
      close: async () => process.close(),
    };
  };
  return ownedBy(() => "");
}

function createSession(
  process: OnnxCalls,
  model: FileRef,
  { inputs, outputs }: LoadedModel,
  close: (model: FileRef) => Promise<void>,
): OnnxSession {
  let isOpen = true;
  return {
    inputs,
    outputs,
    run: (feeds, signal) => process.call<Record<string, Tensor>>({ op: "run", model, feeds }, signal),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await close(model);
    },
  };
}

const refTo = (root: string, { name, path, stamp }: ModelFile): FileRef => ({ root, name, path, stamp });
