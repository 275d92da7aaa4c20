/** Where LanceDB's addon, a shared library of some 200 MB, comes from. */
export type LanceAddon =
  | PackedAddon
  /** From `node_modules`: nothing was compiled. */
  | { kind: "installed" }
  /** An executable for a system whose addon was not there when it was built. */
  | { kind: "absent"; target: string };

export interface PackedAddon {
  kind: "packed";
  /** Inside of the executable, compressed by zstd. */
  file: string;
  /** Of what comes out. */
  sizeBytes: number;
  sha256: string;
}

/** In an executable another module stands here: see scripts/building/embedded-lance.ts. */
export const lanceAddon: LanceAddon = { kind: "installed" };
