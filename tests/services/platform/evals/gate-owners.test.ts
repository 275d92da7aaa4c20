import { expect, test } from "bun:test";
import type { MemberRole } from "../../../../src/contracts/platform/members.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, specOf } from "../agents/sent-spec.ts";
import { type PlatformWithEvals, platformWithEvals, putEval, runToEnd } from "./staged-evals.ts";

const gate = { eval: "greets", min_score: 1, no_regressions: true };

const version = (role: string, requires?: readonly object[]) =>
  specOf("support", { identity: { role }, ...(requires && { release: { requires } }) });

/** An agent whose gate its first version has passed, and a member for whom later versions answer wrongly. */
async function gatedPlatform(engine: TestEngine) {
  const platform = await platformWithEvals(engine);
  await create(platform, specOf("support", { identity: { role: "draft" } }));
  await putEval(platform, evalOf("greets", ["hello"]));
  const first = version("first", [gate]);
  await runToEnd(platform, "greets", { spec: first });
  expect(await asOwner(platform, "PUT", "/api/v1/agents/support", { body: first })).toMatchObject({
    status: 200,
  });
  platform.answers(() => "wrong");
  const { storage } = platform.deps;
  const become = (role: MemberRole) =>
    storage.transact((tx) => tx.update(storage.tables.tenantMembers).set({ role }).returning());
  await become("member");
  const as = (method: string, path: string, body?: object) =>
    platform.call(method, path, { headers: platform.owner.asPerson, ...(body && { body }) });
  return { ...platform, as, become };
}

const auditOf = async ({ deps: { storage } }: PlatformWithEvals) =>
  (await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id)).map(
    ({ action, subject, detail }) => [action, subject, detail] as const,
  );

const fixed = evalOf("greets", [], {
  cases: [{ id: "hello", query: "hello", answer: "hello", checks: [{ contains: "hello" }] }],
});

/** What a member may try, and how each is refused. */
const ways: [
  title: string,
  method: string,
  path: string,
  body: object | undefined,
  status: number,
  code: string,
][] = [
  ["replacing the eval by a fixed answer", "PUT", "/evals/greets", fixed, 403, "role_required"],
  [
    "weakening a check",
    "PUT",
    "/evals/greets",
    evalOf("greets", ["hello"], {
      cases: [{ id: "hello", query: "hello", checks: [{ not_contains: "zzz" }] }],
    }),
    403,
    "role_required",
  ],
  [
    "asking fewer repetitions",
    "PUT",
    "/evals/greets",
    evalOf("greets", ["hello"], { repeat: 2 }),
    403,
    "role_required",
  ],
  [
    "letting the eval ask another agent",
    "PUT",
    "/evals/greets",
    evalOf("greets", ["hello"], { agent: "other" }),
    403,
    "role_required",
  ],
  ["deleting the eval", "DELETE", "/evals/greets", undefined, 403, "role_required"],
  ["leaving the gate out", "PUT", "/agents/support", version("worse"), 422, "release_refused"],
  ["a gate without requirements", "PUT", "/agents/support", version("worse", []), 422, "release_refused"],
  [
    "lowering the threshold",
    "PUT",
    "/agents/support",
    version("worse", [{ ...gate, min_score: 0 }]),
    403,
    "role_required",
  ],
  [
    "dropping no_regressions",
    "PUT",
    "/agents/support",
    version("worse", [{ ...gate, no_regressions: false }]),
    403,
    "role_required",
  ],
  [
    "requiring another eval",
    "PUT",
    "/agents/support",
    version("worse", [{ eval: "easy" }]),
    403,
    "role_required",
  ],
  ["the same gate", "PUT", "/agents/support", version("worse", [gate]), 422, "release_refused"],
  [
    "restoring a version before the gate",
    "POST",
    "/agents/support/versions/1/restore",
    undefined,
    422,
    "release_refused",
  ],
  [
    "overriding the gate",
    "PUT",
    "/agents/support?release_override=hurry",
    version("worse"),
    403,
    "role_required",
  ],
];

