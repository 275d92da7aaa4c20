import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type PackLevel, packFile } from "./pack-file.ts";

const wasm = "onnxruntime-web/ort-wasm-simd-threaded.wasm";

const module = "src/onnx/child/engine-file.ts";

/** Puts ONNX Runtime's WebAssembly, packed, in the place of `engine-file.ts`. It is the same for every system. */
export async function embeddedOnnx(root: string, level: PackLevel): Promise<BunPlugin> {
  // Before the build begins: it doesn't see files that are made in folders it has looked into.
  const path = existsSync(join(root, module)) ? await packedEngine(root, level) : undefined;
  return {
    name: "embedded-onnx",
    setup(build) {
      if (path === undefined) return;
      build.onLoad({ filter: /\/onnx\/child\/engine-file\.ts$/ }, () => ({
        contents: `import file from ${JSON.stringify(path)} with { type: "file" };\nexport const engineFile = { file, isPacked: true };`,
        loader: "ts",
      }));
    },
  };
}

async function packedEngine(root: string, level: PackLevel): Promise<string> {
  return (await packFile(Bun.resolveSync(wasm, root), level, join(root, ".cache/packed"))).path;
}
