import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import type { VectorStore } from "../../../../src/retrieval/stores/vector-store.ts";
import { checkVectors } from "../../../../src/services/daemon/doctor/check-vectors.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const unasked = () => {
  throw new Error("Nobody was to be asked.");
};
const storeWith = (check: () => Promise<void>) => () => ({ check }) as VectorStore;
const common = { sharesDatabase: false, elsewhere: async () => [], clock: systemClock, probeMs: 3000 };

test("LanceDB of the data folder is looked at without being asked", async () => {
  using folder = temporaryFolder();
  const checked = { ...common, settings: undefined, dataFolder: folder.path, storeOf: unasked };
  expect(await checkVectors(checked)).toEqual({
    status: "healthy",
    message: `Vectors are stored by LanceDB in ${folder.path}/vectors. LanceDB is installed.`,
  });
  const { message } = await checkVectors({ ...checked, sharesDatabase: true });
  expect(message).toEndWith("Other processes on the same database don't see these vectors.");
});

test("an object store's address is in no finding", async () => {
  using folder = temporaryFolder();
  const settings = { backend: "lancedb", url: "s3://bucket/private" };
  const checked = { ...common, settings, dataFolder: folder.path, storeOf: unasked, sharesDatabase: true };
  expect(await checkVectors(checked)).toEqual({
    status: "healthy",
    message: "Vectors are stored by LanceDB in an object store. LanceDB is installed.",
  });
});

test("a server is asked", async () => {
  const checked = { ...common, settings: { backend: "qdrant" }, dataFolder: "/nowhere" };
  expect(await checkVectors({ ...checked, storeOf: storeWith(async () => undefined) })).toEqual({
    status: "healthy",
    message: "Vectors are stored by qdrant, which responds.",
  });
  const down = new AppError("unavailable", "vectors_unavailable", "Qdrant can't be reached.");
  expect(await checkVectors({ ...checked, storeOf: storeWith(() => Promise.reject(down)) })).toEqual({
    status: "failing",
    message: "qdrant does not respond: Qdrant can't be reached.",
    mend: "start qdrant, or correct spec.vectors in runtime.yaml",
  });
});

test("one that says nothing is not waited for", async () => {
  const clock = new FakeClock();
  const looking = checkVectors({
    ...common,
    clock,
    settings: { backend: "chroma" },
    dataFolder: "/nowhere",
    storeOf: storeWith(() => new Promise(() => undefined)),
  });
  await clock.advance(3000);
  expect(await looking).toMatchObject({
    status: "failing",
    message: "chroma does not respond: it did not respond in time.",
  });
});
