import type { BundledPackage } from "../building/bundled-packages.ts";
import type { LockEntry } from "./fetch-package.ts";

export interface SbomFacts {
  version: string;
  bunVersion: string;
  /** The time of the commit, in seconds. */
  builtFrom: number;
  packages: readonly BundledPackage[];
  lock: Readonly<Record<string, LockEntry>>;
}

/** Returns the parts of an executable as CycloneDX 1.6. The same source gives the same document. */
export function billOfMaterials({ version, bunVersion, builtFrom, packages, lock }: SbomFacts): object {
  const own = `pkg:generic/argosy@${version}`;
  const components = [
    {
      type: "platform",
      "bom-ref": `pkg:npm/bun@${bunVersion}`,
      name: "bun",
      version: bunVersion,
      licenses: [{ license: { id: "MIT" } }],
      purl: `pkg:npm/bun@${bunVersion}`,
      ...hashes(lock["node_modules/bun"]?.integrity),
    },
    ...packages.map((bundled) => component(bundled, lock[bundled.folder]?.integrity)),
  ];
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, builtFrom, components]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(builtFrom * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": own,
        name: "argosy",
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        purl: own,
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: components.map((each) => each["bom-ref"]) }],
  };
}

function component({ name, version, license }: BundledPackage, integrity: string | undefined) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const isExpression = / (OR|AND|WITH) /.test(license);
  const isNamed = /^[A-Za-z0-9.+-]+$/.test(license) && license !== "NOASSERTION";
  const entry = isExpression
    ? { expression: license }
    : { license: isNamed ? { id: license } : { name: license } };
  return { type: "library", "bom-ref": purl, name, version, licenses: [entry], purl, ...hashes(integrity) };
}

function hashes(integrity: string | undefined): { hashes?: { alg: string; content: string }[] } {
  const [, base64] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  if (base64 === undefined) return {};
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] };
}

/** Returns a UUID (version 8, RFC 9562) that depends on a text alone. */
function uuidOf(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