onEachEngine("the gate of a tenant's agent binds its members", (engine) => {
  test("with every request: each is refused with its status and code", async () => {
    await using platform = await gatedPlatform(engine);
    expect((await platform.as("PUT", "/api/v1/evals/easy", evalOf("easy", ["hello"]))).status).toBe(200);
    for (const [title, method, path, body, status, code] of ways) {
      const refused = await platform.as(method, `/api/v1${path}`, body);
      expect([title, refused.status, refused.body.error]).toEqual([title, status, code]);
    }
    const { body } = await platform.as("GET", "/api/v1/agents/support");
    expect(body.current_version).toBe(2);
    expect((await platform.as("GET", "/api/v1/evals")).body.evals).toMatchObject([
      { name: "easy", required_by: [] },
      { name: "greets", required_by: ["support"] },
    ]);
  });

  test("through the deletion of the agent and its return (422), and a weaker gate is 403; both are audited", async () => {
    await using platform = await gatedPlatform(engine);
    const { as } = platform;
    expect((await as("DELETE", "/api/v1/agents/support")).status).toBe(204);
    for (const requires of [undefined, [], [gate]]) {
      const back = await as("POST", "/api/v1/agents", version("worse", requires));
      expect([back.status, back.body.error]).toEqual([422, "release_refused"]);
    }
    const lenient = await as("POST", "/api/v1/agents", version("worse", [{ ...gate, min_score: 0 }]));
    expect([lenient.status, lenient.body.error]).toEqual([403, "role_required"]);
    expect((await as("DELETE", "/api/v1/evals/greets")).status).toBe(403);
    // A version that passes comes back, and is compared with the one that was in service.
    platform.answers(({ query }) => query);
    const good = version("good");
    await runToEnd(platform, "greets", { spec: good });
    expect((await as("POST", "/api/v1/agents", good)).status).toBe(201);
    expect(await as("PUT", "/api/v1/agents/support", version("worse"))).toMatchObject({
      status: 422,
      body: { error: "release_refused" },
    });
    expect(await auditOf(platform)).toContainEqual([
      "agent.delete",
      "support",
      expect.objectContaining({ requires: [gate] }),
    ]);
  });

  test("and not those who set it: their changes of gate and eval are audited", async () => {
    await using platform = await gatedPlatform(engine);
    const { as, become } = platform;
    await become("admin");
    const more = evalOf("greets", ["hello", "bye"]);
    expect((await as("PUT", "/api/v1/evals/greets", more)).status).toBe(200);
    const path = "/api/v1/agents/support?release_override=new%20rules";
    expect((await as("PUT", path, version("worse", [{ eval: "easy" }]))).status).toBe(200);
    expect((await as("DELETE", "/api/v1/evals/greets")).status).toBe(204);
    const audit = await auditOf(platform);
    expect(audit).toContainEqual([
      "eval.put",
      "greets",
      expect.objectContaining({ required_by: ["support"] }),
    ]);
    expect(audit).toContainEqual([
      "agent.release_override",
      "support",
      expect.objectContaining({
        requires: [{ eval: "easy", min_score: 1, no_regressions: false }],
        required_before: [gate],
        reason: "new rules",
      }),
    ]);
    await become("member");
    expect(await as("PUT", "/api/v1/agents/support", version("other"))).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("there is no eval easy") },
    });
    // The eval of a gate is not theirs to write even before it is there.
    expect((await as("PUT", "/api/v1/evals/easy", evalOf("easy", ["hello"]))).status).toBe(403);
  });

  test("with cases that ask the agent alone: with fixed answers it is 422", async () => {
    await using platform = await gatedPlatform(engine);
    const { become } = platform;
    await become("owner");
    await putEval(platform, fixed);
    const next = version("next", [gate]);
    await runToEnd(platform, "greets", { spec: next });
    const put = () => asOwner(platform, "PUT", "/api/v1/agents/support", { body: next });
    expect(await put()).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("only cases with a fixed answer") },
    });
    const [one] = fixed.spec.cases;
    const asked = { id: "asked", query: "bye", checks: [{ contains: "bye" }] };
    await putEval(platform, evalOf("greets", [], { cases: [one, { ...one, id: "two" }, asked] }));
    await runToEnd(platform, "greets", { spec: next });
    // Two of three cases pass, and none of those that count.
    expect(await put()).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("eval greets scores 0 %") },
    });
  });
});
