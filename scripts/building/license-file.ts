import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BundledPackage, licenseTexts } from "./bundled-packages.ts";

/** Returns the licences of everything in the executable as one text: Argosy's own, the runtime's, and each package's. */
export function licenseFile(root: string, packages: readonly BundledPackage[], bunVersion: string): string {
  const rule = "=".repeat(80);
  const width = Math.max(...packages.map(({ name, version }) => `${name} ${version}`.length), 0);
  return [
    "Argosy and the software in its executable",
    "",
    "Argosy: Apache-2.0 (text below)",
    `Bun ${bunVersion}: MIT (notice below)`,
    ...packages.map(({ name, version, license }) => `${`${name} ${version}:`.padEnd(width + 2)}${license}`),
    "",
    rule,
    "Argosy",
    rule,
    readFileSync(join(root, "LICENSE"), "utf8").trim(),
    "",
    rule,
    `Bun ${bunVersion}`,
    rule,
    bunNotice(bunVersion),
    "",
    ...packages.flatMap((bundled) => [
      rule,
      `${bundled.name} ${bundled.version}`,
      rule,
      ...textsOf(root, bundled),
      "",
    ]),
  ].join("\n");
}

/** Bun's npm package has no licence file. LGPL asks for the way to the library's source. */
const bunNotice = (
  version: string,
): string => `The JavaScript runtime in this executable is Bun, under the MIT licence. It statically links
JavaScriptCore and WebKit, which are under the GNU Library General Public License 2, and libraries under MIT, BSD,
Apache-2.0, zlib and ICU licences. Their list, the licences, the source, and how to link a changed JavaScriptCore:
https://github.com/oven-sh/bun/blob/bun-v${version}/LICENSE.md`;

function textsOf(root: string, bundled: BundledPackage): string[] {
  const texts = licenseTexts(root, bundled);
  if (texts.length > 0) return texts.flatMap(({ text }) => [text, ""]).slice(0, -1);
  const about = JSON.parse(
    readFileSync(join(bundled.files ?? join(root, bundled.folder), "package.json"), "utf8"),
  );
  const author = typeof about.author === "string" ? about.author : about.author?.name;
  const source = typeof about.repository === "string" ? about.repository : about.repository?.url;
  return [
    `The package has no licence text. Its package.json says ${bundled.license}.`,
    ...(author === undefined ? [] : [`Author: ${author}`]),
    ...(source === undefined ? [] : [`Source: ${source}`]),
  ];
}
