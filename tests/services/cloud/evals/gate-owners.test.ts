import { expect, test } from "bun:test";
import { draft } from "../../../support/cloud.ts";
import type { Answer } from "../../../support/daemon.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { cloudWithEvals, putEval } from "./staged-evals.ts";

const gate = { eval: "greets", min_score: 1, no_regressions: true };

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** A deployed agent whose gate was passed, a member and a key for whom later versions answer wrongly. */
async function gatedCloud(engine: TestEngine) {
  const cloud = await cloudWithEvals(engine);
  await cloud.as("POST", "/agents", draft("support"));
  await cloud.as("PUT", "/agents/support/release", { requires: [gate] });
  await putEval(cloud, evalOf("greets", ["hello"]));
  await cloud.runToEnd("greets");
  expect((await cloud.as("POST", "/agents/support/deploy")).status).toBe(200);
  cloud.answers(() => "wrong");
  const bob = await cloud.login("bob@example.com", "Bob");
  await cloud.as("POST", "/members/invite", { email: "bob@example.com", role: "member" });
  const { body } = await cloud.call("GET", "/invitations", { headers: bob.headers });
  await cloud.call("POST", `/invitations/${body.invitations[0].id}/accept`, { headers: bob.headers });
  const made = (await cloud.as("POST", "/keys", { name: "ci" })).body;
  const key = { "x-api-key": made.secret };
  const asMember: Ask = (method, path, sent) => cloud.as(method, path, sent, bob);
  const asKey: Ask = (method, path, sent) =>
    cloud.call(method, `${cloud.owner.org}${path}`, {
      headers: key,
      ...(sent !== undefined && { body: sent }),
    });
  return { ...cloud, asMember, asKey };
}

const fixed = evalOf("greets", [], {
  cases: [{ id: "hello", query: "hello", answer: "hello", checks: [{ contains: "hello" }] }],
});

const auditOf = async ({ as }: { as: Ask }) =>
  ((await as("GET", "/audit")).body.entries as { action: string; subject: string; detail: object }[]).map(
    ({ action, subject, detail }) => [action, subject, detail] as const,
  );

/** What a member or a key may try. Only what the gate refuses is 422. */
const ways: [title: string, method: string, path: string, body?: unknown][] = [
  ["replacing the eval by a fixed answer", "PUT", "/evals/greets", fixed],
  ["weakening a check", "PUT", "/evals/greets", evalOf("greets", ["hell"])],
  [
    "letting the eval ask another agent",
    "PUT",
    "/evals/greets",
    evalOf("greets", ["hello"], { agent: "other" }),
  ],
  ["deleting the eval", "DELETE", "/evals/greets"],
  ["lowering the threshold", "PUT", "/agents/support/release", { requires: [{ ...gate, min_score: 0 }] }],
  ["dropping no_regressions", "PUT", "/agents/support/release", { requires: [{ eval: "greets" }] }],
  ["requiring another eval", "PUT", "/agents/support/release", { requires: [{ eval: "easy" }] }],
  ["taking the gate away", "PUT", "/agents/support/release", { requires: [] }],
  ["overriding the gate", "POST", "/agents/support/deploy?release_override=hurry"],
];

onEachEngine("the gate of an org's agent binds", (engine) => {
  for (const [who, code] of [
    ["members", "forbidden"],
    ["keys", "jwt_required"],
  ] as const) {
    test(`${who}, with every request: 403 \`${code}\``, async () => {
      await using cloud = await gatedCloud(engine);
      const ask = who === "keys" ? cloud.asKey : cloud.asMember;
      expect((await ask("PUT", "/evals/easy", evalOf("easy", ["hello"]))).status).toBe(200);
      expect((await ask("POST", "/agents/support/pause")).status).toBe(200);
      expect((await ask("PUT", "/agents/support", { step2: { system_prompt: "Worse." } })).status).toBe(200);
      for (const [title, method, path, body] of ways) {
        const refused = await ask(method, path, body);
        expect([title, refused.status, refused.body.error]).toEqual([title, 403, code]);
      }
      expect(await ask("POST", "/agents/support/deploy")).toMatchObject({
        status: 422,
        body: { error: "release_refused" },
      });
      const { evals } = (await ask("GET", "/evals")).body;
      expect(evals).toMatchObject([
        { name: "easy", required_by: [] },
        { name: "greets", required_by: ["support"] },
      ]);
    });
  }

  test("the next agent of a deleted one's name, with its rules, its eval and its baseline", async () => {
    await using cloud = await gatedCloud(engine);
    const { asMember } = cloud;
    expect((await asMember("DELETE", "/agents/support")).status).toBe(204);
    expect((await asMember("DELETE", "/evals/greets")).status).toBe(403);
    expect(
      (await asMember("POST", "/agents", draft("support", { step2: { system_prompt: "Worse." } }))).status,
    ).toBe(201);
    expect((await asMember("GET", "/agents/support/release")).body).toMatchObject({
      accepted: false,
      requires: [gate],
    });
    expect((await asMember("POST", "/agents/support/deploy")).body.error).toBe("release_refused");
    const { checksum } = await cloud.runToEnd("greets");
    expect((await asMember("POST", "/agents/support/deploy")).body.message).toContain("regresses from");
    const audit = await auditOf(cloud);
    expect(audit).toContainEqual(["agent.delete", "support", { requires: [gate] }]);
    expect(audit).toContainEqual(["agent.create", "support", { requires: [gate] }]);
    expect(audit).toContainEqual([
      "agent.release_refused",
      "support",
      { checksum, refused: expect.any(Array) },
    ]);
    // Deleted and made again twice, it is the same.
    await asMember("DELETE", "/agents/support");
    await asMember("POST", "/agents", draft("support"));
    expect((await asMember("GET", "/agents/support/release")).body.requires).toMatchObject([gate]);
  });

  test("with cases that ask the agent alone, and lets owners change its eval, which is audited", async () => {
    await using cloud = await gatedCloud(engine);
    await putEval(cloud, fixed);
    await cloud.as("POST", "/agents/support/pause");
    await cloud.as("PUT", "/agents/support", { step2: { system_prompt: "Other." } });
    await cloud.runToEnd("greets");
    const refused = await cloud.as("POST", "/agents/support/deploy");
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringContaining("only cases with a fixed answer"),
    ]);
    expect((await cloud.as("DELETE", "/evals/greets")).status).toBe(204);
    const entries = (await auditOf(cloud)).filter(([action]) => action.startsWith("eval."));
    expect(entries.map(([action, subject]) => [action, subject])).toEqual([
      ["eval.delete", "greets"],
      ["eval.put", "greets"],
      ["eval.put", "greets"],
    ]);
    expect(entries[0]?.[2]).toMatchObject({ required_by: ["support"], content: null });
  });
});
