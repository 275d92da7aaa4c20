import { describe, expect, test } from "bun:test";
import { AwsAccount } from "../../../../src/services/translator/accounts/aws/aws-account.ts";
import { readXml } from "../../../../src/services/translator/accounts/aws/query-answer.ts";
import { resumeReconciles } from "../../../../src/services/translator/workers.ts";
import { type AwsStandIn, startAwsStandIn } from "../../../support/aws-stand-in.ts";
import { cloudPorts } from "../../../support/cloud-ports.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import { deskYaml, handbookYaml, startTranslator, type TestTranslator } from "../../../support/translator.ts";

/** A translator whose only account is the stand-in's. */
async function startWorld() {
  await using held = new AsyncDisposableStack();
  const cloud = held.use(startAwsStandIn());
  const ports = cloudPorts();
  const translator = held.use(
    await startTranslator(sqliteEngine, () => [new AwsAccount("prod", cloud.settings, ports)]),
  );
  const ending = held.move();
  const reconcile = async (yaml: string) =>
    translator.call("POST", `${await translator.submit(yaml)}/reconcile`);
  return { cloud, ports, translator, reconcile, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}

const changesOf = async ({ call }: TestTranslator, path: string) =>
  (await call("POST", `${path}/plan`)).body.changes;

const desk = "/v1/specs/Agent/help-desk";
const handbook = "/v1/specs/RAGPipeline/handbook";

const heldBy = ({ roles, agents, aliases, guardrails, knowledgeBases, indexes }: AwsStandIn) =>
  [roles, agents, aliases, guardrails, knowledgeBases, indexes].map(({ size }) => size);

const aliasVersion = ({ aliases }: AwsStandIn) => [...aliases.values()].map(({ body }) => body.version);

describe("an account of Amazon Web Services", () => {
  test("holds what was applied, and the plan is empty afterwards", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    expect((await reconcile(handbookYaml)).body.created).toEqual([
      "handbook-index",
      "handbook-role",
      "handbook-knowledge-base",
    ]);
    expect((await reconcile(deskYaml)).body).toMatchObject({
      created: ["help-desk-guardrail", "help-desk-role", "help-desk", "help-desk-live"],
    });
    for (const path of [handbook, desk]) {
      expect(await changesOf(translator, path)).toEqual([]);
      expect((await translator.call("GET", `${path}/drift`)).body.drifted).toBe(false);
    }
    const [agent] = [...cloud.agents.values()];
    const [[guardrailId] = []] = [...cloud.guardrails];
    expect(agent).toMatchObject({
      status: "PREPARED",
      tags: { "managed-by": "argosy", spec: "agent_help-desk", part: "main" },
      body: { guardrailConfiguration: { guardrailIdentifier: guardrailId } },
    });
    expect([...cloud.knowledgeBases.values()][0]?.body).toMatchObject({
      knowledgeBaseConfiguration: {
        vectorKnowledgeBaseConfiguration: {
          embeddingModelArn: "arn:aws:bedrock:eu-central-1::foundation-model/amazon.titan-embed-text-v2:0",
        },
      },
    });
    expect([...cloud.roles.values()].every(({ policies }) => "argosy-bedrock" in policies)).toBe(true);
  });

  test("prepares a changed agent and moves its alias to the new version", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(handbookYaml);
    await reconcile(deskYaml);
    expect(aliasVersion(cloud)).toEqual([1]);
    expect((await reconcile(deskYaml.replace("two sentences", "three sentences"))).body).toMatchObject({
      created: [],
      updated: ["help-desk"],
      deleted: [],
    });
    expect(aliasVersion(cloud)).toEqual([2]);
    expect([...cloud.agents.values()][0]?.status).toBe("PREPARED");
    expect(await changesOf(translator, desk)).toEqual([]);
  });

  test("deletes everything in reverse, and nothing else", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    const foreign = {
      arn: "arn:aws:bedrock:eu-central-1:123456789012:agent/AGFOREIGN0",
      tags: { "managed-by": "terraform", spec: "agent_help-desk", part: "main" },
      body: { agentName: "legacy" },
      status: "PREPARED",
    };
    cloud.agents.set("AGFOREIGN0", foreign);
    cloud.guardrails.set("grforeign0", {
      arn: "arn:aws:bedrock:eu-central-1:123456789012:guardrail/grforeign0",
      tags: {},
      body: { name: "theirs" },
      status: "READY",
    });
    cloud.roles.set("arn:aws:iam::123456789012:role/argosy/theirs", {
      RoleName: "theirs",
      Path: "/argosy/",
      AssumeRolePolicyDocument: "{}",
      tags: {},
      policies: {},
      looks: 0,
    });
    const before = structuredClone(heldBy(cloud));
    await reconcile(handbookYaml);
    await reconcile(deskYaml);
    for (const path of [desk, handbook])
      expect((await translator.call("DELETE", `${path}?cascade=true`)).status).toBe(200);
    expect(heldBy(cloud)).toEqual(before);
    expect(cloud.agents.get("AGFOREIGN0")).toEqual(foreign);
    const touched = cloud.writes.filter(({ path }) => /FOREIGN0|foreign0|^theirs$/.test(path));
    expect(touched).toEqual([]);
  });

  test("refuses (409) a name that somebody else's agent has", async () => {
    await using world = await startWorld();
    const { cloud, reconcile } = world;
    await reconcile(handbookYaml);
    cloud.agents.set("AGFOREIGN0", {
      arn: "arn:aws:bedrock:eu-central-1:123456789012:agent/AGFOREIGN0",
      tags: {},
      body: { agentName: "help-desk" },
      status: "PREPARED",
    });
    const refused = await reconcile(deskYaml);
    expect([refused.status, refused.body.error, refused.body.created]).toEqual([
      409,
      "account_conflict",
      ["help-desk-guardrail", "help-desk-role"],
    ]);
  });

  test("shows what somebody changed by hand, and puts it right", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(handbookYaml);
    await reconcile(deskYaml);
    const [guardrail] = [...cloud.guardrails.values()];
    Object.assign(guardrail?.body as object, { blockedInputMessaging: "Go away." });
    expect(await changesOf(translator, desk)).toMatchObject([
      {
        action: "update",
        resource: "help-desk-guardrail",
        fields: [{ path: "blockedInputMessaging", before: "Go away." }],
      },
    ]);
    expect((await reconcile(deskYaml)).body.updated).toEqual(["help-desk-guardrail"]);
    expect(await changesOf(translator, desk)).toEqual([]);
  });

  test.each([
    ["before it was prepared", { method: "POST", at: /^\/agents\/AG\w+\/$/ }],
    ["after its creation, unanswered", { method: "PUT", at: /^\/agents\/$/, isDone: true }],
    ["before its alias", { method: "PUT", at: /agentaliases/ }],
    ["while its role was made", { method: "POST", at: /PutRolePolicy/ }],
  ])("a 502 while an agent is made (%s) is completed later, and nothing is made twice", async (_, where) => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(handbookYaml);
    cloud.fail({ ...where, status: 500, code: "InternalServerException" });
    const failed = await reconcile(deskYaml);
    expect([failed.status, failed.body.error]).toEqual([502, "account_failed"]);
    expect((await reconcile(deskYaml)).status).toBe(200);
    expect(heldBy(cloud)).toEqual([2, 1, 1, 1, 1, 1]);
    expect([...cloud.agents.values()][0]?.status).toBe("PREPARED");
    expect(await changesOf(translator, desk)).toEqual([]);
  });

  test("a change that fails between its steps is 502, and the next one completes it", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(handbookYaml);
    await reconcile(deskYaml);
    cloud.fail({ method: "POST", at: /^\/agents\/AG\w+\/$/, status: 500, code: "InternalServerException" });
    const changed = deskYaml.replace("two", "three");
    expect((await reconcile(changed)).status).toBe(502);
    expect((await reconcile(changed)).body.updated).toEqual(["help-desk"]);
    expect(aliasVersion(cloud)).toEqual([2]);
    expect(await changesOf(translator, desk)).toEqual([]);
  });

  test("a process that ends while an agent is made is caught up by the next one", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(handbookYaml);
    const path = await translator.submit(deskYaml);
    cloud.onPrepare = translator.stop;
    expect((await translator.call("POST", `${path}/reconcile`)).status).toBeGreaterThanOrEqual(500);
    await resumeReconciles({ ...translator.deps, stopping: new AbortController().signal });
    expect(heldBy(cloud)).toEqual([2, 1, 1, 1, 1, 1]);
    expect(await changesOf(translator, path)).toEqual([]);
  });

  test("says that the vector bucket is missing, and that a quota is used up (429)", async () => {
    await using world = await startWorld();
    const { cloud, reconcile } = world;
    cloud.buckets.clear();
    const missing = await reconcile(handbookYaml);
    expect(missing.body.message).toContain(
      "There is no vector bucket argosy-vectors in region eu-central-1.",
    );
    cloud.buckets.add("argosy-vectors");
    cloud.fail({
      method: "PUT",
      at: /knowledgebases/,
      status: 402,
      code: "ServiceQuotaExceededException",
      message: "5 of 5",
    });
    const refused = await reconcile(handbookYaml);
    expect([refused.status, refused.body.error]).toEqual([429, "account_quota_exhausted"]);
    expect((await reconcile(handbookYaml)).status).toBe(200);
  });

  test("refuses to change an index, because the API has no such call (409)", async () => {
    await using world = await startWorld();
    await world.reconcile(handbookYaml);
    const failed = await world.reconcile(
      `${handbookYaml}  embeddings: {provider: openai, model: "cohere.embed-v4:0", dimension: 512}\n`,
    );
    expect([failed.status, failed.body.error]).toEqual([409, "resource_unchangeable"]);
  });

  test("says when its keys are refused, without them", async () => {
    await using world = await startWorld();
    const wrong = new AwsAccount(
      "wrong",
      { ...world.cloud.settings, secretAccessKey: "not-the-right-secret" },
      world.ports,
    );
    const { signal } = new AbortController();
    const thrown = await wrong.check(signal).catch((error: unknown) => error as Error);
    expect(thrown).toMatchObject({ code: "account_access_denied", kind: "upstream_failed" });
    expect(String(thrown)).not.toContain("not-the-right-secret");
    expect(world.ports.secrets.mask("not-the-right-secret")).toBe("[redacted]");
  });
});

test("an answer of IAM is read as elements and text, in any spelling", () => {
  const answer = readXml(
    '<?xml version="1.0"?><!-- note --><R xmlns="x"><AResponse a="1"><AResult><Roles><member><Arn>a&amp;b&#x41;</Arn></member><member/></Roles></AResult></AResponse></R>',
  );
  const result = answer.find("R")?.find("AResponse")?.find("AResult");
  expect(result?.members("Roles").map((member) => member.find("Arn")?.text)).toEqual(["a&bA", undefined]);
  expect(readXml("not xml <").children).toEqual([]);
});
