import { join } from "node:path";
import type { BunPlugin } from "bun";

/** Bundles `src/widget` into the one script that pages embed. The build is reproducible. */
export async function buildWidget(root: string): Promise<Uint8Array<ArrayBuffer>> {
  const built = await Bun.build({
    entrypoints: [join(root, "src/widget/main.ts")],
    target: "browser",
    // A function of its own: a page's script shares its names with all others.
    format: "iife",
    minify: true,
    plugins: [plainStyles],
  });
  const [script, ...others] = built.outputs;
  if (script === undefined || others.length > 0) throw new Error("The widget does not bundle into one file.");
  return new Uint8Array(await script.arrayBuffer());
}

/** Imports style sheets as text, without comments and needless white space. */
const plainStyles: BunPlugin = {
  name: "plain-styles",
  setup(build) {
    build.onLoad({ filter: /\/src\/widget\/.*\.css$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text())
        .replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, "")
        .replace(/\s+/g, " ")
        .replace(/ ?([{};,]) ?/g, "$1")
        .replace(/: /g, ":")
        .trim(),
      loader: "text",
    }));
  },
};

/** `bun scripts/building/widget.ts` prints the script. */
if (import.meta.main) await Bun.write(Bun.stdout, await buildWidget(join(import.meta.dir, "../..")));
