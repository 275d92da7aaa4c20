import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of which code is in the executable. */
export interface BundledPackage {
  name: string;
  version: string;
  /** The licence as an SPDX expression, by its package.json. */
  license: string;
  /** Its folder from the root: `node_modules/a`. Several versions of a package are several entries. */
  folder: string;
  /** The folder that has its files, if it is not installed in node_modules. */
  files?: string;
}

/** One bundle of the executable: its entry points, and where it runs. */
interface Bundle {
  entrypoints: string[];
  target: "bun" | "browser";
}

/**
 * Returns the packages of node_modules of which something is in the executable, by name and version. It asks the bundler, so a package that is
 * installed but unused is not in the list. `addon` is the package of LanceDB's addon, with its folder if it is not installed.
 */
export async function bundledPackages(
  root: string,
  addon: string | undefined,
  addonFolder?: string,
): Promise<BundledPackage[]> {
  const bundles: Bundle[] = [
    { entrypoints: [join(root, "src/main.ts")], target: "bun" },
    { entrypoints: [join(root, "src/console/main.tsx")], target: "browser" },
    { entrypoints: [join(root, "src/widget/main.ts")], target: "browser" },
  ];
  const inputs = await Promise.all(
    bundles.filter(({ entrypoints }) => entrypoints.every((path) => existsSync(path))).map(inputsOf),
  );
  const folders = new Set(inputs.flat().flatMap(packageFolder));
  const packages = [...folders].map((folder) => readPackage(root, folder));
  const native = addonFolder ?? (addon === undefined ? undefined : join(root, "node_modules", addon));
  if (addon !== undefined && native !== undefined && existsSync(native))
    packages.push(readPackage(root, `node_modules/${addon}`, native));
  return packages.sort((a, b) => order(`${a.name}@${a.version}`, `${b.name}@${b.version}`));
}

async function inputsOf({ entrypoints, target }: Bundle): Promise<string[]> {
  const built = await Bun.build({
    entrypoints,
    target,
    format: "esm",
    splitting: true,
    metafile: true,
    // The same packages stay outside as in scripts/building/embedded-lance.ts.
    external: target === "bun" ? ["openai", "@huggingface/transformers", "@lancedb/lancedb-*"] : [],
    loader: { ".css": "file" },
  });
  return Object.keys(built.metafile?.inputs ?? {});
}

/** Returns the folder of the package that a file belongs to; none for a file of our own. */
function packageFolder(path: string): string[] {
  const [, folder] =
    /^(?:.*?\/)??(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return folder === undefined ? [] : [folder];
}

function readPackage(root: string, folder: string, files?: string): BundledPackage {
  const { name, version, license, licenses } = JSON.parse(
    readFileSync(join(files ?? join(root, folder), "package.json"), "utf8"),
  );
  const named = license?.type ?? license ?? licenses?.map(({ type }: { type: string }) => type).join(" OR ");
  return { name, version, license: named ?? "NOASSERTION", folder, ...(files ? { files } : {}) };
}

/** Returns the texts of licences and notices in a package's folder, by file name. */
export function licenseTexts(
  root: string,
  { folder, files }: Pick<BundledPackage, "folder" | "files">,
): { file: string; text: string }[] {
  const place = files ?? join(root, folder);
  return readdirSync(place)
    .filter((file) => /^(licen[cs]e|copying|notice|third[-_]?party|.*third_party_licenses)/i.test(file))
    .filter((file) => /(\.(md|txt|html|mit|apache2?|bsd))?$/i.test(file) && !/\.(js|ts|json)$/.test(file))
    .sort(order)
    .map((file) => ({ file, text: plainText(file, readFileSync(join(place, file), "utf8")) }));
}

/** Removes the tags of a page of licences, as the Rust tools write it. */
function plainText(file: string, text: string): string {
  if (!file.endsWith(".html")) return text.replaceAll("\r\n", "\n").trim();
  const characters: Record<string, string> = {
    lt: "<",
    gt: ">",
    amp: "&",
    quot: '"',
    "#x27": "'",
    "#39": "'",
  };
  return text
    .replaceAll(/<(style|head)[^>]*>[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll(/&(lt|gt|amp|quot|#x27|#39);/g, (whole, name: string) => characters[name] ?? whole)
    .replaceAll(/^[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
