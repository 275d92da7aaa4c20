import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { zstdCompressSync } from "node:zlib";
import { pack } from "tar-stream";
import { type ArchivedFile, readArchive, writeArchive } from "../../../src/storage/backup/archive.ts";
import { outcome, refusal } from "../../support/refusal.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "argosy-test-archive-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;
const about = { format: 1 };

async function archived(contents: Readonly<Record<string, string>>): Promise<Buffer> {
  const files = Object.entries(contents).map(([path, text], at): ArchivedFile => {
    const source = join(folder, `source-${at}`);
    writeFileSync(source, `${text}and what was appended later`);
    return { name: `data/${path}`, source, sizeBytes: text.length, mode: 0o600 };
  });
  const output = new PassThrough();
  const bytes = Array.fromAsync(output as AsyncIterable<Buffer>);
  await writeArchive(about, files, output, { signal });
  return Buffer.concat(await bytes);
}

const target = () => join(folder, "target");
const read = (bytes: Uint8Array) => readArchive(Readable.from([bytes]), target(), { signal });

/** A tar with any entries, as a stranger could write it. */
async function foreign(entries: readonly (Record<string, unknown> & { name: string })[]): Promise<Buffer> {
  const tar = pack();
  for (const { text = "", ...header } of entries as { name: string; text?: string }[])
    tar.entry(header, text);
  tar.finalize();
  return zstdCompressSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>)));
}

test("an archive gives back its files and facts", async () => {
  const long = `${"deep/".repeat(40)}file`;
  const bytes = await archived({ "a.db": "database", "b/c": "", [long]: "x".repeat(300_000) });
  const result = await read(bytes);
  expect(result).toEqual({ about, files: ["a.db", "b/c", long] });
  expect(readFileSync(join(target(), "a.db"), "utf8")).toBe("database");
  expect(readFileSync(join(target(), long), "utf8")).toHaveLength(300_000);
});

test("an archive that is cut anywhere, or has another byte anywhere, is refused", async () => {
  const bytes = await archived({ "a.db": "database".repeat(50), "b.db": "other".repeat(70) });
  // A fault in what says nothing about the content, such as the tar's times or its padding, may be accepted.
  const requireRefusedOrWhole = async (given: Uint8Array) => {
    rmSync(target(), { recursive: true, force: true });
    const thrown = await outcome(read(given));
    if (thrown !== undefined) return expect(thrown).toMatchObject({ code: "backup_damaged" });
    expect(readFileSync(join(target(), "a.db"), "utf8")).toBe("database".repeat(50));
    expect(readFileSync(join(target(), "b.db"), "utf8")).toBe("other".repeat(70));
  };
  for (let at = 0; at < bytes.length; at += 7) {
    await requireRefusedOrWhole(bytes.subarray(0, at));
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 0x10;
    await requireRefusedOrWhole(changed);
  }
  expect(await refusal(read(bytes.subarray(0, bytes.length / 2)))).toMatchObject({ code: "backup_damaged" });
});

test.each([
  ["leads out of the folder", { name: "data/../outside" }],
  ["is absolute", { name: "/outside" }],
  ["is outside of data/", { name: "outside" }],
  ["has a Windows separator", { name: "data/..\\outside" }],
  ["has an empty part", { name: "data//outside" }],
  ["is a link", { name: "data/link", type: "symlink", linkname: "/etc" }],
  ["is a hard link", { name: "data/link", type: "link", linkname: "../outside" }],
  ["is a folder", { name: "data/folder", type: "directory" }],
  ["is a device", { name: "data/device", type: "character-device" }],
])("an entry that %s is refused, and nothing is written", async (_, entry) => {
  const bytes = await foreign([{ name: "backup.json", text: "{}" }, entry]);
  expect(await refusal(read(bytes))).toMatchObject({ code: "backup_damaged" });
  expect(existsSync(join(folder, "outside"))).toBeFalse();
  expect(existsSync(target()) ? readdirSync(target()) : []).toEqual([]);
});

test("the same entry twice is refused", async () => {
  const bytes = await foreign([
    { name: "data/a", text: "1" },
    { name: "data/a", text: "2" },
  ]);
  expect(await refusal(read(bytes))).toMatchObject({ code: "backup_damaged" });
});
