import { expect, test } from "bun:test";
import type { MemberRole } from "../../../../src/contracts/platform/members.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, type PlatformWithOwner, specOf } from "../agents/sent-spec.ts";
import { orderRun, platformWithEvals, putEval, runToEnd } from "./staged-evals.ts";

const replace = (platform: PlatformWithOwner, body: unknown, query = "") =>
  asOwner(platform, "PUT", `/api/v1/agents/support${query}`, { body });

/** A spec with a gate; `role` makes another version of it. */
const gated = (role: string, requires: readonly object[] = [{ eval: "greets" }]) =>
  specOf("support", { identity: { role }, release: { requires } });

const auditOf = async ({ deps: { storage } }: PlatformWithOwner) =>
  (await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id)).map(
    ({ action, detail }) => [action, detail] as const,
  );

const refusal = (...messages: string[]) => ({
  status: 422,
  body: {
    error: "release_refused",
    problems: messages.map((message) => ({ message: expect.stringContaining(message) })),
  },
});

onEachEngine("the release gate of a tenant's agents", (engine) => {
  test("publishes a version once the evals that it requires have passed, and audits each step", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    const version = gated("new");
    expect(await replace(platform, version)).toMatchObject(refusal("there is no eval greets"));
    await putEval(platform, evalOf("greets", ["hello"]));
    expect(await replace(platform, version)).toMatchObject(refusal("eval greets has not asked this version"));
    const { id } = await runToEnd(platform, "greets", { spec: version });
    expect(await replace(platform, version)).toMatchObject({ status: 200, body: { current_version: 2 } });
    // Nothing new is asked of the version in service.
    expect(await replace(platform, version)).toMatchObject({ status: 200, body: { current_version: 3 } });
    expect(await auditOf(platform)).toMatchObject([
      ["agent.release_refused", { agent: "support" }],
      ["agent.release_refused", { agent: "support" }],
      ["agent.release", { agent: "support", runs: { greets: id } }],
    ]);
  });

  test("names the failing cases, and places its reasons in the manifest", async () => {
    await using platform = await platformWithEvals(engine);
    await putEval(platform, evalOf("greets", ["hello", "bye"]));
    platform.answers(({ query }) => (query === "bye" ? "no" : query));
    const version = gated("new", [{ eval: "greets", min_score: 0.6 }]);
    await runToEnd(platform, "greets", { spec: version });
    const refused = await create(platform, version);
    const [{ path, message }] = refused.body.problems;
    expect([refused.status, path]).toEqual([422, "spec.release.requires[0]"]);
    expect(message).toStartWith("eval greets scores 50 %");
    expect(message).toContain("failed: bye (run ");
    // Half of the cases suffice for another gate, which is another version.
    const lenient = gated("new", [{ eval: "greets", min_score: 0.5 }]);
    await runToEnd(platform, "greets", { spec: lenient });
    expect((await create(platform, lenient)).status).toBe(201);
  });

  test("holds for a version that leaves the requirements out, and for a restored one", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    await putEval(platform, evalOf("greets", ["hello"]));
    const version = gated("new");
    await runToEnd(platform, "greets", { spec: version });
    await replace(platform, version);
    const without = specOf("support", { identity: { role: "other" } });
    expect(await replace(platform, without)).toMatchObject(refusal("has not asked this version"));
    const restore = "/api/v1/agents/support/versions/1/restore";
    expect(await asOwner(platform, "POST", restore)).toMatchObject(refusal("has not asked this version"));
    await runToEnd(platform, "greets", { spec: without });
    expect((await replace(platform, without)).status).toBe(200);
    // The gate has left with a version that passed it.
    expect((await asOwner(platform, "POST", restore)).status).toBe(201);
  });

  test("accepts no results of other cases, of another agent or of a run that did not end", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    await create(platform, specOf("other"));
    await putEval(platform, evalOf("greets", ["hello"]));
    const version = gated("new");
    await runToEnd(platform, "greets", { spec: version });
    await putEval(platform, evalOf("greets", ["hello", "bye"]));
    expect(await replace(platform, version)).toMatchObject(refusal("has not asked this version"));
    await runToEnd(platform, "greets", { agent: "other" });
    expect(await replace(platform, version)).toMatchObject(refusal("has not asked this version"));
    const stopped = await runToEnd(platform, "greets", { spec: version, budget_credits_micros: 0 });
    expect(stopped.status).toBe("budget");
    expect(await replace(platform, version)).toMatchObject(refusal("eval greets stopped after 0 of 2 runs"));
    const answer = Promise.withResolvers<string>();
    platform.answers(() => answer.promise);
    const { id } = (await orderRun(platform, "greets", { spec: version })).body;
    expect(await replace(platform, version)).toMatchObject(
      refusal(`is still asking this version in run ${id}`),
    );
    await asOwner(platform, "POST", `/api/v1/eval-runs/${id}/cancel`);
    expect(await replace(platform, version)).toMatchObject(refusal("eval greets stopped after"));
    answer.resolve("late");
  });

  test("refuses regressions from the version in service", async () => {
    await using platform = await platformWithEvals(engine);
    const first = gated("first", [{ eval: "greets", min_score: 0.5, no_regressions: true }]);
    const second = gated("second", [{ eval: "greets", min_score: 0.5, no_regressions: true }]);
    await putEval(platform, evalOf("greets", ["hello", "bye"]));
    platform.answers(({ query }) => (query === "bye" ? "no" : query));
    await runToEnd(platform, "greets", { spec: first });
    expect((await create(platform, first)).status).toBe(201);
    platform.answers(({ query }) => (query === "hello" ? "no" : query));
    await runToEnd(platform, "greets", { spec: second });
    expect(await replace(platform, second)).toMatchObject(
      refusal("regresses from the version in service in hello"),
    );
  });

  test("lets a person publish all the same, with a reason that is audited", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    const version = gated("new");
    const path = "?release_override=Outage%20of%20the%20old%20model";
    expect(await replace(platform, version, path)).toMatchObject({ status: 200 });
    expect(await auditOf(platform)).toMatchObject([
      [
        "agent.release_override",
        { reason: "Outage of the old model", refused: [expect.stringContaining("there is no eval greets")] },
      ],
    ]);
    expect(await replace(platform, version, "?release_override=")).toMatchObject({ status: 400 });
  });

  test("a member's override is 403; a member may publish a version that passes", async () => {
    await using platform = await platformWithEvals(engine);
    await create(platform, specOf("support"));
    const { call, owner, deps } = platform;
    const { storage } = deps;
    const as = (role: MemberRole) =>
      storage.transact((tx) => tx.update(storage.tables.tenantMembers).set({ role }).returning());
    const save = (body: unknown, query = "") =>
      call("PUT", `/api/v1/agents/support${query}`, { headers: owner.asPerson, body });
    const override = "?release_override=hurry";
    await as("member");
    const refused = await save(gated("new"), override);
    expect(refused).toMatchObject({ status: 403, body: { error: "role_required" } });
    expect((await save(specOf("support", { identity: { role: "other" } }))).status).toBe(200);
    await as("admin");
    expect((await save(gated("new"), override)).status).toBe(200);
  });
});
