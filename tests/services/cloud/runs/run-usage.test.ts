import { expect, test } from "bun:test";
import type { RuntimeUsage } from "../../../../src/contracts/runtime/runs.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { RunUsage } from "../../../../src/services/cloud/runs/run-usage.ts";
import { startCloud } from "../../../support/cloud.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

const [line] = ended().usage;
const used = (tokens_in: number, cost_micros: number | null = 2) => [
  { ...(line as RuntimeUsage), tokens_in, tokens_out: 0, cost_micros },
];

const day = { orgId: "org-1", day: "2026-03-10", agent: "helper" };

async function stage() {
  const cloud = await startCloud(sqliteEngine);
  const { storage } = cloud.deps;
  let commits = 0;
  let isDown = false;
  const counted: typeof storage = {
    ...storage,
    transact(run, options) {
      commits++;
      if (isDown) throw new AppError("unavailable", "storage_unavailable", "down");
      return storage.transact(run, options);
    },
  };
  return {
    cloud,
    usage: new RunUsage({ ...cloud.deps, storage: counted }),
    commits: () => commits,
    setDown: (down: boolean) => {
      isDown = down;
    },
    stored: async () =>
      (await storage.read.select().from(storage.tables.agentUsage)).map((row) => row.tokens),
    costs: async () =>
      (await storage.read.select().from(storage.tables.usageCosts))
        .map((row) => [row.caller, row.model, row.requests, row.tokens, row.costMicros, row.unpricedTokens])
        .sort(),
  };
}

test("usage of many runs is one commit", async () => {
  const { cloud, usage, commits, stored, costs } = await stage();
  for (let run = 0; run < 100; run++) usage.add(day, "machine", used(3));
  usage.add({ ...day, agent: "other" }, "key:k", used(5, null));
  usage.add(day, "machine", []);
  expect(commits()).toBe(0);
  await cloud.clock.advance(50);
  await usage.flush();
  expect(commits()).toBe(1);
  expect((await stored()).sort()).toEqual([300, 5]);
  expect(await costs()).toEqual([
    ["key:k", "test-model", 1, 5, 0, 5],
    ["machine", "test-model", 100, 300, 200, 0],
  ]);
  await cloud[Symbol.asyncDispose]();
});

test("usage that can't be written waits and is written once; a test costs, but adds no tokens", async () => {
  const { cloud, usage, setDown, stored, costs } = await stage();
  setDown(true);
  usage.add(day, "machine", used(3));
  await expect(usage.flush()).rejects.toThrow("down");
  usage.add(day, "test", used(4));
  setDown(false);
  await cloud.clock.advance(2_000);
  await usage.flush();
  await usage.flush();
  expect(await stored()).toEqual([3]);
  expect(await costs()).toEqual([
    ["machine", "test-model", 1, 3, 2, 0],
    ["test", "test-model", 1, 4, 2, 0],
  ]);
  await cloud[Symbol.asyncDispose]();
});
