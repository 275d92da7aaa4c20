import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that does not depend on how much of them is equal. */
export function equalSecrets(a: string, b: string): boolean {
  // `timingSafeEqual` throws on unequal lengths, and the length itself is a hint.
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
