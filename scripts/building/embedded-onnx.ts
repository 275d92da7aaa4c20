import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type PackLevel, packFile } from "./pack-file.ts";
import { importPacked, packedFolder } from "./packed-imports.ts";

const wasm = "onnxruntime-web/ort-wasm-simd-threaded.wasm";

const module = "src/onnx/child/engine-file.ts";

/** Replaces `engine-file.ts` by ONNX Runtime's WebAssembly, packed. It is the same for every system. */
export async function embeddedOnnx(root: string, level: PackLevel): Promise<BunPlugin> {
  // Before the build begins: the build does not see files created later in folders that it has already listed.
  const path = existsSync(join(root, module)) ? await packedEngine(root, level) : undefined;
  return {
    name: "embedded-onnx",
    setup(build) {
      if (path === undefined) return;
      build.onLoad({ filter: /\/onnx\/child\/engine-file\.ts$/ }, () => ({
        contents: `${importPacked("file", path)}\nexport const engineFile = { file, isPacked: true };`,
        loader: "ts",
      }));
    },
  };
}

async function packedEngine(root: string, level: PackLevel): Promise<string> {
  return (await packFile(Bun.resolveSync(wasm, root), level, packedFolder(root))).path;
}
