const MEMORY_SECTION = 5;

/**
 * The same WebAssembly module with limited memory: an allocation beyond `pagesMax` pages (64 KiB each) traps. Expects one memory without a
 * maximum, as Rust's toolchain generates it.
 */
export function limitWasmMemory(module: Uint8Array, pagesMax: number): Uint8Array<ArrayBuffer> {
  let offset = 8; // magic and version
  while (offset < module.length) {
    const start = offset;
    const id = module[offset];
    const size = readUnsigned(module, offset + 1);
    const end = size.next + size.value;
    if (id === MEMORY_SECTION) {
      const flags = module[size.next + 1];
      if (module[size.next] !== 1 || flags !== 0) throw new Error("expected one memory without a maximum");
      const pagesMin = readUnsigned(module, size.next + 2).value;
      const body = [1, 1, ...unsigned(pagesMin), ...unsigned(pagesMax)];
      return joined(
        module.subarray(0, start),
        [MEMORY_SECTION, ...unsigned(body.length), ...body],
        module.subarray(end),
      );
    }
    offset = end;
  }
  throw new Error("the module declares no memory");
}

// Reads an integer in LEB128: seven bits per byte, lowest first; the high bit is set if more bytes follow.
function readUnsigned(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0, next = at; ; shift += 7) {
    const byte = bytes[next++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, next };
  }
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function joined(...parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
