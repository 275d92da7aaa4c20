import { crc32, deflateRawSync } from "node:zlib";

/** A part of an archive, with false claims in its records. */
export interface ZipPart {
  name: string;
  content: Uint8Array | string;
  /** The bytes in the archive; deflated content by default. */
  packed?: Uint8Array;
  method?: number;
  /** The claimed size. */
  size?: number;
  checksum?: number;
  flags?: number;
  /** The upper half of the attributes is a file's mode. */
  attributes?: number;
  /** The claimed offset of its bytes. */
  offset?: number;
}

/** Creates a ZIP archive of these parts, in their order; two may have the same name. */
export function zipOf(parts: readonly ZipPart[]): Uint8Array {
  const locals: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const part of parts) {
    const content = typeof part.content === "string" ? Buffer.from(part.content) : part.content;
    const packed = part.packed ?? (part.method === 0 ? content : deflateRawSync(content));
    const name = Buffer.from(part.name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(part.flags ?? 0, 2);
    fields.writeUInt16LE(part.method ?? 8, 4);
    fields.writeUInt32LE(part.checksum ?? crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(part.size ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(part.attributes ?? 0, 6);
    tail.writeUInt32LE(part.offset ?? offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"), fields, tail, name);
    locals.push(Buffer.from("PK\u0003\u0004", "latin1"), fields, name, packed);
    offset += 30 + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, listed, end]));
}
