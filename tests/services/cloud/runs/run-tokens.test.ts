import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { RunTokens } from "../../../../src/services/cloud/runs/run-tokens.ts";
import { startCloud } from "../../../support/cloud.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

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
    tokens: new RunTokens({ ...cloud.deps, storage: counted }),
    commits: () => commits,
    setDown: (down: boolean) => {
      isDown = down;
    },
    stored: async () =>
      (await storage.read.select().from(storage.tables.agentUsage)).map((row) => row.tokens),
  };
}

test("tokens of many runs are one commit", async () => {
  const { cloud, tokens, commits, stored } = await stage();
  for (let run = 0; run < 100; run++) tokens.add(day, 3);
  tokens.add({ ...day, agent: "other" }, 5);
  tokens.add(day, 0);
  expect(commits()).toBe(0);
  await cloud.clock.advance(50);
  await tokens.flush();
  expect(commits()).toBe(1);
  expect((await stored()).sort()).toEqual([300, 5]);
  await cloud[Symbol.asyncDispose]();
});

test("tokens that can't be written wait, and are written once", async () => {
  const { cloud, tokens, setDown, stored } = await stage();
  setDown(true);
  tokens.add(day, 3);
  await expect(tokens.flush()).rejects.toThrow("down");
  tokens.add(day, 4);
  setDown(false);
  await cloud.clock.advance(2_000);
  await tokens.flush();
  await tokens.flush();
  expect(await stored()).toEqual([7]);
  await cloud[Symbol.asyncDispose]();
});
