import { expect, test } from "bun:test";
import type { RegisterAgent } from "../../../../src/contracts/runtime/agents.ts";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { TenantAgents } from "../../../../src/services/daemon/tenant-api/tenant-agents.ts";

const given = (number: number): RegisterAgent => ({
  tenant_id: "t1",
  agent_id: `id-${number}`,
  name: `a${number}`,
  namespace: "ada",
  keys: "own",
  checksum: `sum-${number}`,
  spec: {},
});

/** Agents whose building is counted. `isBroken` makes it fail. */
function counted(max?: number) {
  const state = { built: 0, isBroken: false };
  const agents = new TenantAgents(
    {
      async prepare() {
        if (state.isBroken) throw new AppError("unprocessable", "invalid_manifest", "It can't run.");
        const name = `a${state.built + 1}`;
        return () => {
          state.built++;
          const manifest = { metadata: { name }, spec: { tools: [] } };
          return { name, candidates: [], manifest } as unknown as RunnableAgent;
        };
      },
      serve() {},
    },
    max,
  );
  return { state, agents };
}

test("a deferred agent is listed, and built once at its first run", async () => {
  const { state, agents } = counted();
  await agents.register("ada__a1", { ...given(1), deferred: true });
  expect(agents.names()).toEqual([{ runtime_name: "ada__a1", checksum: "sum-1" }]);
  expect(agents.built.list()).toEqual([]);
  expect(state.built).toBe(0);
  expect((await agents.ready("ada__a1", "sum-1")).agentId).toBe("id-1");
  expect((await agents.ready("ada__a1", "sum-1")).agentId).toBe("id-1");
  expect(state.built).toBe(1);
  expect(agents.names()).toHaveLength(1);
});

test("one that can't be built, was removed, or has another version is not run", async () => {
  const { state, agents } = counted();
  await agents.register("ada__a1", { ...given(1), deferred: true });
  expect(await agents.ready("ada__a1", "other").catch(({ code }) => code)).toBe("agent_outdated");
  await agents.register("ada__a2", { ...given(2), deferred: true });
  agents.remove("ada__a2");
  expect(await agents.ready("ada__a2", "sum-2").catch(({ code }) => code)).toBe("agent_not_found");
  await agents.register("ada__a3", { ...given(3), deferred: true });
  state.isBroken = true;
  expect(await agents.ready("ada__a3", "sum-3").catch(({ code }) => code)).toBe("agent_not_found");
  const wrong = await agents.register("eve__a4", { ...given(4), deferred: true }).catch(({ code }) => code);
  expect(wrong).toBe("invalid_runtime_name");
});

test("deferred agents are bounded like the others", async () => {
  const { agents } = counted(3);
  for (let number = 1; number <= 5; number++)
    await agents.register(`ada__a${number}`, { ...given(number), deferred: true });
  expect(agents.names().map(({ checksum }) => checksum)).toEqual(["sum-3", "sum-4", "sum-5"]);
});
