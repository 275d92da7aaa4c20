import { expect, test } from "bun:test";
import { systemClock } from "../../../../src/kit/clock.ts";
import { asked, batchOf, lanceStore, someCollection } from "../../../support/lance-store.ts";
import { startS3StandIn } from "../../../support/s3-stand-in.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const place = "s3://bucket/some/vectors";

test("collections live in an object store (stand-in, no real one)", async () => {
  using folder = temporaryFolder();
  await using server = startS3StandIn();
  const { storageOptions } = server;
  const store = lanceStore(folder.path, { place, storageOptions });
  await store.check();
  const collection = await store.open(someCollection, 2);
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: `id${at}`,
    text: `number ${at}`,
    metadata: { at },
  }));
  for (const row of rows) await collection.add(batchOf([row]));
  await collection.add(batchOf([{ id: "id7", text: "replaced", vector: [0, 1] }], "w2"));
  await collection.remove({ filter: { at: { lt: 3 } } });
  await store.maintain?.(new AbortController().signal);

  // Another executable.
  const other = lanceStore(folder.path, { place, storageOptions });
  const same = await other.open(someCollection, 2);
  expect(await same.count()).toBe(37);
  expect(await same.nearest(asked([0, 1], 1))).toMatchObject([{ id: "id7", text: "replaced", score: 1 }]);
  expect(await same.matching?.({ ...asked([1, 0], 5), text: "39" })).toMatchObject([{ id: "id39" }]);
  await other.drop({ ...someCollection, name: "never made" });
  await other.drop(someCollection);
  await other.drop(someCollection);
  expect([...server.objects.keys()].filter((key) => key.endsWith(".lance"))).toEqual([]);
  expect([...server.objects.keys()].every((key) => key.startsWith("some/vectors/"))).toBe(true);
  await Promise.all([store.close(), other.close()]);
});

test("one that never answers is 503 after half a minute", async () => {
  using folder = temporaryFolder();
  const asking = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      asking.resolve();
      return new Promise<Response>(() => undefined);
    },
  });
  const timers: { ms: number; fire: () => void }[] = [];
  const clock = {
    ...systemClock,
    timer(ms: number, fire: () => void) {
      timers.push({ ms, fire });
      return () => undefined;
    },
  };
  const storageOptions = {
    endpoint: `http://127.0.0.1:${server.port}`,
    aws_access_key_id: "id",
    aws_secret_access_key: "key",
    region: "us-east-1",
    allow_http: "true",
    timeout: "1s",
    client_max_retries: "0",
  };
  const store = lanceStore(folder.path, { place, storageOptions, clock });
  const opening = store.open(someCollection, 2).catch((thrown) => thrown);
  await asking.promise;
  expect(timers.map(({ ms }) => ms)).toEqual([30_000]);
  timers[0]?.fire();
  expect(await opening).toMatchObject({ code: "vectors_unavailable", status: 503 });
  await server.stop(true);
  await store.close();
});
