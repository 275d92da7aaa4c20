/** ONNX Runtime as WebAssembly, without a graphics card; `with { type: "file" }` gives where it lies. */
declare module "onnxruntime-web/ort-wasm-simd-threaded.wasm" {
  const path: string;
  export default path;
}
