import { readFileSync, writeFileSync } from "node:fs";
import { crc32, deflateRawSync } from "node:zlib";
import type { Member } from "./tar-file.ts";

/** Writes a zip file with the members under their paths. The same members and time give the same bytes. Members have less than 4 GB. */
export function writeZip(path: string, members: readonly Member[], mtime: number): void {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { path: name, mode, content } of members) {
    const bytes = "file" in content ? readFileSync(content.file) : content;
    const packed = deflateRawSync(bytes, { level: 9 });
    const encoded = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version that can read it
    common.writeUInt16LE(0x0800, 2); // names in UTF-8
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt32LE(dosTime(mtime), 6);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(encoded.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, encoded]);
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02");
    entry.writeUInt16LE(0x0314, 4); // made on Unix, so that the mode counts
    common.copy(entry, 6);
    entry.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, encoded);
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(path, Buffer.concat([...parts, listing, end]));
}

/** Returns a time as MS-DOS writes it, in two-second steps from 1980 on. */
function dosTime(seconds: number): number {
  const time = new Date(Math.max(seconds, 315_532_800) * 1000);
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock =
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | Math.floor(time.getUTCSeconds() / 2);
  return ((day << 16) | clock) >>> 0;
}
