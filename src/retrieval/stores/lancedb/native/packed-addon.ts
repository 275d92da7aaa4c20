/** Source of LanceDB's addon, a shared library of about 200 MB. */
export type LanceAddon =
  | PackedAddon
  /** In `node_modules`, when run from source. */
  | { kind: "installed" }
  /** An executable for a system whose addon was missing at build time. */
  | { kind: "absent"; target: string };

export interface PackedAddon {
  kind: "packed";
  /** Embedded in the executable, compressed with zstd. */
  file: string;
  /** Size of the unpacked file. */
  sizeBytes: number;
  sha256: string;
}

/** An executable replaces this module: see scripts/building/embedded-lance.ts. */
export const lanceAddon: LanceAddon = { kind: "installed" };
