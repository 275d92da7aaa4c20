import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/compose/load-config.ts";
import type { Config } from "../../src/compose/settings/config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { providerAliases } from "../../src/engine/models/providers/registry.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const operatorToken = "operator-token-of-at-least-32-bytes";
const hostedKey = "hosted-key-0123456789";
const model = "m-large";

interface World extends AsyncDisposable {
  daemon: string;
  platform: string;
  server: ModelServer;
  file(provider: string, rate?: number): Promise<number>;
  newTenant(spec: Record<string, unknown>, plan?: Record<string, unknown>): Promise<Tenant>;
}

interface Tenant {
  id: string;
  run(agent?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  add(name: string, spec: Record<string, unknown>): Promise<number>;
}

/** Starts daemon and platform in this process. HOSTED_LLM_ENDPOINT and an entry `corp` of providers.yaml name the model server. */
async function openWorld(change: { files?: Record<string, string>; spec?: object } = {}): Promise<World> {
  await using held = new AsyncDisposableStack();
  const workspace = held.use(temporaryFolder()).path;
  const server = held.adopt(await startModelServer([{ text: "Hello." }]), (one) => one.stop());
  const entry = { type: "openai_compat", endpoint: server.url, api_key_env: "CORP_KEY" };
  const files = { "providers.yaml": JSON.stringify({ providers: { corp: entry } }), ...change.files };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, name), text.replaceAll("SERVER", server.url));
  }
  writeFileSync(join(workspace, "runtime.yaml"), JSON.stringify({ spec: change.spec ?? {} }));
  const loaded = loadConfig({ workspace, port: "0", services: "daemon,platform" });
  const config: Config = {
    ...loaded,
    access: { allowedHosts: [], insecureOpen: false },
    models: {
      autoConfigure: true,
      rehearse: false,
      localHost: "http://127.0.0.1:9",
      hostedKey,
      hostedEndpoint: server.url,
    },
    platform: { ...loaded.platform, operatorToken },
    variable: (name) => (name === "CORP_KEY" ? "corp-key-0123456789" : undefined),
  };
  const running = held.adopt(await startArgosy(config, { log: silentLogger }), (one) => one.stop());
  const url = (wanted: string) => running.services.find(({ name }) => name === wanted)?.url ?? "";
  const platform = url("platform");
  const post = (path: string, headers: Record<string, string>, body: unknown, method = "POST") =>
    fetch(`${platform}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const asOperator = { "x-operator-token": operatorToken };
  let people = 0;
  const ending = held.move();
  return {
    daemon: url("daemon"),
    platform,
    server,
    async file(provider, rate = 1_000_000) {
      const tariff = { provider, model, credits_per_1k_in_micros: rate, credits_per_1k_out_micros: rate };
      return (await post("/api/v1/admin/tariffs", asOperator, tariff)).status;
    },
    async newTenant(spec, plan) {
      const account = { email: `p${++people}@example.com`, password: "correct horse", displayName: "Ada" };
      const client = platformClient({ fetch: (request) => fetch(request), baseUrl: platform });
      const { accessToken } = await client.register(account);
      const person = platformClient({ fetch: (request) => fetch(request), baseUrl: platform, accessToken });
      const { id } = await person.createTenant("Ada Ltd");
      const { rawKey } = await person.createKey(id, "test");
      const asProgram = { "x-api-key": rawKey };
      if (plan !== undefined) {
        const made = await post("/api/v1/admin/plans", asOperator, plan);
        expect(made.status).toBe(201);
        const given = await post(`/api/v1/admin/tenants/${id}/plan`, asOperator, { plan_id: plan.id }, "PUT");
        expect(given.status).toBe(200);
      }
      const add = async (name: string, agentSpec: Record<string, unknown>) => {
        const manifest = { apiVersion: "platform/v1", kind: "Agent", metadata: { name }, spec: agentSpec };
        return (await post("/api/v1/agents", asProgram, manifest)).status;
      };
      expect(await add("helper", spec)).toBe(201);
      return {
        id,
        add,
        async run(agent = "helper") {
          const answer = await post(`/api/v1/agents/${agent}/run`, asProgram, { query: "Hello?" });
          return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
        },
      };
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

const spec = (provider: string) => ({
  model: { primary: { provider, model, parameters: { max_tokens: 100 } } },
  prompts: { system: "You help." },
});

/** A run costs 0.015 credits; the plan has room for one hold of slightly more than 2,000 tokens. */
const tightPlan = {
  id: "tight",
  name: "Tight",
  argo_code: null,
  max_concurrency: null,
  max_rpm: null,
  credit_cap_period_micros: 2_010_000,
  max_tokens_per_call: 100,
  max_run_tokens: 2000,
  max_iterations: 5,
  max_active_agents: null,
  min_fee_micros: 0,
  activation_price_micros: 0,
  included_credits_micros: 0,
  extra_credit_price_micros: 0,
  spec: { unidades: {}, features: {} },
};

const json = async <T>(url: string) => (await (await fetch(url)).json()) as T;

/** Spellings of a provider in a manifest and in a tariff, with their canonical name. */
const spellings = [
  ...[...providerAliases].flatMap(([alias, name]) => [
    { written: alias, filed: name, name, key: hostedKey },
    { written: name, filed: alias, name, key: hostedKey },
    { written: alias, filed: alias, name, key: hostedKey },
    { written: alias, filed: ` ${name.toUpperCase()} `, name, key: hostedKey },
  ]),
  { written: "corp", filed: " Corp", name: "corp", key: "corp-key-0123456789" },
];

describe("a provider has one name", () => {
  test.each(spellings)("$written, with a tariff of $filed", async ({ written, filed, name, key }) => {
    await using world = await openWorld();
    expect(await world.file(filed)).toBe(201);
    const tenant = await world.newTenant(spec(written), tightPlan);

    const first = await tenant.run();
    expect(first).toMatchObject({
      status: 200,
      body: { pricing_status: "priced", credits_charged_micros: 15_000 },
    });
    expect(first.body.usage).toMatchObject({ by_model: [{ provider: name, model }] });
    expect(world.server.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${key}`);

    // A hold of 2,000 tokens at the tariff's rate no longer fits.
    const second = await tenant.run();
    expect(second).toMatchObject({ status: 402, body: { error: "credit_budget_exhausted" } });

    const { providers } = await json<{ providers: { name: string; circuits: unknown[] }[] }>(
      `${world.daemon}/v1/system/providers`,
    );
    const named = providers.filter(({ circuits }) => circuits.length > 0);
    expect(named.map((one) => one.name)).toEqual([name]);
    expect(named[0]?.circuits).toHaveLength(1);
    const metrics = await (await fetch(`${world.daemon}/metrics`)).text();
    const labels = new Set([...metrics.matchAll(/provider="([^"]*)"/g)].map(([, label]) => label));
    expect([...labels]).toEqual([name]);
  });

  test("also in roles and fallbacks, and of what the daemon's own callers name", async () => {
    await using world = await openWorld();
    const candidate = { provider: "openai_compat", model };
    const agent = {
      model: { primary: candidate, fallback: candidate, roles: { planner: { candidates: [candidate] } } },
      prompts: { system: "You help." },
    };
    await world.file("openai");
    const tenant = await world.newTenant(agent);
    expect((await tenant.run()).body).toMatchObject({ pricing_status: "priced" });
    for (const provider of ["openai_compat", "openai", "OpenAI"]) {
      const answer = await fetch(`${world.daemon}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: `${provider}/${model}`, messages: [{ role: "user", content: "Hi" }] }),
      });
      expect(answer.status).toBe(200);
    }
    const { by_provider } = await json<{ by_provider: object }>(`${world.daemon}/v1/costs/summary`);
    expect(Object.keys(by_provider)).toEqual(["openai"]);
  });

  test("an entry of providers.yaml that is named by an alias is the provider's", async () => {
    const entry = { type: "openai_compat", endpoint: "SERVER", api_key_env: "CORP_KEY" };
    const files = { "providers.yaml": JSON.stringify({ providers: { openai_compat: entry } }) };
    await using world = await openWorld({ files });
    await world.file("openai");
    const tenant = await world.newTenant(spec("openai"));
    expect((await tenant.run()).body).toMatchObject({ pricing_status: "priced" });
    expect(world.server.requests.at(-1)?.headers.get("authorization")).toBe("Bearer corp-key-0123456789");
  });

  test("two entries for one provider are refused", async () => {
    const entry = { type: "openai", endpoint: "SERVER" };
    const files = {
      "providers.yaml": JSON.stringify({ providers: { openai: entry, openai_compat: entry } }),
    };
    await expect(openWorld({ files })).rejects.toThrow("providers.openai_compat is another name of openai");
  });

  test("spec.tenants.providers accepts any of a provider's names; another provider is 400", async () => {
    await using world = await openWorld({ spec: { tenants: { providers: ["openai_compat"] } } });
    await world.file("openai");
    const tenant = await world.newTenant(spec("openai"));
    expect((await tenant.run()).body).toMatchObject({ pricing_status: "priced" });
    expect(await tenant.add("other", spec("corp"))).toBe(400);
  });
});

describe("spec.platform.allow_unpriced: false", () => {
  const refused = { status: 402, body: { error: "unpriced_model" } };
  const candidate = (name: string) => ({ provider: "openai", model: name });
  const members: [string, Record<string, unknown>][] = [
    ["primary", { primary: candidate("m-new") }],
    ["fallback", { primary: candidate(model), fallback: candidate("m-new") }],
    ["fallbacks", { primary: candidate(model), fallbacks: [candidate("m-new")] }],
    ["a role", { primary: candidate(model), roles: { planner: { candidates: [candidate("m-new")] } } }],
  ];

  test.each(members)(
    "refuses a run whose %s has no tariff, before anything is called",
    async (_, section) => {
      await using world = await openWorld({ spec: { platform: { allow_unpriced: false } } });
      await world.file("openai_compat");
      const tenant = await world.newTenant({ model: section, prompts: { system: "You help." } });
      const answer = await tenant.run();
      expect(answer).toMatchObject(refused);
      expect(answer.body.message).toBe("The agent may call openai/m-new, which has no tariff.");
      expect(world.server.requests).toHaveLength(0);
    },
  );

  test("refuses it for an agent that is called by a tool or a chain, and takes what is priced", async () => {
    await using world = await openWorld({ spec: { platform: { allow_unpriced: false } } });
    await world.file("openai");
    const tenant = await world.newTenant(spec("openai_compat"));
    expect((await tenant.run()).status).toBe(200);
    expect(await tenant.add("cheap", { ...spec("openai"), model: { primary: candidate("m-new") } })).toBe(
      201,
    );
    const tool = { name: "ask_cheap", type: "agent", config: { agent: "cheap" } };
    expect(await tenant.add("by-tool", { ...spec("openai"), tools: [tool] })).toBe(201);
    expect(await tenant.run("by-tool")).toMatchObject(refused);
    const chain = { on_complete: [{ agent: "cheap" }] };
    expect(await tenant.add("by-chain", { ...spec("openai"), chain })).toBe(201);
    expect(await tenant.run("by-chain")).toMatchObject(refused);
  });
});
