import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type PackLevel, packFile } from "./pack-file.ts";

const wasm = "onnxruntime-web/ort-wasm-simd-threaded.wasm";

/** Puts ONNX Runtime's WebAssembly, packed, in the place of `engine-file.ts`. It is the same for every system. */
export function embeddedOnnx(root: string, level: PackLevel): BunPlugin {
  return {
    name: "embedded-onnx",
    setup(build) {
      build.onLoad({ filter: /\/onnx\/child\/engine-file\.ts$/ }, async () => {
        const { path } = await packFile(Bun.resolveSync(wasm, root), level, join(root, ".cache/packed"));
        const contents = `import file from ${JSON.stringify(path)} with { type: "file" };\nexport const engineFile = { file, isPacked: true };`;
        return { contents, loader: "ts" };
      });
    },
  };
}
