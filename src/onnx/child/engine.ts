import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import * as ort from "onnxruntime-web/wasm";
import { engineFile } from "./engine-file.ts";

/** ONNX Runtime, ready to load models. */
export type Engine = typeof ort;
export type Session = ort.InferenceSession;
export type EngineTensor = ort.Tensor;

/** 3 GiB in pages of 64 KiB: what all loaded models and a call may take together. */
const MEMORY_PAGES_MAX = 49_152;

/**
 * Starts ONNX Runtime in this process, without threads and with its memory bounded: what doesn't fit is refused by an error
 * (`std::bad_alloc`), however a model asks for it.
 */
export function startEngine(pagesMax = MEMORY_PAGES_MAX): Engine {
  boundMemories(pagesMax);
  ort.env.logLevel = "fatal";
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = readWasm();
  return ort;
}

function readWasm(): Uint8Array<ArrayBuffer> {
  const bytes = readFileSync(engineFile.file);
  return Uint8Array.from(engineFile.isPacked ? zstdDecompressSync(bytes) : bytes);
}

/** The library makes its memory itself, as large as it can be; a smaller maximum is the only way to bound it. */
function boundMemories(pagesMax: number): void {
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super({ ...descriptor, maximum: Math.min(descriptor.maximum ?? pagesMax, pagesMax) });
    }
  };
}
