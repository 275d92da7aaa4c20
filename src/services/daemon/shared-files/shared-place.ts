/** Copies of shared entries on this node. */
export interface SharedPlace {
  /** True for the paths of its entries. */
  has(path: string): boolean;
  /** Digests of the copies by path, and why others are not shared. */
  list(): { copies: ReadonlyMap<string, string>; faults: ReadonlyMap<string, string> };
  read(path: string): string;
  /** Throws if the copy can't be written. */
  write(path: string, text: string): void;
  remove(path: string): void;
}

export const digestOf = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("base64url");
