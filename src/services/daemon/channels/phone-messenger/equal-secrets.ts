import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are equal, in a time that says nothing about how much of them is. */
export function equalSecrets(a: string, b: string): boolean {
  // `timingSafeEqual` throws on unequal lengths.
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
