import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { BunPlugin } from "bun";
import { packBundle } from "../../src/services/console/assets/packed-bundle.ts";
import { type BuiltConsole, buildConsole, type ConsoleFile } from "./console.ts";
import { importPacked, packedFolder } from "./packed-imports.ts";

const module = "src/services/console/assets/bundle.ts";
const page = "src/console/main.tsx";

const compress = promisify(brotliCompress);

/** Builds the console, packs it into one file, and replaces `bundle.ts` by the code that reads it. */
export async function embeddedConsole(root: string): Promise<BunPlugin> {
  // Before the build begins: a nested build never ends.
  const contents = existsSync(join(root, module)) ? await opening(root) : undefined;
  return {
    name: "embedded-console",
    setup(build) {
      if (contents === undefined) return;
      build.onLoad({ filter: /\/services\/console\/assets\/bundle\.ts$/ }, () => ({
        contents,
        loader: "js",
      }));
    },
  };
}

async function opening(root: string): Promise<string> {
  if (!existsSync(join(root, page))) return openingNothing;
  const packed = await packConsole(await buildConsole(root), packedFolder(root));
  return `${importPacked("packed", packed)}
import { readPackedBundle } from "./packed-bundle.ts";
export function openBundle() {
  let known;
  const read = () => (known ??= Bun.file(packed).bytes().then(readPackedBundle));
  return { latest: read, current: read };
}`;
}

/** For a source tree without the console: the rest of the program works. */
const openingNothing = `import { AppError } from "../../../kit/app-error.ts";
const none = async () => {
  throw new AppError("unavailable", "console_missing", "This program was built without its console.", {
    details: { hint: "Everything it does can also be done from the command line: see \`argosy help\`." },
  });
};
export const openBundle = () => ({ latest: none, current: none });`;

/** Packs the console with the highest compression, because it is built once and sent often: 4 s for 2 MB, cached while nothing changes. */
async function packConsole(console: BuiltConsole, cache: string): Promise<string> {
  const path = join(cache, `${hashOf(console)}.console`);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const files = await Promise.all(console.files.map(compressed));
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  await Bun.write(draft, packBundle({ ...console, files }));
  renameSync(draft, path);
  return path;
}

async function compressed({ path, type, bytes }: ConsoleFile) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  return { path, type, encoding: "br" as const, bytes: new Uint8Array(await compress(bytes, { params })) };
}

function hashOf({ files, ...parts }: BuiltConsole): string {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(parts));
  for (const { path, type, bytes } of files) hash.update(JSON.stringify([path, type])).update(bytes);
  return hash.digest("hex");
}
