import { imageTypeOf } from "../../../channels/media/image-type.ts";
import type { MediaKind } from "../../../channels/sending/outgoing-message.ts";

const text = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.subarray(from, to)).toString("latin1");

/** Types whose first bytes say no more than that they are archives. */
const zipped = /^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+$/;
/** Brands of the containers that phones record. */
const audioBrands = /^(?:M4A |M4B |F4A )$/;

/**
 * Returns the type of a file by its bytes; what a sender declares counts only where the bytes agree. Whatever a browser could run, such as
 * HTML, SVG and scripts, is plain text or bytes.
 */
export function sniffType(bytes: Uint8Array, declared = ""): string {
  const image = imageTypeOf(bytes);
  if (image !== undefined) return image;
  const head = text(bytes, 0, 16);
  const wanted = declared.split(";")[0]?.trim().toLowerCase() ?? "";
  if (head.startsWith("%PDF-")) return "application/pdf";
  if (head.startsWith("OggS")) return wanted === "video/ogg" ? wanted : "audio/ogg";
  if (head.startsWith("ID3") || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2)) return "audio/mpeg";
  if (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0) return "audio/aac";
  if (head.startsWith("#!AMR")) return "audio/amr";
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WAVE") return "audio/wav";
  if (head.slice(4, 8) === "ftyp") return typeOfBox(head.slice(8, 12), wanted);
  if (head.startsWith("\x1aE\xdf\xa3")) return wanted === "audio/webm" ? wanted : "video/webm";
  if (head.startsWith("PK\x03\x04")) return zipped.test(wanted) ? wanted : "application/zip";
  return isText(bytes) ? (wanted === "text/csv" ? wanted : "text/plain") : "application/octet-stream";
}

function typeOfBox(brand: string, wanted: string): string {
  if (audioBrands.test(brand) || wanted === "audio/mp4") return "audio/mp4";
  if (brand.startsWith("3gp")) return "video/3gpp";
  return brand === "qt  " ? "video/quicktime" : "video/mp4";
}

/** Bytes that decide whether a file is text. */
const looked = 64 * 1024;

function isText(bytes: Uint8Array): boolean {
  const some = bytes.subarray(0, looked);
  if (some.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))) return false;
  try {
    // The last character may be cut.
    new TextDecoder("utf-8", { fatal: true }).decode(some, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The kind under which channels send a file of a type. */
export function kindOfType(type: string): MediaKind {
  const [group] = type.split("/");
  if (group === "image" && type !== "image/gif") return "image";
  return group === "audio" || group === "video" ? group : "document";
}
