import { expect, test } from "bun:test";
import { addPlans, plan, subscribe } from "../../../support/billing.ts";
import { asOperator } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, type PlatformWithOwner, platformWithOwner, specOf } from "./sent-spec.ts";

onEachEngine("the agents that a subscription's plan allows", (engine) => {
  const start = async (limits: Record<string, number | null>) => {
    const platform = await platformWithOwner(engine);
    const ids: Record<string, string> = {};
    for (const [argo_code, max_active_agents] of Object.entries(limits)) {
      const unidades = {};
      await addPlans(
        platform,
        plan({ id: argo_code, argo_code, max_active_agents, spec: { unidades, features: {} } }),
      );
      const asked = { argo_code, plan_id: argo_code, desde: "2026-03-01" };
      ids[argo_code] = (await subscribe(platform, platform.owner, asked)).id;
    }
    return Object.assign(platform, { of: (argo: string) => `?subscription_id=${ids[argo]}`, ids });
  };
  const replace = (platform: PlatformWithOwner, name: string, query = "") =>
    asOwner(platform, "PUT", `/api/v1/agents/${name}${query}`, { body: specOf(name) });
  const limitReached = (message: string) => ({
    status: 409,
    body: { error: "agent_limit_reached", message },
  });

  test("are counted at the creation and when an agent moves to it; other agents don't count", async () => {
    await using platform = await start({ erp: 2, crm: null });
    const { of } = platform;
    const refused = limitReached("The subscription's plan allows 2 agents.");
    expect((await create(platform, specOf("none"))).status).toBe(201);
    expect((await create(platform, specOf("a"), of("erp"))).status).toBe(201);
    expect((await create(platform, specOf("b"), of("erp"))).status).toBe(201);
    expect(await create(platform, specOf("c"), of("erp"))).toMatchObject(refused);
    expect((await create(platform, specOf("c"), of("crm"))).status).toBe(201);
    expect(await replace(platform, "c", of("erp"))).toMatchObject(refused);
    expect(await replace(platform, "none", of("erp"))).toMatchObject(refused);
    // Agents that stay in a full subscription can be changed.
    expect((await replace(platform, "a", of("erp"))).status).toBe(200);
    expect((await replace(platform, "a")).status).toBe(200);
    expect((await replace(platform, "b", of("crm"))).status).toBe(200);
    expect((await replace(platform, "c", of("erp"))).status).toBe(200);
    expect((await asOwner(platform, "DELETE", "/api/v1/agents/a")).status).toBe(204);
    expect((await create(platform, specOf("d"), of("erp"))).status).toBe(201);
  });

  test("are none with a limit of 0", async () => {
    await using platform = await start({ erp: 0 });
    const refused = limitReached("The subscription's plan allows no agents.");
    expect(await create(platform, specOf("a"), platform.of("erp"))).toMatchObject(refused);
  });

  test("hold at once", async () => {
    await using platform = await start({ erp: 3 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, turn) => create(platform, specOf(`a${turn}`), platform.of("erp"))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  });

  test("are those of its first plan before its first month, and then of the plan in force; one more is 409", async () => {
    await using platform = await start({});
    const { owner, call } = platform;
    const unidades = {};
    const small = plan({ id: "small", max_active_agents: 1, spec: { unidades, features: {} } });
    await addPlans(platform, small, plan({ ...small, id: "large", max_active_agents: 2 }));
    const { id } = await subscribe(platform, owner, { plan_id: "small", desde: "2026-04-01" });
    const query = `?subscription_id=${id}`;
    expect((await create(platform, specOf("a"), query)).status).toBe(201);
    expect((await create(platform, specOf("b"), query)).status).toBe(409);
    await platform.clock.advance(30 * 24 * 3_600_000);
    const body = { plan_id: "large" };
    await call("PUT", `/api/v1/admin/subscriptions/${id}/plan`, { headers: asOperator, body });
    expect((await create(platform, specOf("b"), query)).status).toBe(409);
    await platform.clock.advance(30 * 24 * 3_600_000);
    expect((await create(platform, specOf("b"), query)).status).toBe(201);
  });
});
