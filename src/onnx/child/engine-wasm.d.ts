/** ONNX Runtime as WebAssembly, without GPU support; with `with { type: "file" }` the import is its path. */
declare module "onnxruntime-web/ort-wasm-simd-threaded.wasm" {
  const path: string;
  export default path;
}
