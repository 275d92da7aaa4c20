import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packFile } from "../../scripts/building/pack-file.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const content = Buffer.from(
  Array.from({ length: 50_000 }, (_, at) => `line ${at % 977} of ${at}\n`).join(""),
);

function staged() {
  const folder = temporaryFolder();
  const source = join(folder.path, "source.node");
  writeFileSync(source, content);
  return { ...folder, source, cache: join(folder.path, "cache"), [Symbol.dispose]: folder[Symbol.dispose] };
}

test("the unpacked bytes are the packed ones, and their size is known beforehand", async () => {
  using place = staged();
  const packed = await packFile(place.source, "fast", place.cache);
  expect(packed.sizeBytes).toBe(content.length);
  expect(packed.sha256).toBe(new Bun.CryptoHasher("sha256").update(content).digest("hex"));
  const bytes = readFileSync(packed.path);
  expect(bytes.length).toBeLessThan(content.length / 3);
  expect(Buffer.from(await Bun.zstdDecompress(bytes)).equals(content)).toBe(true);
});

test("the same source gives the same bytes under the same name, wherever it is packed", async () => {
  using one = staged();
  using other = staged();
  const [first, second] = await Promise.all(
    [one, other].map(({ source, cache }) => packFile(source, "small", cache)),
  );
  expect(readFileSync(first?.path ?? "").equals(readFileSync(second?.path ?? ""))).toBe(true);
  expect(readdirSync(one.cache)).toEqual(readdirSync(other.cache));
});

test("it is packed once for each level, and again when it has changed", async () => {
  using place = staged();
  const pack = (level: "fast" | "small") => packFile(place.source, level, place.cache);
  const { ino } = statSync((await pack("fast")).path);
  expect(statSync((await pack("fast")).path).ino).toBe(ino);
  await pack("small");
  expect(readdirSync(place.cache)).toHaveLength(2);
  writeFileSync(place.source, "other");
  await pack("fast");
  expect(readdirSync(place.cache)).toHaveLength(3);
});

test("builds that pack it at once all get it", async () => {
  using place = staged();
  const packed = await Promise.all([1, 2, 3].map(() => packFile(place.source, "fast", place.cache)));
  expect(new Set(packed.map(({ path }) => path)).size).toBe(1);
  expect(readdirSync(place.cache)).toHaveLength(1);
});
