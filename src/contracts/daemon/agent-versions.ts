import { type Static, Type } from "@sinclair/typebox";

export const ManifestOrigin = Type.Union(
  [Type.Literal("file"), Type.Literal("api"), Type.Literal("console")],
  { description: "`file`: the daemon read it from a file. `api` or `console`: it was saved there." },
);
export type ManifestOrigin = Static<typeof ManifestOrigin>;

export const ManifestVersion = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: Type.String({ description: "Instant at which the daemon loaded it (ISO 8601)." }),
  origin: ManifestOrigin,
  checksum: Type.String({ description: "SHA-256 of the manifest as stored, in hex." }),
  bytes: Type.Integer(),
  masked: Type.Boolean({
    description: "True if secrets in the manifest were replaced by a mask. Such a version can't be restored.",
  }),
  current: Type.Boolean({ description: "True if it is the manifest that the agent has now." }),
});
export type ManifestVersion = Static<typeof ManifestVersion>;

export const ManifestVersionList = Type.Object({ versions: Type.Array(ManifestVersion) });
export type ManifestVersionList = Static<typeof ManifestVersionList>;

export const ManifestVersionDetail = Type.Composite([
  ManifestVersion,
  Type.Object({ manifest: Type.String({ description: "YAML text; secrets are masked." }) }),
]);
export type ManifestVersionDetail = Static<typeof ManifestVersionDetail>;
