import type { BundledPackage } from "../building/bundled-packages.ts";
import type { LockEntry } from "./fetch-package.ts";
import type { LinkedPart } from "./linked-parts.ts";

export interface SbomFacts {
  version: string;
  bunVersion: string;
  /** The time of the commit, in seconds. */
  builtFrom: number;
  packages: readonly BundledPackage[];
  /** What the runtime and LanceDB's addon link statically. */
  linked: { inBun: readonly LinkedPart[]; inLance: readonly LinkedPart[] };
  lock: Readonly<Record<string, LockEntry>>;
}

/** Returns the parts of an executable as CycloneDX 1.6. The same source gives the same document. */
export function billOfMaterials({
  version,
  bunVersion,
  builtFrom,
  packages,
  linked,
  lock,
}: SbomFacts): object {
  const own = `pkg:generic/argosy@${version}`;
  const bun = `pkg:npm/bun@${bunVersion}`;
  const addon = packages.find(({ name }) => name.startsWith("@lancedb/lancedb-"));
  const direct = [
    {
      type: "platform",
      "bom-ref": bun,
      name: "bun",
      version: bunVersion,
      licenses: [{ license: { id: "MIT" } }],
      purl: bun,
      ...hashes(lock["node_modules/bun"]?.integrity),
    },
    ...packages.map((bundled) => component(bundled, lock[bundled.folder]?.integrity)),
  ];
  const inBun = linked.inBun.map(linkedComponent);
  const inLance = addon === undefined ? [] : linked.inLance.map(linkedComponent);
  const components = [...direct, ...inBun, ...inLance];
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
    dependencies: [
      { ref: own, dependsOn: refs(direct) },
      { ref: bun, dependsOn: refs(inBun) },
      ...(addon === undefined ? [] : [{ ref: purlOf(addon), dependsOn: refs(inLance) }]),
    ],
  };
}

const refs = (components: readonly { "bom-ref": string }[]) => components.map((each) => each["bom-ref"]);

const purlOf = ({ name, version }: Pick<BundledPackage, "name" | "version">) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

const linkedComponent = ({ name, version, license, purl }: LinkedPart) => ({
  type: "library",
  "bom-ref": purl,
  name,
  version,
  licenses: [licenseEntry(license)],
  purl,
});

function component({ name, version, license }: BundledPackage, integrity: string | undefined) {
  const purl = purlOf({ name, version });
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    licenses: [licenseEntry(license)],
    purl,
    ...hashes(integrity),
  };
}

function licenseEntry(license: string) {
  if (/ (OR|AND|WITH) /.test(license)) return { expression: license };
  const isNamed = /^[A-Za-z0-9.+-]+$/.test(license) && license !== "NOASSERTION";
  return { license: isNamed ? { id: license } : { name: license } };
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
