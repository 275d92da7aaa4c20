import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { addAgent, addInvocation, startWithTenant } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const ofUsers = {
  rating: "down",
  channel: "phone_messenger",
  emoji: "👎",
  at: "2026-01-31T12:00:00.000Z",
};

onEachEngine("verdicts on a tenant's runs", (engine) => {
  test("of people and users are stored beside each other, are found, and are deleted apart", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const { id } = await addInvocation(platform, { tenantId: owner.id, agentId });
    await addInvocation(platform, { tenantId: owner.id, agentId });
    const call = async (method: string, path: string, body?: object) =>
      platform.call(method, `/api/v1${path}`, { headers: owner.asProgram, ...(body && { body }) });
    const of = `/invocations/${id}/feedback`;

    expect(await call("PUT", of, { rating: "up", note: "Fine." })).toMatchObject({
      status: 200,
      body: { rating: "up", note: "Fine." },
    });
    expect(await call("PUT", `${of}/channel`, ofUsers)).toMatchObject({ status: 200, body: ofUsers });
    expect((await call("GET", `/agents/support/invocations/${id}`)).body).toMatchObject({
      feedback: { rating: "up", note: "Fine." },
      channel_feedback: ofUsers,
    });
    const found = async (query: string) => {
      const lists = ["/invocations", "/agents/support/status"].map(
        async (path) => (await call("GET", `${path}?${query}`)).body.invocations,
      );
      const [all, ofAgent] = (await Promise.all(lists)).map((list) =>
        list.map((one: { invocation_id: string }) => one.invocation_id),
      );
      expect(all).toEqual(ofAgent);
      return all;
    };
    expect(await found("feedback=any")).toEqual([id]);
    expect(await found("feedback=down")).toEqual([id]);
    expect(await found("feedback=down&feedback_source=channel")).toEqual([id]);
    expect(await found("feedback=down&feedback_source=person")).toEqual([]);
    expect(await found("feedback=up&feedback_source=channel")).toEqual([]);

    expect((await call("DELETE", of)).status).toBe(204);
    expect((await call("DELETE", of)).body.error).toBe("feedback_not_found");
    expect(await found("feedback=up")).toEqual([]);
    expect((await call("DELETE", `${of}/channel`)).status).toBe(204);
    expect(await found("feedback=any")).toEqual([]);
    for (const wrong of [{}, { ...ofUsers, at: "yesterday" }, { ...ofUsers, channel: "" }, { rating: "up" }])
      expect([wrong, (await call("PUT", `${of}/channel`, wrong)).status]).toEqual([wrong, 400]);
  });

  test("a verdict that the runtime did not take is 502, and the same call again completes it", async () => {
    const taken: unknown[] = [];
    let isReachable = false;
    await using platform = await startWithTenant(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async judge(tenant, trace, given) {
          if (!isReachable)
            throw new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.");
          taken.push([tenant, trace, given]);
        },
      },
    }));
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const { id } = await addInvocation(platform, { tenantId: owner.id, agentId, traceId: "trace-1" });
    const put = () =>
      platform.call("PUT", `/api/v1/invocations/${id}/feedback/channel`, {
        headers: owner.asProgram,
        body: ofUsers,
      });
    expect(await put()).toMatchObject({ status: 502, body: { error: "runtime_unreachable" } });
    isReachable = true;
    expect((await put()).status).toBe(200);
    expect(taken).toEqual([[owner.id, "trace-1", { channel_feedback: ofUsers }]]);
  });
});
