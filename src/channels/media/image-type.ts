import type { RunImage } from "../../contracts/platform/runs/runs.ts";

const startsWith = (bytes: Uint8Array, signature: readonly number[], at = 0) =>
  signature.every((byte, index) => bytes[at + index] === byte);

const riff = [0x52, 0x49, 0x46, 0x46];
const webp = [0x57, 0x45, 0x42, 0x50];

/** Returns the type of an image that models take, by its first bytes: what a sender declares proves nothing. */
export function imageTypeOf(bytes: Uint8Array): RunImage["media_type"] | undefined {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38])) return "image/gif";
  if (startsWith(bytes, riff) && startsWith(bytes, webp, 8)) return "image/webp";
  return undefined;
}
