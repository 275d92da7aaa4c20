import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asOwner, create, platformWithOwner, specOf } from "../services/platform/agents/sent-spec.ts";
import { draft, startCloud } from "../support/cloud.ts";
import { type Answer, agentFile, type CallOptions, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { asAdmin, startGateway } from "../support/gateway.ts";
import { onEachEngine } from "../support/storage-engines.ts";
import { startTranslator } from "../support/translator.ts";

type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

interface Resource {
  call: Call;
  path: string;
  /** Where the resource and its tag are read; by default its own path. */
  readAt?: string;
  saveWith?: { method: string; path: string };
  body: (version: number) => unknown;
  headers?: Record<string, string>;
}

/** Two people read a version, and both save: the first one wins, and the second one learns of it. */
async function cross({ call, path, readAt = path, saveWith, body, headers = {} }: Resource): Promise<void> {
  const { method, path: target } = saveWith ?? { method: "PUT", path };
  const read = await call("GET", readAt, { headers });
  expect(read.status).toBe(200);
  const tag = read.headers.get("etag") ?? "";
  expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
  const save = (version: number, match?: string) =>
    call(method, target, {
      body: body(version),
      headers: {
        ...headers,
        "content-type": "application/json",
        ...(match !== undefined && { "if-match": match }),
      },
    });
  const first = await save(2, tag);
  expect(first.status).toBe(200);
  const second = await save(3, tag);
  expect(second.status).toBe(412);
  expect(second.text).toContain("has changed since you read it");
  // The refused save changed nothing, and its answer is the state that the first one left.
  const now = (await call("GET", readAt, { headers })).headers.get("etag") ?? "";
  expect(now).toBe(first.headers.get("etag") ?? "");
  expect(now).not.toBe(tag);
  expect((await save(3, now)).status).toBe(200);
  expect((await save(4, "*")).status).toBe(200);
  // Without the header, every state is replaced.
  expect((await save(5)).status).toBe(200);
  // Of several saves over one version, one wins.
  const last = (await call("GET", readAt, { headers })).headers.get("etag") ?? "";
  const statuses = (await Promise.all([6, 7, 8].map((version) => save(version, last)))).map(
    ({ status }) => status,
  );
  expect(statuses.sort()).toEqual([200, 412, 412]);
}

const persisting = () =>
  startDaemon({
    agents: { "one.agent.yaml": described(1) },
    configure: (config) => ({ ...config, persistAgents: true }),
  });
const described = (version: number) => agentFile("one", { identity: { description: `version ${version}` } });
const pipeline = (version: number) =>
  JSON.stringify({
    apiVersion: "platform/v1",
    kind: "RAGPipeline",
    metadata: { name: "notes" },
    spec: { description: `version ${version}` },
  });
const asMachineOwner =
  (daemon: TestDaemon): Call =>
  (method, path, options) =>
    daemon.asOwner(method, path, options);

describe("If-Match of the daemon", () => {
  test("an agent", async () => {
    await using daemon = await persisting();
    await cross({
      call: asMachineOwner(daemon),
      path: "/v1/agents/one",
      readAt: "/v1/agents/one/manifest",
      body: described,
    });
  });

  test("a change of an agent whose file was edited meanwhile is 412, and the file stays as edited", async () => {
    await using daemon = await persisting();
    const read = await daemon.asOwner("GET", "/v1/agents/one/manifest");
    const file = join(daemon.workspace, "agents", "one.agent.yaml");
    const edited = described(20);
    writeFileSync(file, edited);
    const headers = { "content-type": "application/yaml", "if-match": read.headers.get("etag") ?? "" };
    const answer = await daemon.asOwner("PUT", "/v1/agents/one", { body: described(2), headers });
    expect(answer).toMatchObject({ status: 412, body: { error: "version_changed" } });
    expect(readFileSync(file, "utf8")).toBe(edited);
    const newer = await daemon.asOwner("GET", "/v1/agents/one/manifest");
    expect(newer.text).toBe(edited);
    expect(newer.headers.get("etag")).not.toBe(read.headers.get("etag"));
  });

  test("a save of an agent that was deleted meanwhile is 412 and does not create it again", async () => {
    await using daemon = await persisting();
    const read = await daemon.asOwner("GET", "/v1/agents/one/manifest");
    await daemon.asOwner("DELETE", "/v1/agents/one");
    const headers = { "content-type": "application/yaml", "if-match": read.headers.get("etag") ?? "" };
    const answer = await daemon.asOwner("PUT", "/v1/agents/one", { body: described(2), headers });
    expect(answer).toMatchObject({ status: 412, body: { error: "version_changed" } });
    expect((await daemon.asOwner("GET", "/v1/agents/one")).status).toBe(404);
  });

  test("the manifest has one tag in both formats", async () => {
    await using daemon = await persisting();
    const yaml = await daemon.asOwner("GET", "/v1/agents/one/manifest");
    const json = await daemon.asOwner("GET", "/v1/agents/one/manifest?format=json");
    expect(json.headers.get("etag")).toBe(yaml.headers.get("etag") ?? "");
  });

  test("a pipeline", async () => {
    await using daemon = await persisting();
    mkdirSync(join(daemon.workspace, "rag"), { recursive: true });
    const call = asMachineOwner(daemon);
    const made = await call("POST", "/v1/rag/pipelines", {
      body: pipeline(1),
      headers: { "content-type": "application/json" },
    });
    expect(made.headers.get("etag")).toBeString();
    await cross({ call, path: "/v1/rag/pipelines/notes", body: pipeline });
  });
});

onEachEngine("If-Match", (engine) => {
  test("an agent of the platform: an outdated version is 412, also when an earlier version is restored", async () => {
    await using platform = await platformWithOwner(engine);
    const spec = (version: number) => specOf("support", { identity: { role: `version ${version}` } });
    await create(platform, spec(1));
    const call: Call = (method, path, options) => asOwner(platform, method, path, options);
    const path = "/api/v1/agents/support";
    await cross({ call, path, body: spec });
    const stale = (await call("GET", path)).headers.get("etag") ?? "";
    await call("PUT", path, { body: spec(9) });
    const restore = (tag: string) =>
      call("POST", `${path}/versions/1/restore`, { headers: { "if-match": tag } });
    expect(await restore(stale)).toMatchObject({ status: 412, body: { error: "version_changed" } });
    expect((await restore((await call("GET", path)).headers.get("etag") ?? "")).status).toBe(201);
  });

  test("an agent of the cloud: an outdated version is 412", async () => {
    await using cloud = await startCloud(engine);
    const { headers, org } = await cloud.login("ada@example.com");
    await cloud.call("POST", `${org}/agents`, { headers, body: draft("helper") });
    await cross({
      call: cloud.call,
      path: `${org}/agents/helper`,
      headers,
      body: (version) => ({ display_name: `Version ${version}` }),
    });
  });

  test("a binding and an account of the gateway: an outdated version is 412, an unknown one 404", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "phone_messenger", "PN1");
    const input = {
      tenant_id: "a",
      account_id: account,
      entry_agent: "support",
      config: { platform_api_key: "apk_secret-of-tenant-a" },
    };
    const { body } = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body: input });
    const call: Call = (method, path, options) => gateway.call(method, path, options);
    await cross({
      call,
      path: `/admin/bindings/${body.id}`,
      headers: asAdmin,
      body: (version) => ({ fallback_message: `version ${version}` }),
    });
    await cross({
      call,
      path: `/admin/accounts/${account}`,
      saveWith: { method: "POST", path: "/admin/accounts" },
      headers: asAdmin,
      body: (version) => ({
        tenant_id: "a",
        channel: "phone_messenger",
        external_id: "PN1",
        credentials: {
          access_token: `token-${version}-of-the-account`,
          app_secret: "s".repeat(32),
          verify_token: "v",
        },
      }),
    });
    for (const path of ["/admin/bindings/0", "/admin/accounts/0"]) {
      expect((await call("GET", path, { headers: asAdmin })).status).toBe(404);
    }
  });

  test("a manifest of the translator: an outdated version is 412", async () => {
    await using translator = await startTranslator(engine);
    const yaml = (version: number) => described(version);
    const path = await translator.submit(yaml(1));
    await cross({
      call: translator.call,
      path,
      saveWith: { method: "POST", path: "/v1/specs" },
      body: (version) => ({ yaml: yaml(version) }),
    });
    const other = agentFile("other");
    const headers = { "content-type": "application/json", "if-match": "*" };
    const answer = await translator.call("POST", "/v1/specs", { body: { yaml: other }, headers });
    expect(answer).toMatchObject({ status: 412, body: { error: "version_changed" } });
    expect((await translator.call("GET", "/v1/specs/Agent/other")).status).toBe(404);
  });
});
