import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import type { OrgActor } from "../../../../src/services/cloud/access/credentials.ts";
import { Admissions } from "../../../../src/services/cloud/runs/admissions.ts";
import { readDailyLimit } from "../../../../src/services/cloud/runs/daily-limit.ts";
import { deploy, startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const actor = (requests_per_day: number): OrgActor => ({
  org: { id: "org-1", slug: "ada", displayName: "Ada", plan: "free" },
  limits: { max_agents: 5, requests_per_day, max_members: 3 },
  role: "owner",
  userId: "u",
  proof: { by: "machine" },
});

onEachEngine("the daily limit", (engine) => {
  test("admits exactly the limit of 1,200 parallel runs", async () => {
    await using cloud = await startCloud(engine);
    // Several processes on one database.
    const processes = [1, 2, 3].map(() => new Admissions(cloud.deps));
    const numbers: (number | undefined)[] = [];
    const asked = Array.from({ length: 1200 }, async (_, number) => {
      try {
        const admitted = await processes[number % 3]?.admit(actor(1000), `agent${number % 2}`);
        numbers.push(admitted?.requests);
        return "admitted";
      } catch (thrown) {
        return thrown instanceof AppError ? thrown.code : "broken";
      }
    });
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer === "admitted")).toHaveLength(1000);
    expect(answers.filter((answer) => answer === "daily_limit_reached")).toHaveLength(200);
    // Each run got a number of its own, which its headers tell.
    expect(numbers.toSorted((one = 0, other = 0) => one - other)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
    expect(await readDailyLimit(cloud.deps, actor(1000))).toMatchObject({ requests: 1000 });
    const { read, tables } = cloud.deps.storage;
    const rows = await read.select().from(tables.agentUsage);
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(1000);
  });

  test("counts the runs of one turn of the event loop in one transaction", async () => {
    await using cloud = await startCloud(engine);
    const { storage, clock } = cloud.deps;
    let transactions = 0;
    const transact: typeof storage.transact = (run, options) => {
      transactions++;
      return storage.transact(run, options);
    };
    const admissions = new Admissions({ storage: { ...storage, transact }, clock });
    const asked: ReturnType<Admissions["admit"]>[] = [];
    for (let number = 0; number < 10; number++) {
      asked.push(admissions.admit(actor(1000), "helper"));
      // Requests of one turn come one after another.
      await Promise.resolve();
    }
    const numbers = (await Promise.all(asked)).map(({ requests }) => requests);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(transactions).toBe(1);
  });

  test("is exact for each day when midnight passes among parallel runs", async () => {
    await using cloud = await startCloud(engine);
    const admitted = async () => {
      const asked = Array.from({ length: 600 }, () =>
        cloud.deps.admissions.admit(actor(500), "helper").then(
          ({ day }) => day,
          () => "refused",
        ),
      );
      return asked;
    };
    await cloud.clock.advance(12 * 3_600_000 - 1);
    const before = await admitted();
    await cloud.clock.advance(1);
    const days = await Promise.all([...before, ...(await admitted())]);
    const count = (day: string) => days.filter((one) => one === day).length;
    expect([count("2026-03-10"), count("2026-03-11"), count("refused")]).toEqual([500, 500, 200]);
    expect(await readDailyLimit(cloud.deps, actor(500))).toMatchObject({ requests: 500 });
  });

  test("of 0 is 429 and says that the plan allows no runs", async () => {
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      plans: new Map([["free", { max_agents: 5, requests_per_day: 0, max_members: 3 }]]),
    }));
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const refused = await cloud.call("POST", `${path}/run`, { headers: ada.headers, body: { query: "hi" } });
    expect(refused).toMatchObject({ status: 429, body: { error: "daily_limit_reached" } });
    expect(refused.body.message).toBe(
      "The org's plan allows no runs: its requests_per_day is 0. Choose a larger plan.",
    );
  });

  test("is 429 until UTC midnight, and then begins anew", async () => {
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      plans: new Map([["free", { max_agents: 5, requests_per_day: 2, max_members: 3 }]]),
    }));
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const run = () => cloud.call("POST", `${path}/run`, { headers: ada.headers, body: { query: "hi" } });
    expect([(await run()).status, (await run()).status]).toEqual([200, 200]);
    const refused = await run();
    expect(refused).toMatchObject({ status: 429, body: { error: "daily_limit_reached", status: 429 } });
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    // It is noon.
    expect(refused.headers.get("retry-after")).toBe("43200");
    const test = await cloud.call("POST", `${path}/test`, { headers: ada.headers, body: { query: "hi" } });
    expect(test.status).toBe(200);
    await cloud.clock.advance(12 * 3_600_000 - 1);
    expect((await run()).status).toBe(429);
    await cloud.clock.advance(1);
    expect((await run()).status).toBe(200);
  });
});
