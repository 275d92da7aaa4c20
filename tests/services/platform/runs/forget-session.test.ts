import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { addAgent, addInvocation, startWithTenant } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const session = "phone_messenger__a1__5215550002222";

onEachEngine("a session of a tenant that is forgotten", (engine) => {
  test("leaves its id in no run, and no answer for replay; every live agent forgets it, also when it is asked again", async () => {
    const forgotten: unknown[] = [];
    await using platform = await startWithTenant(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        forgetSession: async (name, { sessionId }) => void forgotten.push([name, sessionId]),
        forgetRuns: async (tenant, sessionId) => void forgotten.push([tenant, sessionId]),
      },
    }));
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    await addAgent(platform, owner, "sales");
    const { id } = await addInvocation(platform, { tenantId: owner.id, agentId, sessionId: session });
    const kept = await addInvocation(platform, { tenantId: owner.id, agentId, sessionId: "another" });
    const { invocations, idempotencyKeys } = platform.deps.storage.tables;
    const { read, transact } = platform.deps.storage;
    const key = { tenantId: owner.id, agentId, bodyHash: "x", status: 200, answer: "sealed" };
    for (const invocationId of [id, kept.id])
      await transact((tx) =>
        tx.insert(idempotencyKeys).values({
          ...key,
          key: `phone_messenger:${invocationId}`,
          invocationId,
          expiresAt: new Date("2999-01-01"),
        }),
      );
    const forget = () =>
      platform.call("POST", "/api/v1/sessions/forget", {
        headers: owner.asProgram,
        body: { session_id: session },
      });
    expect(await forget()).toMatchObject({ status: 200, body: { status: "forgotten", runs: 1 } });
    expect(forgotten.map(String).sort()).toEqual(
      [
        `${owner.id},${session}`,
        ...["sales", "support"].map((name) => `t_${owner.id}__${name},${session}`),
      ].sort(),
    );
    const rows = await read.select().from(invocations);
    expect(JSON.stringify(rows)).not.toContain(session);
    expect(rows.map((run) => run.sessionId).sort()).toEqual(["another", "forgotten"]);
    expect((await read.select().from(idempotencyKeys)).map((row) => row.invocationId)).toEqual([kept.id]);
    expect(await forget()).toMatchObject({ status: 200, body: { runs: 0 } });
  });

  test("while a run of it goes on is 409, and 502 if the runtime is away: its runs keep it then", async () => {
    let isReachable = false;
    await using platform = await startWithTenant(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async forgetRuns() {
          if (!isReachable)
            throw new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.");
        },
      },
    }));
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const { id } = await addInvocation(platform, { tenantId: owner.id, agentId, sessionId: session });
    const { invocations } = platform.deps.storage.tables;
    const { transact } = platform.deps.storage;
    const forget = async () =>
      platform.call("POST", "/api/v1/sessions/forget", {
        headers: owner.asProgram,
        body: { session_id: session },
      });
    await transact((tx) => tx.update(invocations).set({ status: "in_progress" }));
    expect(await forget()).toMatchObject({ status: 409, body: { error: "session_in_use" } });
    await transact((tx) => tx.update(invocations).set({ status: "ok" }));
    expect((await forget()).status).toBe(502);
    isReachable = true;
    expect(await forget()).toMatchObject({ status: 200, body: { runs: 1 } });
    expect(id).toBeString();
  });

  test("is another tenant's own: its runs of the same session stay", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const foreign = "019a0000-0000-7000-8000-00000000000b";
    await addInvocation(platform, { tenantId: foreign, agentId, sessionId: session });
    const answer = await platform.call("POST", "/api/v1/sessions/forget", {
      headers: owner.asProgram,
      body: { session_id: session },
    });
    expect(answer).toMatchObject({ status: 200, body: { runs: 0 } });
    const rows = await platform.deps.storage.read.select().from(platform.deps.storage.tables.invocations);
    expect(rows.map((run) => run.sessionId)).toEqual([session]);
  });
});
