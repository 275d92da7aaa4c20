import { randomBytes } from "node:crypto";

const suffixLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
const slugMax = 63 - 7;

/** Creates a DNS label from a display name: its slug and six random characters. */
export function newCrName(displayName: string): string {
  const slug = displayName
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugMax)
    .replaceAll(/^-|-$/g, "");
  return `${slug === "" ? "tenant" : slug}-${suffix()}`;
}

function suffix(): string {
  // 252 is the largest multiple of 36 within a byte. Larger values would make the first characters more frequent.
  const letters: string[] = [];
  while (letters.length < 6) {
    for (const byte of randomBytes(8)) {
      if (byte < 252 && letters.length < 6) letters.push(suffixLetters.charAt(byte % suffixLetters.length));
    }
  }
  return letters.join("");
}
