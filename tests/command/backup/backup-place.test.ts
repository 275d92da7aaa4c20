import { expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { backupPlace, moveWithoutLinks } from "../../../src/command/backup/backup-place.ts";
import { readArchive } from "../../../src/storage/backup/archive.ts";
import { outcome, refusal } from "../../support/refusal.ts";
import { startS3StandIn } from "../../support/s3-stand-in.ts";
import { smallDisk, smallDiskMissing } from "../../support/small-disk.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const signal = new AbortController().signal;
const streams = { stdin: new PassThrough(), stdout: new PassThrough() };
const placeOf = (argument: string, variables: Readonly<Record<string, string>> = {}, given = streams) =>
  backupPlace(argument, "/", { variable: (name) => variables[name] }, given);

const write = (output: Writable, ...chunks: (string | Uint8Array)[]) =>
  pipeline(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), output);

test("of two backups to one file, one is kept whole and the other is refused", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.tar.zst");
  const [first, second] = [await placeOf(path), await placeOf(path)];
  const [one, other] = [await first.write(), await second.write()];
  await write(one.output, "one");
  await write(other.output, "other, and longer");
  await one.keep();
  expect(await refusal(other.keep())).toMatchObject({ kind: "conflict", code: "backup_exists" });
  await other.drop();
  expect(readFileSync(path, "utf8")).toBe("one");
  expect(readdirSync(folder.path)).toEqual(["a.tar.zst"]);
});

test("a backup that is dropped leaves the draft of another", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.tar.zst");
  const place = await placeOf(path);
  const [one, other] = [await place.write(), await place.write()];
  await write(one.output, "one");
  other.output.destroy();
  await other.drop();
  await one.keep();
  expect(readFileSync(path, "utf8")).toBe("one");
});

test("a name that exists is refused at the beginning, also a link that leads nowhere", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.tar.zst");
  symlinkSync(join(folder.path, "absent"), path);
  expect(await refusal((await placeOf(path)).write())).toMatchObject({ code: "backup_exists" });
  expect(readdirSync(folder.path)).toEqual([basename(path)]);
});

test("without hard links, a draft gets its name only if the name is free", async () => {
  using folder = temporaryFolder();
  const [draft, path] = [join(folder.path, "draft"), join(folder.path, "a")];
  writeFileSync(draft, "one");
  await moveWithoutLinks(draft, path);
  expect([readdirSync(folder.path), readFileSync(path, "utf8")]).toEqual([["a"], "one"]);
  writeFileSync(draft, "other");
  expect(await refusal(moveWithoutLinks(draft, path))).toMatchObject({ code: "backup_exists" });
  expect(readFileSync(path, "utf8")).toBe("one");
  // A move that fails doesn't keep the name.
  expect(await refusal(moveWithoutLinks(join(folder.path, "absent"), join(folder.path, "b")))).toMatchObject({
    code: "backup_place_unusable",
  });
  expect(readdirSync(folder.path).toSorted()).toEqual(["a", "draft"]);
});

const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" };

test("a backup that fails never removes another's object, and none is overwritten at the end", async () => {
  await using store = startS3StandIn();
  const variables = { ...keys, AWS_ENDPOINT_URL_S3: store.storageOptions.endpoint as string };
  const place = await placeOf("s3://backups/a", variables);
  const { output, drop } = await place.write();
  const other = await (await placeOf("s3://backups/a", variables)).write();
  await write(other.output, "other");
  await other.keep();
  expect(await outcome(write(output, "mine"))).toMatchObject({ code: "backup_exists" });
  await drop();
  expect([...store.objects].map(([key, bytes]) => [key, Buffer.from(bytes).toString()])).toEqual([
    ["a", "other"],
  ]);
});

test("an empty variable is a variable that is not set", async () => {
  await using store = startS3StandIn();
  const endpoint = store.storageOptions.endpoint as string;
  const variables = {
    ...keys,
    AWS_ENDPOINT_URL_S3: "",
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: "",
    AWS_DEFAULT_REGION: "",
    AWS_SESSION_TOKEN: "",
  };
  const { output, keep } = await (await placeOf("s3://backups/a", variables)).write();
  await write(output, "mine");
  await keep();
  expect([...store.objects.keys()]).toEqual(["a"]);
  for (const name of Object.keys(keys))
    expect(await refusal(placeOf("s3://backups/a", { ...variables, [name]: "" }))).toMatchObject({
      code: "s3_credentials_missing",
    });
});

const full = `a full disk at the place is told as such${smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`}`;
test.skipIf(smallDiskMissing !== undefined)(full, async () => {
  using disk = smallDisk(64);
  const place = await placeOf(join(disk.path, "a"));
  const { output, drop } = await place.write();
  const error = await refusal(write(output, Buffer.alloc(1024 * 1024)));
  expect(error).toMatchObject({
    code: "backup_place_unusable",
    message: expect.stringContaining("its disk is full"),
  });
  await drop();
  expect(readdirSync(disk.path)).toEqual([]);
});

test("errors of standard output and input are reported as such", async () => {
  const fault = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(fault) }).on("error", () => {});
  const stdin = new Readable({
    read() {
      this.destroy(Object.assign(new Error("input"), { code: "EIO" }));
    },
  });
  const place = await placeOf("-", {}, { stdin, stdout } as never);
  const { output } = await place.write();
  expect(await refusal(write(output, "mine"))).toMatchObject({
    message: expect.stringContaining("its reader has ended"),
  });
  using folder = temporaryFolder();
  const read = readArchive(await place.read(), folder.path, { signal });
  expect(await refusal(read)).toMatchObject({ code: "backup_place_unusable" });
});
