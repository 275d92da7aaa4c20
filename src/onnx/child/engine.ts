import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import * as ort from "onnxruntime-web/wasm";
import { engineFile } from "./engine-file.ts";

/** The ONNX Runtime library. */
export type Engine = typeof ort;
export type ModelSession = ort.InferenceSession;
export type EngineTensor = ort.Tensor;

/** Memory limit of all loaded models and a call together: 3 GiB in pages of 64 KiB. */
const MEMORY_PAGES_MAX = 49_152;

/** Starts ONNX Runtime in this process, without threads and with limited memory. Allocations beyond the limit fail (`std::bad_alloc`). */
export function startEngine(pagesMax = MEMORY_PAGES_MAX): Engine {
  boundMemories(pagesMax);
  ort.env.logLevel = "fatal";
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = readWasm();
  return ort;
}

function readWasm(): Uint8Array<ArrayBuffer> {
  const bytes = readFileSync(engineFile.file);
  return engineFile.isPacked ? zstdDecompressSync(bytes) : bytes;
}

/** The library creates its memory itself with the maximum size, so the limit is set by a smaller maximum. */
function boundMemories(pagesMax: number): void {
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super({ ...descriptor, maximum: Math.min(descriptor.maximum ?? pagesMax, pagesMax) });
    }
  };
}
