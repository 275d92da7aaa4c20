const blockBytes = 512;

/**
 * Packs files into a gzipped tar archive (POSIX.1-1988, ustar), as base64. Equal files give equal bytes: owners and times are zero. Names
 * have at most 100 ASCII characters.
 */
export function sourceArchive(files: Readonly<Record<string, string>>): string {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    return [header(name, content.length), content, Buffer.alloc(padding(content.length))];
  });
  const tar = Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
  return Buffer.from(Bun.gzipSync(tar)).toString("base64");
}

const padding = (bytes: number) => (blockBytes - (bytes % blockBytes)) % blockBytes;

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  block.write(name, 0, 100, "ascii");
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  // The checksum is computed with spaces in its own place.
  block.write("        ", 148);
  block.write("0", 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
