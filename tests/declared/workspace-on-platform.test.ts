import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../src/command/parts.ts";
import { type ReachedWorkspace, reachWorkspace } from "../../src/command/reach-workspace.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../src/compose/start.ts";
import { gatewayAdminClient } from "../../src/contracts/gateway/client.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { say } from "../cli/recording-shell.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/* A workspace against a running server: real services, real stores, and the control socket between them and the commands. */

const folder = temporaryFolder();
const adminToken = randomBytes(32).toString("hex");
const operatorToken = randomBytes(32).toString("hex");
const whatsAppToken = `EAA${randomBytes(24).toString("hex")}1234`;
const variables: Record<string, string> = {};

const configOf = () => {
  const config = loadConfig({ workspace: folder.path, port: "0" });
  return {
    ...config,
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    gateway: { ...config.gateway, adminToken, emulator: true },
    platform: { ...config.platform, operatorToken },
    variable: (name: string) => variables[name],
  };
};

let server: RunningArgosy;
let tenantId = "";
let key = "";

const urlOf = (name: string) => server.services.find((service) => service.name === name)?.url ?? "";
const address = (name: string) => ({ baseUrl: urlOf(name), fetch: (request: Request) => fetch(request) });
const asTenant = () => platformClient({ ...address("platform"), apiKey: key });
const asOperator = () => platformClient({ ...address("platform"), operatorToken });
const gateway = () => gatewayAdminClient(address("gateway"), adminToken);

