import { expect, test } from "bun:test";
import type { RuntimeRun } from "../../../../src/contracts/runtime/runs.ts";
import { tenantOwners } from "../../../../src/services/platform/tenants/tenant-owner.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import type { TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { until } from "../../../support/until.ts";
import { create, specOf } from "../agents/sent-spec.ts";
import { orderRun, type PlatformWithEvals, platformWithEvals, putEval } from "./staged-evals.ts";

/** Adds tenants of one person. */
async function tenantsOf(platform: PlatformWithEvals, count: number): Promise<TestTenant[]> {
  const tenants = await Promise.all(Array.from({ length: count }, () => platform.tenant()));
  const { storage, clock } = platform.deps;
  const { tenantMembers } = storage.tables;
  const [first] = tenants;
  if (first === undefined) return [];
  await storage.transact(async (tx) => {
    for (const { id, userId } of tenants.slice(1)) {
      const joinedAt = new Date(clock.now().getTime() - 1);
      await tx.insert(tenantMembers).values({ tenantId: id, userId: first.userId, role: "owner", joinedAt });
      expect(userId).not.toBe(first.userId);
    }
  });
  return tenants;
}

onEachEngine("the places of stored evals", (engine) => {
  test("are left to a third person by two persons with two and three tenants", async () => {
    await using platform = await platformWithEvals(engine);
    const answered = Promise.withResolvers<string>();
    const asked: string[] = [];
    platform.answers((run: RuntimeRun) => {
      asked.push(run.owner ?? "");
      return answered.promise;
    });
    const order = async (owner: TestTenant) => {
      const own = { ...platform, owner };
      await create(own, specOf("support"));
      await putEval(own, evalOf("greets", ["hello"]));
      expect((await orderRun(own, "greets")).status).toBe(202);
    };
    const [ann = [], bob = [], cem = []] = [
      await tenantsOf(platform, 3),
      await tenantsOf(platform, 2),
      await tenantsOf(platform, 1),
    ];
    for (const tenant of [...ann, ...bob, ...cem]) await order(tenant);
    const third = cem[0]?.userId ?? "";
    await until(async () => asked.includes(third));
    // None of the greedy persons' runs has ended.
    const ofGreedy = [ann, bob].map(
      (tenants) => asked.filter((owner) => owner === tenants[0]?.userId).length,
    );
    answered.resolve("HELLO");
    expect(ofGreedy.every((runs) => runs === 1 || runs === 2)).toBe(true);
    while (asked.length < 6) await platform.call("GET", "/healthz");
  });
});

onEachEngine("the person behind a tenant", (engine) => {
  test("is its first owner; for an operator's tenants, and unknown ones, it is the tenant itself", async () => {
    await using platform = await platformWithEvals(engine);
    const [first, second] = await tenantsOf(platform, 2);
    const ofOperator = await platform.tenant({ role: "operator" });
    if (first === undefined || second === undefined) throw new Error("no tenants");
    const ids = [second.id, ofOperator.id, "unknown", first.id];
    expect(Object.fromEntries(await tenantOwners(platform.deps, ids))).toEqual({
      [first.id]: first.userId,
      [second.id]: first.userId,
      [ofOperator.id]: ofOperator.id,
      unknown: "unknown",
    });
    await create({ ...platform, owner: second }, specOf("support"));
    const { headers } = await platform.call("GET", "/api/v1/agents/support", { headers: second.asProgram });
    expect(headers.get("x-platform-owner")).toBe(first.userId);
  });
});
