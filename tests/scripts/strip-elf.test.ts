import { dlopen } from "bun:ffi";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strippedLibrary } from "../../scripts/building/strip-elf.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
const library = [`/lib/${machine}-linux-gnu/libm.so.6`, "/lib64/libm.so.6"].find((path) => existsSync(path));
const named = library === undefined ? " (no libm.so.6 here)" : "";

test.skipIf(library === undefined)(`a stripped library is smaller and works${named}`, () => {
  using folder = temporaryFolder();
  const full = readFileSync(library ?? "");
  const bytes = strippedLibrary(library ?? "");
  expect(bytes.length).toBeLessThan(full.length);
  const path = join(folder.path, "stripped.so");
  writeFileSync(path, bytes);
  const { symbols } = dlopen(path, { cos: { args: ["f64"], returns: "f64" } });
  expect(symbols.cos(0)).toBe(1);
});

/** A header of 64 bytes and one segment that is loaded: 8 bytes after the headers. */
function elf(segmentBytes: bigint, rest: string): Buffer {
  const bytes = Buffer.alloc(128 + rest.length);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeBigUInt64LE(136n, 40);
  for (const [at, value] of [
    [54, 56],
    [56, 1],
    [60, 3],
    [62, 2],
  ] as const)
    bytes.writeUInt16LE(value, at);
  bytes.writeBigUInt64LE(120n, 64 + 8);
  bytes.writeBigUInt64LE(segmentBytes, 64 + 32);
  bytes.write(rest, 128);
  return bytes;
}

test("what follows the last segment goes, with the table of sections", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "library");
  writeFileSync(path, elf(16n, "segment!symbols and names"));
  const stripped = Buffer.from(strippedLibrary(path));
  expect(stripped.subarray(120).toString()).toBe("\0\0\0\0\0\0\0\0segment!");
  expect([stripped.readBigUInt64LE(40), stripped.readUInt16LE(60), stripped.readUInt16LE(62)]).toEqual([
    0n,
    0,
    0,
  ]);
});

test.each([
  ["a library of macOS", Buffer.from([0xcf, 0xfa, 0xed, 0xfe, ...new Array(100).fill(1)])],
  ["a library of Windows", Buffer.from(`MZ${"x".repeat(100)}`)],
  ["a cut file", elf(1_000n, "short")],
  ["an empty file", Buffer.alloc(0)],
])("%s stays as it is", (_, bytes) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "library");
  writeFileSync(path, bytes);
  expect(Buffer.from(strippedLibrary(path)).equals(bytes)).toBe(true);
});
