/** Where this executable finds newer ones. */
export interface ReleaseSource {
  /** The system that it was built for, as in file names: `linux-x64-musl`. */
  target: string;
  /** The folder of `release.json`, without a final slash; undefined if it was built without one. */
  url?: string;
  /** Public key (ed25519, 32 bytes in base64) that signs `release.json`. */
  key?: string;
}

/** Set by scripts/build: see scripts/building/release-source.ts. */
declare const BUILD_RELEASE: ReleaseSource | undefined;

export const ownSource: ReleaseSource =
  typeof BUILD_RELEASE === "object" && BUILD_RELEASE !== null ? BUILD_RELEASE : { target: "" };
