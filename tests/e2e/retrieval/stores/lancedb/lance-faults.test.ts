import { describe, expect, test } from "bun:test";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lanceFault } from "../../../../../src/retrieval/stores/lancedb/lance-fault.ts";
import { asked, batchOf, lanceStore, someCollection } from "../../../../support/lance-store.ts";
import { smallDisk, smallDiskMissing } from "../../../../support/small-disk.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (thrown) => ({ code: thrown.code, status: thrown.status, message: thrown.message }),
  );

describe.skipIf(smallDiskMissing !== undefined)(`disks (${smallDiskMissing ?? "as root"})`, () => {
  test("on a full one additions are 503, existing chunks are found, and additions succeed when there is room", async () => {
    using folder = temporaryFolder();
    using disk = smallDisk(8 * 1024);
    const store = lanceStore(folder.path, { place: join(disk.path, "vectors") });
    const collection = await store.open(someCollection, 2);
    await collection.add(batchOf([{ id: "kept", text: "kept" }]));
    const { bavail, bsize } = statfsSync(disk.path);
    writeFileSync(join(disk.path, "ballast"), Buffer.alloc((bavail - 4) * bsize));

    const rows = Array.from({ length: 500 }, (_, at) => ({
      id: `id${at}`,
      text: `${Math.sin(at)}`.repeat(20),
    }));
    expect(await faultOf(collection.add(batchOf(rows)))).toEqual({
      code: "vectors_unavailable",
      status: 503,
      message: "The disk of the vectors is full.",
    });
    expect((await collection.nearest(asked([1, 0], 10))).map(({ id }) => id)).toEqual(["kept"]);
    // Upkeep cannot write either, and does not throw.
    await store.maintain?.(new AbortController().signal);

    rmSync(join(disk.path, "ballast"));
    await collection.add(batchOf(rows));
    expect(await collection.count()).toBe(501);
    await collection.remove({ ids: ["kept"] });
    await store.maintain?.(new AbortController().signal);
    expect(await collection.matching?.({ ...asked([1, 0], 10), text: "kept" })).toEqual([]);
    await store.close();
  });

  test("on one that became read-only searches continue and changes are 503", async () => {
    using folder = temporaryFolder();
    using disk = smallDisk(8 * 1024);
    const store = lanceStore(folder.path, { place: join(disk.path, "vectors") });
    const collection = await store.open(someCollection, 2);
    await collection.add(batchOf([{ id: "a" }]));
    disk.makeReadOnly();
    expect(await collection.nearest(asked([1, 0], 10))).toHaveLength(1);
    const refused = { code: "vectors_unavailable", status: 503 };
    expect(await faultOf(collection.add(batchOf([{ id: "b" }])))).toMatchObject(refused);
    expect(await faultOf(collection.remove({ ids: ["a"] }))).toMatchObject(refused);
    expect(await faultOf(store.drop(someCollection))).toMatchObject(refused);
    expect(await faultOf(store.check())).toMatchObject(refused);
    expect(await collection.count()).toBe(1);
    await store.close();
  });

  test("on a read-only folder a store is 503, and works when that has changed", async () => {
    using folder = temporaryFolder();
    using disk = smallDisk(1024);
    disk.makeReadOnly();
    const store = lanceStore(folder.path, { place: join(disk.path, "vectors") });
    const fault = await faultOf(store.open(someCollection, 2));
    expect(fault).toMatchObject({ code: "vectors_unavailable", status: 503 });
    expect(fault?.message).toContain("can't be written to");
    Bun.spawnSync(["mount", "-o", "remount,rw", disk.path]);
    expect(await (await store.open(someCollection, 2)).count()).toBe(0);
    await store.close();
  });
});

test("a folder that isn't a table of ours is not changed, and the error names it", async () => {
  using folder = temporaryFolder();
  // A file in place of a folder.
  writeFileSync(join(folder.path, "vectors"), "");
  const store = lanceStore(folder.path);
  expect(await faultOf(store.open(someCollection, 2))).toMatchObject({ code: "vectors_unavailable" });
  await store.close();
});

test("an object store that refuses access is 503", async () => {
  using folder = temporaryFolder();
  const server = Bun.serve({ port: 0, fetch: () => new Response("no", { status: 403 }) });
  const store = lanceStore(folder.path, {
    place: "s3://bucket/vectors",
    storageOptions: {
      endpoint: `http://127.0.0.1:${server.port}`,
      aws_access_key_id: "id",
      aws_secret_access_key: "secret",
      region: "us-east-1",
      allow_http: "true",
    },
  });
  const fault = await faultOf(store.open(someCollection, 2));
  expect(fault).toMatchObject({ code: "vectors_unavailable", status: 503 });
  expect(JSON.stringify(fault)).not.toContain("secret");
  await store.close();
  await server.stop(true);
});

test.each([
  [
    "lance error: LanceError(IO): Generic LocalFileSystem error: No space left on device (os error 28)",
    "full",
  ],
  ["Generic S3 error: AccessDenied", "written to or read"],
  ["LanceError(IO): Too many open files (os error 24)", "no more files"],
  ["LanceError(IO): Not found: /x/y.lance", "can't be reached"],
])("%s", (said, message) => {
  const fault = lanceFault(new Error(said)) as { code: string; message: string };
  expect(fault.code).toBe("vectors_unavailable");
  expect(fault.message).toContain(message);
  // LanceDB's own message may contain paths and goes only to the log.
  expect(fault.message).not.toContain("lance");
});

test("a fault of no place is reported unchanged", () => {
  const bug = new TypeError("x is not a function");
  expect(lanceFault(bug)).toBe(bug);
});

/** Starts another process that adds rows named after it. */
function startAdding(folder: string, name: string, count: number) {
  const script = `
    import { batchOf, lanceStore, someCollection } from ${JSON.stringify(join(import.meta.dir, "../../../../support/lance-store.ts"))};
    const store = lanceStore(${JSON.stringify(folder)});
    const collection = await store.open(someCollection, 2);
    for (let at = 0; at < ${count}; at++) {
      await collection.add(batchOf([{ id: ${JSON.stringify(name)} + at }, { id: "shared", text: ${JSON.stringify(name)} }]));
      if (at % 10 === 9) {
        await collection.remove({ ids: [${JSON.stringify(name)} + (at - 5)] });
        await store.maintain(new AbortController().signal);
      }
    }
    await store.close();`;
  return Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] });
}

test("two processes in one folder lose nothing and double nothing", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path);
  const collection = await store.open(someCollection, 2);
  await collection.add(batchOf([{ id: "shared" }]));
  const codes = await Promise.all(["a", "b"].map((name) => startAdding(folder.path, name, 40).exited));
  expect(codes).toEqual([0, 0]);
  const again = lanceStore(folder.path);
  const listed = await (await again.open(someCollection, 2)).list({}, { limit: 1000 });
  const ids = listed.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(1 + 2 * (40 - 4));
  await Promise.all([store.close(), again.close()]);
});
