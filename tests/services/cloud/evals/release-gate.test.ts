import { expect, test } from "bun:test";
import { draft } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { type CloudWithEvals, cloudWithEvals, putEval } from "./staged-evals.ts";

const deploy = (cloud: CloudWithEvals, query = "") => cloud.as("POST", `/agents/support/deploy${query}`);
const gate = (cloud: CloudWithEvals, ...requires: object[]) =>
  cloud.as("PUT", "/agents/support/release", { requires });

/** The org with the agent `support`, and the gate with the eval `greets`. */
async function gatedCloud(engine: Parameters<typeof cloudWithEvals>[0], rule: object = {}) {
  const cloud = await cloudWithEvals(engine);
  await cloud.as("POST", "/agents", draft("support"));
  await gate(cloud, { eval: "greets", ...rule });
  return cloud;
}

const refusal = (...messages: string[]) => ({
  status: 422,
  body: {
    error: "release_refused",
    details: messages.map((message) => ({ path: "release", message: expect.stringContaining(message) })),
  },
});

const auditOf = async (cloud: CloudWithEvals) =>
  ((await cloud.as("GET", "/audit")).body.entries as { action: string; detail: object }[])
    .filter(({ action }) => action === "agent.deploy" || action.startsWith("agent.release"))
    .map(({ action, detail }) => [action, detail] as const)
    .reverse();

onEachEngine("the release gate of an org's agents", (engine) => {
  test("lets an agent be deployed once its evals have passed, and audits each step", async () => {
    await using cloud = await gatedCloud(engine);
    expect(await deploy(cloud)).toMatchObject(
      refusal("there is no eval greets; `argosy cloud evals apply <file>` stores it"),
    );
    await putEval(cloud, evalOf("greets", ["hello"]));
    expect(await deploy(cloud)).toMatchObject(refusal("eval greets has not asked this version"));
    expect(cloud.runtime.agents.size).toBe(0);
    const { id, checksum } = await cloud.runToEnd("greets");
    const state = await cloud.as("GET", "/agents/support/release");
    expect(state.body).toEqual({
      checksum,
      accepted: true,
      requires: [{ eval: "greets", min_score: 1, no_regressions: false, reasons: [], run: id }],
    });
    expect((await deploy(cloud)).status).toBe(200);
    expect(await auditOf(cloud)).toMatchObject([
      ["agent.release_rules", { requires: [{ eval: "greets", min_score: 1, no_regressions: false }] }],
      ["agent.release_refused", { refused: [expect.stringContaining("there is no eval")] }],
      ["agent.release_refused", { refused: [expect.stringContaining("has not asked")] }],
      ["agent.deploy", { checksum, runs: { greets: id } }],
    ]);
  });

  test("names the failing cases, and counts only the newest run of the eval's present content", async () => {
    await using cloud = await gatedCloud(engine, { min_score: 0.6 });
    await putEval(cloud, evalOf("greets", ["hello", "bye"]));
    cloud.answers(({ query }) => (query === "bye" ? "no" : query));
    const { id } = await cloud.runToEnd("greets");
    expect(await deploy(cloud)).toMatchObject(refusal(`failed: bye (run ${id})`));
    await putEval(cloud, evalOf("greets", ["hello"]));
    expect(await deploy(cloud)).toMatchObject(refusal("has not asked this version"));
    await cloud.runToEnd("greets");
    expect((await deploy(cloud)).status).toBe(200);
  });

  test("asks nothing anew of a paused agent that is the same, and everything of a changed one", async () => {
    await using cloud = await gatedCloud(engine);
    await putEval(cloud, evalOf("greets", ["hello"]));
    await cloud.runToEnd("greets");
    await deploy(cloud);
    await cloud.as("POST", "/agents/support/pause");
    await putEval(cloud, evalOf("greets", ["hello", "more"]));
    expect((await deploy(cloud)).status).toBe(200);
    await cloud.as("POST", "/agents/support/pause");
    const change = { step2: { system_prompt: "Be brief." } };
    await cloud.as("PUT", "/agents/support", change);
    expect(await deploy(cloud)).toMatchObject(refusal("has not asked this version"));
    await cloud.runToEnd("greets");
    expect((await deploy(cloud)).status).toBe(200);
  });

  test("accepts a run that asked the change before it was made", async () => {
    await using cloud = await gatedCloud(engine);
    await putEval(cloud, evalOf("greets", ["hello"]));
    const change = { step2: { system_prompt: "Be brief." } };
    await cloud.runToEnd("greets", { change });
    expect(await deploy(cloud)).toMatchObject(refusal("has not asked this version"));
    await cloud.as("PUT", "/agents/support", change);
    expect((await deploy(cloud)).status).toBe(200);
  });

  test("refuses a regression from the last deployed version", async () => {
    await using cloud = await gatedCloud(engine, { min_score: 0, no_regressions: true });
    await putEval(cloud, evalOf("greets", ["hello"]));
    await cloud.runToEnd("greets");
    expect((await deploy(cloud)).status).toBe(200);
    await cloud.as("POST", "/agents/support/pause");
    await cloud.as("PUT", "/agents/support", { step2: { system_prompt: "Be rude." } });
    cloud.answers(() => "no");
    await cloud.runToEnd("greets");
    expect(await deploy(cloud)).toMatchObject(refusal("regresses from the version in service in hello"));
  });

  test("doesn't count a rehearsal's answers, a cancelled run or one that stopped early", async () => {
    await using cloud = await gatedCloud(engine, { min_score: 0 });
    await putEval(cloud, evalOf("greets", ["hello", "bye"]));
    await cloud.runToEnd("greets", { budget_tokens: 1, concurrency: 1 });
    expect(await deploy(cloud)).toMatchObject(refusal("stopped after 1 of 2 runs"));
  });

  test("is set by owners and admins, who may override it with a reason; other members are 403", async () => {
    await using cloud = await gatedCloud(engine);
    const { owner } = cloud;
    const bob = await cloud.login("bob@example.com", "Bob");
    await cloud.as("POST", "/members/invite", { email: "bob@example.com", role: "member" });
    const { body } = await cloud.call("GET", "/invitations", { headers: bob.headers });
    await cloud.call("POST", `/invitations/${body.invitations[0].id}/accept`, { headers: bob.headers });
    const forbidden = { status: 403, body: { error: "forbidden" } };
    expect(await cloud.as("PUT", "/agents/support/release", { requires: [] }, bob)).toMatchObject(forbidden);
    const override = "/agents/support/deploy?release_override=hotfix";
    expect(await cloud.as("POST", override, undefined, bob)).toMatchObject(forbidden);
    expect(await cloud.as("POST", "/agents/support/deploy", undefined, bob)).toMatchObject(
      refusal("there is no eval greets"),
    );
    expect((await cloud.as("POST", override, undefined, owner)).status).toBe(200);
    expect((await auditOf(cloud)).at(-1)).toMatchObject([
      "agent.deploy",
      { override: { reason: "hotfix", refused: [expect.stringContaining("there is no eval greets")] } },
    ]);
  });

  test("with an eval named twice, a score above 1 or an unknown key is 400", async () => {
    await using cloud = await gatedCloud(engine);
    const faulty = [
      [{ eval: "a" }, { eval: "a" }],
      [{ eval: "a", min_score: 2 }],
      [{ eval: "a", mine_score: 1 }],
    ];
    for (const requires of faulty)
      expect(await gate(cloud, ...requires)).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
    expect(await cloud.as("GET", "/agents/other/release")).toMatchObject({ status: 404 });
  });
});
