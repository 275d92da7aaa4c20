import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { childCommand } from "../../src/compose/child-command.ts";
import { openOnnx } from "../../src/compose/daemon/onnx.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { createOnnxRuntime, type OnnxRuntimeOptions } from "../../src/onnx/create-onnx-runtime.ts";
import type { OnnxRuntime } from "../../src/onnx/onnx-runtime.ts";
import { type Graph, onnxModel } from "./onnx-model.ts";
import { temporaryFolder } from "./temp-folder.ts";

/** A data folder with models, and the runtime over it; both are removed at the end of the `await using` block. */
export interface OnnxFolder extends AsyncDisposable {
  /** `<data>/models`. */
  path: string;
  runtime: OnnxRuntime;
  /** Writes a file below the folder of models; an object is written as JSON. */
  write(path: string, content: Uint8Array | string | object): void;
}

export const never = new AbortController().signal;

/** Opens a folder. With `options`, the runtime uses those instead of the daemon's. */
export function onnxFolder(options?: Partial<OnnxRuntimeOptions>): OnnxFolder {
  const data = temporaryFolder();
  const path = join(data.path, "models");
  const runtime = options
    ? createOnnxRuntime({
        folder: path,
        childCommand: childCommand("onnx-child"),
        clock: systemClock,
        log: silentLogger,
        ...options,
      })
    : openOnnx(data.path, silentLogger, systemClock);
  return {
    path,
    runtime,
    write: (name, content) => writeModelFile(path, name, content),
    async [Symbol.asyncDispose]() {
      await runtime.close();
      data[Symbol.dispose]();
    },
  };
}

/** Writes a file below a folder of models. */
export function writeModelFile(folder: string, name: string, content: Uint8Array | string | object): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const isRaw = typeof content === "string" || content instanceof Uint8Array;
  writeFileSync(path, isRaw ? content : JSON.stringify(content));
}

/** y = x · w + b, for rows of two numbers. */
export const linearModel = onnxModel({
  inputs: [{ name: "x", type: "float32", shape: ["rows", 2] }],
  outputs: [{ name: "y", type: "float32", shape: ["rows", 1] }],
  constants: [
    { name: "w", type: "float32", shape: [2, 1], data: [2, -1] },
    { name: "b", type: "float32", shape: [1], data: [0.5] },
  ],
  nodes: [
    { op: "MatMul", inputs: ["x", "w"], outputs: ["xw"] },
    { op: "Add", inputs: ["xw", "b"], outputs: ["y"] },
  ],
});

/** Never ends. */
export const endlessModel = onnxModel({
  inputs: [{ name: "x", type: "float32", shape: [1] }],
  outputs: [{ name: "y", type: "float32", shape: [1] }],
  constants: [
    { name: "most", type: "int64", shape: [], data: [Number.MAX_SAFE_INTEGER] },
    { name: "yes", type: "bool", shape: [], data: [1] },
  ],
  nodes: [
    {
      op: "Loop",
      inputs: ["most", "yes", "x"],
      outputs: ["y"],
      attributes: {
        body: {
          inputs: [
            { name: "turn", type: "int64", shape: [] },
            { name: "goes", type: "bool", shape: [] },
            { name: "value", type: "float32", shape: [1] },
          ],
          outputs: [
            { name: "goesOn", type: "bool", shape: [] },
            { name: "next", type: "float32", shape: [1] },
          ],
          nodes: [
            { op: "Identity", inputs: ["goes"], outputs: ["goesOn"] },
            { op: "Add", inputs: ["value", "value"], outputs: ["next"] },
          ],
        },
      },
    },
  ],
});

/** Returns the requested number of ones. */
export const onesModel = onnxModel({
  inputs: [{ name: "count", type: "int64", shape: [1] }],
  outputs: [{ name: "ones", type: "float32", shape: ["count"] }],
  constants: [{ name: "one", type: "float32", shape: [1], data: [1] }],
  nodes: [{ op: "Expand", inputs: ["one", "count"], outputs: ["ones"] }],
});

/** Returns its input, for any type. */
export const identityModel = (type: Graph["inputs"][number]["type"]) =>
  onnxModel({
    inputs: [{ name: "x", type, shape: ["n"] }],
    outputs: [{ name: "y", type, shape: ["n"] }],
    nodes: [{ op: "Identity", inputs: ["x"], outputs: ["y"] }],
  });
