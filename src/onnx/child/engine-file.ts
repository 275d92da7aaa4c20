import file from "onnxruntime-web/ort-wasm-simd-threaded.wasm" with { type: "file" };

/** Path of ONNX Runtime's WebAssembly. In the executable it is compressed: 3 MB instead of 14. */
export const engineFile: { file: string; isPacked: boolean } = { file, isPacked: false };