beforeAll(async () => {
  server = await startArgosy(configOf(), { log: silentLogger });
  const people = platformClient(address("platform"));
  const { accessToken } = await people.register({
    email: "ada@example.com",
    password: "correct horse",
    displayName: "Ada",
  });
  const ada = platformClient({ ...address("platform"), accessToken });
  tenantId = (await ada.createTenant("Ada Ltd")).id;
  key = (await ada.createKey(tenantId, "desk")).rawKey;
  Object.assign(variables, { DESK_KEY: key, WA_TOKEN: whatsAppToken });
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const agent = (name: string, system: string, more = "") => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: ${JSON.stringify(system)}}
${more}`;

const asksOther = "  tools: [{name: ask, type: agent, description: Asks., config: {agent: other}}]\n";

const platformYaml = `plan: plan_pro
plans:
  plan_pro: {name: Pro, min_fee_micros: 29900000}
tariffs:
  - {provider: rehearsal, model: rehearsal, credits_per_1k_in_micros: 20000, credits_per_1k_out_micros: 60000}
channels:
  - {channel: echo, external_id: desk, entry_agent: helper, platform_api_key_env: DESK_KEY}
  - {channel: phone_messenger, external_id: "100200", access_token_env: WA_TOKEN, emulated: true, entry_agent: helper, platform_api_key_env: DESK_KEY}
`;

const write = (path: string, text: string) => writeFileSync(join(folder.path, path), text);

/** The files that every test begins with, applied. */
function writeAll(): void {
  for (const part of ["agents", "rag"]) {
    rmSync(join(folder.path, part), { recursive: true, force: true });
    mkdirSync(join(folder.path, part));
  }
  // "helper" comes first by name, and needs "other".
  write("agents/helper.agent.yaml", agent("helper", "You help.", asksOther));
  write("agents/other.agent.yaml", agent("other", "You know."));
  write(
    "rag/handbook.rag.yaml",
    "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: handbook}\nspec: {chunking: {chunk_size: 900}}\n",
  );
  write("platform.yaml", platformYaml);
}

async function withWorkspace<T>(use: (workspace: ReachedWorkspace) => Promise<T>): Promise<T> {
  const workspace = await reachWorkspace(configOf(), { log: silentLogger });
  try {
    return await use(workspace);
  } finally {
    await workspace.close();
  }
}

const planned = (adopt = false) => withWorkspace(async (workspace) => (await workspace.plan({ adopt })).plan);
const drift = () => withWorkspace((workspace) => workspace.drift());
const applied = ({ adopt = false, hash }: { adopt?: boolean; hash?: string } = {}) =>
  withWorkspace(async (workspace) => {
    const signal = new AbortController().signal;
    return workspace.apply(await workspace.plan({ adopt }), { signal, hash, told: () => {} });
  });

const changesIn = ({ changes }: { changes: { action: string; resource_type: string; resource: string }[] }) =>
  changes.map(({ action, resource_type, resource }) => `${action} ${resource_type} ${resource}`);
const statuses = (results: { status: string; resource: string }[]) =>
  results.map(({ status, resource }) => `${resource} ${status}`);

beforeEach(async () => {
  writeAll();
  const results = await applied({ adopt: true });
  expect(results.filter(({ status }) => status !== "done")).toEqual([]);
});

const cli = (...args: string[]) =>
  say(args, { folder: folder.path, parts: { ...builtParts, loadConfig: async () => configOf() } });

describe("a workspace", () => {
  test("is applied in the order of its references, and then the plan is empty and nothing has drifted", async () => {
    const { agents } = await asTenant().listAgents();
    expect(agents.map(({ name }) => name).sort()).toEqual(["helper", "other"]);
    expect((await asOperator().getTenant(tenantId)).plan.id).toBe("plan_pro");
    const { accounts } = await gateway().listAccounts(tenantId);
    expect(accounts.map(({ external_id }) => external_id).sort()).toEqual(["100200", "desk"]);
    expect((await gateway().listBindings(tenantId)).bindings).toHaveLength(2);
    expect((await asTenant().listCollections()).collections.map(({ name }) => name)).toEqual(["handbook"]);
    expect((await planned()).changes).toEqual([]);
    expect(await applied()).toEqual([]);
    expect((await drift()).drifted).toBe(false);
  });

  test("changes what changed, field by field, and appends a version of an agent", async () => {
    const before = (await asTenant().getAgent("other")).current_version;
    write("agents/other.agent.yaml", agent("other", "You know a lot."));
    const plan = await planned();
    expect(plan.changes).toEqual([
      {
        action: "update",
        resource: "other",
        resource_type: "platform.agent",
        fields: [{ path: "spec.prompts.system", before: "You know.", after: "You know a lot." }],
      },
    ]);
    expect(statuses(await applied({ hash: plan.hash }))).toEqual(["other done"]);
    expect((await asTenant().getAgent("other")).current_version).toBe(before + 1);
  });

  test("deletes what an apply created and the files no longer declare, dependents first", async () => {
    write("agents/helper.agent.yaml", agent("helper", "You help."));
    rmSync(join(folder.path, "agents/other.agent.yaml"));
    rmSync(join(folder.path, "rag/handbook.rag.yaml"));
    write("platform.yaml", platformYaml.replace(/ {2}- \{channel: phone.*\n/, ""));
    const plan = await planned();
    expect(changesIn(plan)).toEqual([
      "update platform.agent helper",
      "delete gateway.binding phone_messenger/100200",
      "delete gateway.account phone_messenger/100200",
      "delete platform.agent other",
      "delete platform.collection handbook",
    ]);
    expect((await applied({ hash: plan.hash })).every(({ status }) => status === "done")).toBe(true);
    expect((await planned()).changes).toEqual([]);
    expect((await gateway().listAccounts(tenantId)).accounts).toHaveLength(1);
  });

  test("never touches what no apply created: it is neither deleted nor, without --adopt, changed", async () => {
    await asTenant().createAgent(agent("by-hand", "Made by hand."));
    await gateway().saveAccount({ tenant_id: tenantId, channel: "echo", external_id: "by-hand" });
    expect((await planned()).changes).toEqual([]);
    write("agents/by-hand.agent.yaml", agent("by-hand", "From a file."));
    const plan = await planned();
    expect(plan.conflicts).toMatchObject([{ resource: "by-hand", hint: expect.stringContaining("--adopt") }]);
    await expect(applied()).rejects.toMatchObject({ kind: "conflict", code: "workspace_conflict" });
    expect((await asTenant().getAgent("by-hand")).spec).toMatchObject({
      spec: { prompts: { system: "Made by hand." } },
    });
    const adopting = await planned(true);
    expect(adopting.changes[0]?.fields[0]).toEqual({ path: "managed-by", after: "argosy" });
    expect(statuses(await applied({ adopt: true }))).toEqual(["by-hand done"]);
    rmSync(join(folder.path, "agents/by-hand.agent.yaml"));
    expect(changesIn(await planned())).toEqual(["delete platform.agent by-hand"]);
    await applied();
    const { accounts } = await gateway().listAccounts(tenantId);
    const left = accounts.find(({ external_id }) => external_id === "by-hand");
    expect(left).toBeDefined();
    await gateway().deleteAccount(left?.id ?? "");
  });

  test("a plan that is no longer true is refused (409), and nothing is changed", async () => {
    write("agents/other.agent.yaml", agent("other", "First."));
    const { hash } = await planned();
    write("agents/other.agent.yaml", agent("other", "Second."));
    await expect(applied({ hash })).rejects.toMatchObject({ kind: "conflict", code: "plan_stale" });
    write("agents/other.agent.yaml", agent("other", "First."));
    await asTenant().updateAgent("other", agent("other", "By hand."));
    await expect(applied({ hash })).rejects.toMatchObject({ code: "plan_stale" });
    expect((await asTenant().getAgent("other")).spec).toMatchObject({
      spec: { prompts: { system: "By hand." } },
    });
  });

  test("of two applies at once, the second is refused (409)", async () => {
    write("agents/other.agent.yaml", agent("other", "Twice."));
    write("agents/third.agent.yaml", agent("third", "New."));
    await withWorkspace(async (workspace) => {
      const first = await workspace.plan({ adopt: false });
      const second = await workspace.plan({ adopt: false });
      const options = { signal: new AbortController().signal, told: () => {} };
      await workspace.apply(first, options);
      await expect(workspace.apply(second, options)).rejects.toMatchObject({ code: "workspace_changed" });
    });
    expect((await planned()).changes).toEqual([]);
  });

  test("drift is what somebody changed since the apply, secrets included, and an apply restores the files", async () => {
    await asTenant().deleteAgent("helper");
    const { accounts } = await gateway().listAccounts(tenantId);
    const phone = accounts.find(({ channel }) => channel === "phone_messenger");
    await gateway().saveAccount({
      tenant_id: tenantId,
      channel: "phone_messenger",
      external_id: "100200",
      credentials: { access_token: "another-token-9999" },
      emulated: phone?.emulated ?? true,
    });
    const found = await drift();
    expect(changesIn(found)).toEqual([
      "update gateway.account phone_messenger/100200",
      "create platform.agent helper",
    ]);
    expect(found.changes[0]?.fields).toEqual([
      { path: "credentials.access_token", before: "another value", after: "env:WA_TOKEN" },
    ]);
    expect((await applied()).every(({ status }) => status === "done")).toBe(true);
    expect((await drift()).drifted).toBe(false);
  });

  test("a secret with the same last characters is another secret, and no secret is in a plan or an output", async () => {
    variables.WA_TOKEN = `${"x".repeat(20)}1234`;
    const plan = await planned();
    expect(plan.changes[0]?.fields).toEqual([
      { path: "credentials.access_token", before: "another value", after: "env:WA_TOKEN" },
    ]);
    const outputs = [await cli("plan"), await cli("plan", "--json"), await cli("apply", "--yes", "--json")];
    variables.WA_TOKEN = whatsAppToken;
    outputs.push(await cli("apply", "--yes"), await cli("drift", "--platform", "--json"));
    for (const { stdout, stderr, code } of outputs) {
      expect(code).toBe(0);
      for (const secret of [key, whatsAppToken, adminToken, `${"x".repeat(20)}1234`])
        expect(stdout + stderr).not.toContain(secret);
    }
  });

  test("a plan with other values is refused with the way out, and a tariff becomes a later one", async () => {
    write("platform.yaml", platformYaml.replace("29900000", "19900000"));
    const refused = await planned();
    expect(refused.conflicts).toMatchObject([
      {
        resource: "plan_pro",
        message: expect.stringContaining("can't be changed"),
        hint: expect.stringContaining("plan_pro-2"),
      },
    ]);
    await expect(applied()).rejects.toMatchObject({ code: "workspace_conflict" });
    write("platform.yaml", platformYaml.replace("20000", "25000"));
    expect(changesIn(await planned())).toEqual(["update platform.tariff rehearsal/rehearsal"]);
    await applied();
    const { tariffs } = await asOperator().listTariffs();
    expect(tariffs.find(({ model }) => model === "rehearsal")?.credits_per_1k_in_micros).toBe(25_000);
    expect((await planned()).changes).toEqual([]);
    const dated = (price: number) =>
      platformYaml
        .replace("{provider: rehearsal,", "{provider: rehearsal, effective_from: 2090-01-01T00:00:00Z,")
        .replace("20000", String(price));
    write("platform.yaml", dated(30_000));
    expect(statuses(await applied())).toEqual(["rehearsal/rehearsal@2090-01-01T00:00:00.000Z done"]);
    write("platform.yaml", dated(31_000));
    expect((await planned()).conflicts[0]?.hint).toContain("later effective_from");
  });

  test("a failure is reported with what to do; what needs it is skipped, the rest is done, nothing is deleted", async () => {
    write("agents/third.agent.yaml", agent("third", "New."));
    rmSync(join(folder.path, "rag/handbook.rag.yaml"));
    variables.DESK_KEY = "apk_unknown";
    const results = await applied();
    variables.DESK_KEY = key;
    expect(statuses(results)).toEqual([
      "third done",
      "echo/desk failed",
      "phone_messenger/100200 failed",
      "handbook skipped",
    ]);
    for (const { hint, message } of results.slice(1))
      expect([typeof hint, typeof message]).toEqual(["string", "string"]);
    expect(results[1]?.message).toContain("platform_api_key");
    writeAll();
    write("agents/third.agent.yaml", agent("third", "New."));
    expect((await planned()).changes).toEqual([]);
  });

  test("faulty files are refused (exit 2) with file, line and column before anything is changed", async () => {
    write("agents/other.agent.yaml", agent("other", "You know.", "  oops: 1\n"));
    write(
      "agents/third.agent.yaml",
      agent("third", "Reads.", "  tools: [{name: read_file, type: builtin}]\n"),
    );
    const { code, stdout } = await cli("apply", "--yes");
    expect(code).toBe(2);
    expect(stdout).toMatch(/^agents\/other\.agent\.yaml:7:3: spec\.oops /m);
    write("agents/other.agent.yaml", agent("other", "You know."));
    const refused = await cli("apply", "--yes");
    expect(refused.code).toBe(2);
    expect(refused.stdout).toMatch(/^agents\/third\.agent\.yaml:7:\d+: spec\.tools/m);
    rmSync(join(folder.path, "agents/third.agent.yaml"));
    delete variables.WA_TOKEN;
    const unset = await cli("plan", "--json");
    variables.WA_TOKEN = whatsAppToken;
    expect([unset.code, JSON.parse(unset.stdout).error]).toEqual([2, "invalid_workspace"]);
    expect(JSON.parse(unset.stdout).problems[0]).toMatchObject({ file: "platform.yaml", line: 8 });
    expect((await planned()).changes).toEqual([]);
  });

  test("the records are not reachable over the network (404), with any credential", async () => {
    const path = `${urlOf("platform")}/control/tenants/${tenantId}/workspace`;
    for (const headers of [{}, { "x-api-key": key }, { "x-operator-token": operatorToken }])
      expect((await fetch(path, { headers })).status).toBe(404);
  });

  test("plan --exit-code is 2 for differences and 0 for none; apply without --yes changes nothing", async () => {
    expect((await cli("plan", "--exit-code")).code).toBe(0);
    write("agents/other.agent.yaml", agent("other", "You know it."));
    expect((await cli("plan", "--exit-code")).code).toBe(2);
    expect((await cli("plan")).code).toBe(0);
    const unsure = await cli("apply");
    expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await cli("plan", "--exit-code")).code).toBe(2);
    expect((await cli("drift", "--platform", "--exit-code")).code).toBe(0);
    expect((await cli("plan", "--account", "local")).code).toBe(2);
    expect((await cli("plan", "agents", "--adopt")).code).toBe(2);
  });
});
