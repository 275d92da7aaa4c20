import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { BunPlugin } from "bun";
import { importPacked, packedFolder } from "./packed-imports.ts";
import { buildWidget } from "./widget.ts";

const module = "src/services/gateway/webchat/widget-script.ts";

/** Builds the web chat's widget, compresses it, and replaces `widget-script.ts` by the code that reads it. */
export async function embeddedWidget(root: string): Promise<BunPlugin> {
  // Before the build begins: a nested build never ends.
  const contents = existsSync(join(root, module)) ? await reading(root) : undefined;
  return {
    name: "embedded-widget",
    setup(build) {
      if (contents === undefined) return;
      build.onLoad({ filter: /\/gateway\/webchat\/widget-script\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}

async function reading(root: string): Promise<string> {
  const folder = packedFolder(root);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "widget.js.br");
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Bun.write(path, brotliCompressSync(await buildWidget(root), { params }));
  return `${importPacked("packed", path)}
export const openWidget = () => ({
  read: async () => ({ encoding: "br", bytes: await Bun.file(packed).bytes() }),
});`;
}
