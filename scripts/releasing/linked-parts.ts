import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Software that is linked into another part of the executable, and is not a package of npm. */
export interface LinkedPart {
  name: string;
  version: string;
  /** The licence as an SPDX expression. */
  license: string;
  purl: string;
}

/** What Bun links, by its name in `process.versions`: the repository or project, and the licence. */
const bunParts: Readonly<Record<string, readonly [source: string, license: string]>> = {
  ares: ["github/c-ares/c-ares", "MIT"],
  boringssl: ["github/oven-sh/boringssl", "Apache-2.0 AND OpenSSL AND ISC"],
  icu: ["github/unicode-org/icu", "Unicode-3.0"],
  libarchive: ["github/libarchive/libarchive", "BSD-2-Clause"],
  libdeflate: ["github/ebiggers/libdeflate", "MIT"],
  llhttp: ["github/nodejs/llhttp", "MIT"],
  lolhtml: ["github/cloudflare/lol-html", "BSD-3-Clause"],
  lshpack: ["github/litespeedtech/ls-hpack", "MIT"],
  mimalloc: ["github/microsoft/mimalloc", "MIT"],
  picohttpparser: ["github/h2o/picohttpparser", "MIT"],
  sqlite: ["generic/sqlite", "blessing"],
  tinycc: ["github/oven-sh/tinycc", "LGPL-2.1-or-later"],
  usockets: ["github/uNetworking/uSockets", "Apache-2.0"],
  uwebsockets: ["github/uNetworking/uWebSockets", "Apache-2.0"],
  uv: ["github/libuv/libuv", "MIT"],
  webkit: ["github/oven-sh/WebKit", "LGPL-2.0-or-later AND BSD-2-Clause"],
  zlib: ["github/zlib-ng/zlib-ng", "Zlib"],
  zstd: ["github/facebook/zstd", "BSD-3-Clause"],
};

/** Names of `process.versions` that are not software in it: interfaces that Bun imitates, and what it was made with. */
const notLinked = new Set([
  "bun",
  "modules",
  "napi",
  "node",
  "openssl",
  "typescript",
  "unicode",
  "v8",
  "zig",
]);

/** Returns the libraries that Bun links statically. Throws if Bun names one whose licence is not known here. */
export function linkedInBun(versions: Readonly<Record<string, string | undefined>>): LinkedPart[] {
  return Object.entries(versions)
    .filter(([name, version]) => version !== undefined && !notLinked.has(name))
    .map(([name, version = ""]) => {
      const [source, license] = bunParts[name] ?? [];
      if (source === undefined || license === undefined)
        throw new Error(
          `Bun links ${name}: add its source and licence to scripts/releasing/linked-parts.ts.`,
        );
      return { name, version, license, purl: `pkg:${source.toLowerCase()}@${version}` };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const crateList = "node_modules/@lancedb/lancedb/RUST_THIRD_PARTY_LICENSES.html";

/** Returns the Rust crates that LanceDB's addon links, by the list of licences that comes with LanceDB. */
export function linkedInLance(root: string): LinkedPart[] {
  const path = join(root, crateList);
  if (!existsSync(path)) return [];
  const licenses = new Map<string, Set<string>>();
  for (const section of readFileSync(path, "utf8")
    .split(/<h3 id="/)
    .slice(1)) {
    const license = section.slice(0, section.indexOf('"'));
    const users = section.slice(0, section.indexOf("</ul>"));
    for (const [, name, version] of users.matchAll(/<li><a [^>]*>([\w-]+) ([\w.+-]+)<\/a><\/li>/g)) {
      const crate = `${name}@${version}`;
      licenses.set(crate, (licenses.get(crate) ?? new Set()).add(license));
    }
  }
  if (licenses.size === 0) throw new Error(`${crateList} has changed: no crate was found in it.`);
  return [...licenses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([crate, found]) => ({
      name: crate.slice(0, crate.lastIndexOf("@")),
      version: crate.slice(crate.lastIndexOf("@") + 1),
      license: [...found].sort().join(" AND "),
      purl: `pkg:cargo/${encodeURIComponent(crate).replace("%40", "@")}`,
    }));
}
