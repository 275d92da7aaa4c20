import type { ConsoleBundle } from "./console-bundle.ts";

/** Index at the start of a packed console. The contents of its files follow. */
interface PackedIndex extends Omit<ConsoleBundle, "files"> {
  files: { path: string; type: string; sizeBytes: number }[];
}

const lengthBytes = 4;

/** Packs a console into one file: the length of its index, the index as JSON, then the files, all compressed with brotli. */
export function packBundle({ files, ...parts }: ConsoleBundle): Uint8Array<ArrayBuffer> {
  const index: PackedIndex = {
    ...parts,
    files: files.map(({ path, type, bytes }) => ({ path, type, sizeBytes: bytes.byteLength })),
  };
  const head = new TextEncoder().encode(JSON.stringify(index));
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, head.byteLength);
  return new Uint8Array(Buffer.concat([length, head, ...files.map(({ bytes }) => bytes)]));
}

/** Reads a console from the bytes that `packBundle` created. */
export function readPackedBundle(packed: Uint8Array<ArrayBuffer>): ConsoleBundle {
  const headEnd = lengthBytes + new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const { files, ...parts }: PackedIndex = JSON.parse(
    new TextDecoder().decode(packed.subarray(lengthBytes, headEnd)),
  );
  let at = headEnd;
  return {
    ...parts,
    files: files.map(({ path, type, sizeBytes }) => {
      at += sizeBytes;
      return { path, type, encoding: "br", bytes: packed.subarray(at - sizeBytes, at) };
    }),
  };
}
