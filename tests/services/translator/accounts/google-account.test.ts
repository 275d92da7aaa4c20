import { describe, expect, test } from "bun:test";
import { GoogleAccount } from "../../../../src/services/translator/accounts/gcp/google-account.ts";
import { resumeReconciles } from "../../../../src/services/translator/workers.ts";
import { cloudPorts } from "../../../support/cloud-ports.ts";
import { type GcpStandIn, startGcpStandIn } from "../../../support/gcp-stand-in.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import {
  agentYaml,
  deskYaml,
  handbookYaml,
  startTranslator,
  type TestTranslator,
} from "../../../support/translator.ts";

/** A translator whose only account is the stand-in's project. */
async function startWorld() {
  await using held = new AsyncDisposableStack();
  const cloud = held.use(startGcpStandIn());
  const ports = cloudPorts();
  const translator = held.use(
    await startTranslator(sqliteEngine, () => [new GoogleAccount("prod", cloud.settings, ports)]),
  );
  const ending = held.move();
  const reconcile = async (yaml: string) =>
    translator.call("POST", `${await translator.submit(yaml)}/reconcile`);
  return { cloud, ports, translator, reconcile, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}

const named = (cloud: GcpStandIn, collection: string) =>
  [...cloud.resources.values()].filter(({ name }) => String(name).includes(`/${collection}/`));

const changesOf = async ({ call }: TestTranslator, path: string) =>
  (await call("POST", `${path}/plan`)).body.changes;

const desk = "/v1/specs/Agent/help-desk";
const handbook = "/v1/specs/RAGPipeline/handbook";

describe("an account of Google Cloud", () => {
  test("holds what was applied, and the plan is empty afterwards", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    expect((await reconcile(handbookYaml)).body).toMatchObject({ created: ["handbook-corpus"] });
    expect((await reconcile(deskYaml)).body).toMatchObject({
      created: ["help-desk-model-armor", "help-desk"],
    });
    expect(await changesOf(translator, handbook)).toEqual([]);
    expect(await changesOf(translator, desk)).toEqual([]);
    expect((await translator.call("GET", `${desk}/drift`)).body.drifted).toBe(false);
    const [corpus] = named(cloud, "ragCorpora");
    const [engine] = named(cloud, "reasoningEngines");
    const [template] = named(cloud, "templates");
    expect(corpus?.description).toMatch(
      /^The handbook\.\n\[argosy managed-by=argosy spec=ragpipeline_handbook part=corpus config-sha256=[0-9a-f]{63}\]$/,
    );
    expect(engine?.labels).toMatchObject({ "managed-by": "argosy", spec: "agent_help-desk", part: "main" });
    expect(JSON.stringify(engine)).toContain(JSON.stringify(corpus?.name));
    expect(JSON.stringify(engine)).toContain(JSON.stringify(template?.name));
    expect(JSON.stringify(engine)).toContain("max_output_tokens");
  });

  test("changes what changed, clears what is gone, and deletes what is no longer produced", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(handbookYaml);
    await reconcile(deskYaml);
    const changed = deskYaml
      .replace("two sentences", "three sentences")
      .replace(", description: Answers customers.", "")
      .replace("input: [{type: pii_detection, action: redact}]", "input: []");
    expect((await reconcile(changed)).body).toMatchObject({
      created: [],
      updated: ["help-desk"],
      deleted: ["help-desk-model-armor"],
    });
    expect(await changesOf(translator, desk)).toEqual([]);
    expect(named(cloud, "templates")).toEqual([]);
    expect(named(cloud, "reasoningEngines")[0]).not.toHaveProperty("description");
    expect((await translator.call("DELETE", `${desk}?cascade=true`)).body).toMatchObject({
      deleted: ["help-desk"],
    });
    expect(named(cloud, "reasoningEngines")).toEqual([]);
  });

  test("keeps parts of a corpus that belong to other calls: a change of them is one plan, then nothing", async () => {
    await using world = await startWorld();
    await world.reconcile(handbookYaml);
    await world.translator.submit(handbookYaml.replace("chunk_size: 800", "chunk_size: 1200"));
    const changes = await changesOf(world.translator, handbook);
    expect(changes).toHaveLength(1);
    expect((await world.translator.call("POST", `${handbook}/reconcile`)).body.updated).toEqual([
      "handbook-corpus",
    ]);
    expect(await changesOf(world.translator, handbook)).toEqual([]);
  });

  test("refuses to change an embedding model, which would lose the documents (409)", async () => {
    await using world = await startWorld();
    await world.reconcile(handbookYaml);
    const failed = await world.reconcile(
      `${handbookYaml}  embeddings: {provider: openai, model: text-multilingual-embedding-002}\n`,
    );
    expect([failed.status, failed.body.error]).toEqual([409, "resource_unchangeable"]);
    expect(world.cloud.writes.filter(({ method }) => method === "PATCH")).toEqual([]);
  });

  test("shows what somebody changed by hand, and only for what was sent", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    await reconcile(agentYaml("solo"));
    const [engine] = named(cloud, "reasoningEngines");
    Object.assign(engine as object, {
      displayName: "Changed",
      etag: "B",
      encryptionSpec: { kmsKeyName: "k" },
    });
    (engine?.labels as Record<string, string>)["cost-centre"] = "42";
    const { body } = await translator.call("GET", "/v1/specs/Agent/solo/drift");
    expect(body.changes).toEqual([
      {
        action: "update",
        resource: "solo",
        resource_type: "vertex.agent_engine",
        fields: [{ path: "display_name", before: "Changed", after: "solo" }],
      },
    ]);
    expect((await reconcile(agentYaml("solo"))).body.updated).toEqual(["solo"]);
    expect(named(cloud, "reasoningEngines")[0]).toMatchObject({
      displayName: "solo",
      labels: { "cost-centre": "42" },
    });
  });

  test("never touches what isn't labelled for the spec", async () => {
    await using world = await startWorld();
    const { cloud, translator, reconcile } = world;
    const ours = { "managed-by": "argosy", spec: "agent_other", part: "main" };
    const foreign = [
      cloud.put("reasoningEngines", { displayName: "help-desk" }),
      cloud.put("reasoningEngines", {
        displayName: "help-desk",
        labels: { ...ours, "managed-by": "somebody", spec: "agent_help-desk" },
      }),
      cloud.put("reasoningEngines", { displayName: "other", labels: ours }),
      cloud.put("ragCorpora", {
        displayName: "handbook",
        description: "[argosy managed-by=terraform spec=ragpipeline_handbook part=corpus]",
      }),
      cloud.put("ragCorpora", {
        displayName: "handbook",
        description: "[argosy managed-by=argosy spec=ragpipeline_handbook part=corpus] is how it begins",
      }),
    ];
    const before = structuredClone(foreign.map((name) => cloud.resources.get(name)));
    await reconcile(handbookYaml);
    await reconcile(deskYaml);
    await reconcile(deskYaml.replace("two", "three"));
    for (const path of [desk, handbook])
      expect((await translator.call("DELETE", `${path}?cascade=true`)).status).toBe(200);
    expect(foreign.map((name) => cloud.resources.get(name))).toEqual(before);
    expect(cloud.resources.size).toBe(foreign.length);
    expect(cloud.writes.filter(({ path }) => foreign.includes(path))).toEqual([]);
  });

  test("refuses (409) a template of somebody else's with the same id, and one whose labels were removed", async () => {
    await using world = await startWorld();
    const { cloud, reconcile } = world;
    await reconcile(handbookYaml);
    const name = cloud.put("templates", { id: "help-desk-model-armor", filterConfig: {} });
    const refused = await reconcile(deskYaml);
    expect([refused.status, refused.body.error]).toEqual([409, "account_conflict"]);
    expect(cloud.resources.get(name)).toEqual({ id: "help-desk-model-armor", filterConfig: {}, name });
  });

  test("waits for the operation of a process that ended, and creates nothing twice", async () => {
    await using world = await startWorld();
    const { cloud, ports, translator } = world;
    cloud.operationLooks = Number.POSITIVE_INFINITY;
    const path = await translator.submit(agentYaml("solo"));
    const begun = translator.call("POST", `${path}/reconcile`);
    while (ports.clock.waits.length < 3) await new Promise((resolve) => setImmediate(resolve));
    translator.stop();
    expect((await begun).status).toBeGreaterThanOrEqual(500);
    const [{ operation } = { operation: "" }] = await translator.deps.storage.read
      .select()
      .from(translator.deps.storage.tables.operations);
    expect(operation).toMatch(/\/operations\/1$/);
    // The next process finds the operation done.
    cloud.finishOperations();
    await resumeReconciles({ ...translator.deps, stopping: new AbortController().signal });
    expect(named(cloud, "reasoningEngines")).toHaveLength(1);
    expect(cloud.writes).toHaveLength(1);
    expect(await changesOf(translator, path)).toEqual([]);
    expect(
      await translator.deps.storage.read.select().from(translator.deps.storage.tables.operations),
    ).toEqual([]);
  });

  test("a creation without an answer is 502, and the next one takes up the resource", async () => {
    await using world = await startWorld();
    const { cloud, reconcile } = world;
    await reconcile(handbookYaml);
    cloud.fail({ method: "POST", at: /templates/, status: 500, code: "INTERNAL", isDone: true });
    expect((await reconcile(deskYaml)).status).toBe(502);
    expect((await reconcile(deskYaml)).status).toBe(200);
    expect(named(cloud, "templates")).toHaveLength(1);
    expect(await changesOf(world.translator, desk)).toEqual([]);
  });

  test("says what was done before a failure in the middle, and does the rest the next time", async () => {
    await using world = await startWorld();
    const { cloud, reconcile } = world;
    await reconcile(handbookYaml);
    cloud.fail({
      method: "POST",
      at: /reasoningEngines/,
      status: 400,
      code: "INVALID_ARGUMENT",
      message: "Model gone.",
    });
    const failed = await reconcile(deskYaml);
    expect([failed.status, failed.body.error, failed.body.created]).toEqual([
      502,
      "account_failed",
      ["help-desk-model-armor"],
    ]);
    expect(failed.body.message).toBe(
      "Google Cloud refused to create help-desk: 400 INVALID_ARGUMENT: Model gone.",
    );
    expect((await reconcile(deskYaml)).body.created).toEqual(["help-desk"]);
  });

  test("repeats what the cloud put off, and gives up (429) with the time that it asks for", async () => {
    await using world = await startWorld();
    const { cloud, ports, reconcile } = world;
    cloud.fail({
      method: "POST",
      at: /reasoningEngines/,
      status: 429,
      code: "RESOURCE_EXHAUSTED",
      times: 2,
      headers: { "retry-after": "7" },
    });
    expect((await reconcile(agentYaml("solo"))).status).toBe(200);
    expect(ports.clock.waits.filter((ms) => ms === 7_000)).toHaveLength(2);
    cloud.fail({
      method: "POST",
      at: /reasoningEngines/,
      status: 429,
      code: "RESOURCE_EXHAUSTED",
      headers: { "retry-after": "600" },
    });
    const refused = await reconcile(agentYaml("duo"));
    expect([refused.status, refused.body.error]).toEqual([429, "account_quota_exhausted"]);
    expect(refused.headers.get("retry-after")).toBe("600");
  });

  test("is 503 with the time to wait when the cloud is unavailable: a write is not repeated, a read is", async () => {
    await using world = await startWorld();
    const { cloud, ports, reconcile } = world;
    const unavailable = { status: 503, code: "UNAVAILABLE", headers: { "retry-after": "9" } };
    cloud.fail({ method: "POST", at: /reasoningEngines/, ...unavailable });
    const refused = await reconcile(agentYaml("solo"));
    expect([refused.status, refused.body.error, refused.headers.get("retry-after")]).toEqual([
      503,
      "account_unavailable",
      "9",
    ]);
    expect(refused.body).toMatchObject({ failed: { resource: "solo" }, hint: expect.any(String) });
    cloud.fail({ method: "GET", at: /reasoningEngines/, ...unavailable });
    expect((await reconcile(agentYaml("solo"))).body.created).toEqual(["solo"]);
    expect(ports.clock.waits).toContain(9_000);
    expect(named(cloud, "reasoningEngines")).toHaveLength(1);
  });

  test("signs in once, learns its token as a secret, and says when the key is refused", async () => {
    await using world = await startWorld();
    const { cloud, ports, reconcile } = world;
    await reconcile(agentYaml("solo"));
    expect(cloud.tokens).toHaveLength(1);
    expect(ports.secrets.mask(`token ${cloud.tokens[0]}`)).toBe("token [redacted]");
    ports.clock.skip(3_590_000);
    await reconcile(agentYaml("duo"));
    expect(cloud.tokens).toHaveLength(2);
    await using other = startGcpStandIn();
    const key = { ...other.settings.key, tokenUri: cloud.settings.key.tokenUri };
    const wrong = new GoogleAccount("wrong", { ...cloud.settings, key }, ports);
    const signal = new AbortController().signal;
    await expect(wrong.check(signal)).rejects.toMatchObject({
      kind: "upstream_failed",
      code: "account_access_denied",
    });
  });
});
