/** Returns the digest to store for a random credential: SHA-256 in hex. Random credentials need no slow hash. */
export function credentialDigest(credential: string): string {
  return new Bun.CryptoHasher("sha256").update(credential).digest("hex");
}
