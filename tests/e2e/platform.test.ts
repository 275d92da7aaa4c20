import { expect } from "bun:test";
import { join } from "node:path";
import { type Answer, answerOf, type CallOptions } from "../support/daemon.ts";
import {
  argosy,
  executableTest,
  type ServerProcess,
  startServer,
  writeFiles,
} from "../support/executable.ts";
import { postgresMissing, postgresServer } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const services = ["daemon", "platform"];
const operatorToken = "operator-token-of-at-least-32-bytes";
const asOperator = { "x-operator-token": operatorToken };

const manifest = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "helper" },
  spec: {
    model: { primary: { provider: "rehearsal", model: "rehearsal" } },
    prompts: { system: "You help." },
  },
});

type Ask = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

const at =
  (server: ServerProcess): Ask =>
  async (method, path, { body, headers = {} } = {}) => {
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const url = `${server.urlOf("platform")}${path}`;
    return answerOf(await fetch(url, { method, headers: { ...type, ...headers }, ...sent }));
  };

/** Creates a person with a tenant, a key and an agent. */
async function newTenant(ask: Ask) {
  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { body: signedIn } = await ask("POST", "/auth/register", { body: account });
  const asPerson = { authorization: `Bearer ${signedIn.accessToken}` };
  const { body: tenant } = await ask("POST", "/api/v1/tenants", {
    body: { displayName: "Ada Ltd" },
    headers: asPerson,
  });
  const { body: key } = await ask("POST", `/api/v1/tenants/${tenant.id}/keys`, {
    body: { label: "shop" },
    headers: asPerson,
  });
  const headers = { "x-api-key": key.rawKey };
  expect((await ask("POST", "/api/v1/agents", { body: manifest, headers })).status).toBe(201);
  return { account, tenantId: tenant.id as string, headers };
}

const tariff = {
  provider: "rehearsal",
  model: "rehearsal",
  credits_per_1k_in_micros: 1_000_000,
  credits_per_1k_out_micros: 1_000_000,
};

executableTest("from an account to a bill, and a restart keeps all of it", async () => {
  using folder = temporaryFolder();
  const env = { PLATFORM_OPERATOR_TOKEN: operatorToken };
  const { account, tenantId, headers, charged } = await (async () => {
    await using server = await startServer(folder.path, { services, env });
    const ask = at(server);
    expect((await ask("POST", "/api/v1/admin/tariffs", { body: tariff, headers: asOperator })).status).toBe(
      201,
    );
    const made = await newTenant(ask);
    const query = { query: "Do you sell tea?" };
    const ran = await ask("POST", "/api/v1/agents/helper/run", { body: query, headers: made.headers });
    expect(ran).toMatchObject({ status: 200, body: { status: "ok", pricing_status: "priced" } });
    const { tokens_in, tokens_out } = ran.body.usage;
    expect(ran.body.credits_charged_micros).toBe((tokens_in + tokens_out) * 1000);
    const streamed = await ask("POST", "/api/v1/agents/helper/run", {
      body: query,
      headers: { ...made.headers, accept: "text/event-stream" },
    });
    const done = JSON.parse(streamed.text.trim().split("\n\n").at(-1)?.replace("data: ", "") ?? "");
    expect(done).toMatchObject({ type: "done", status: "ok" });
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    return { ...made, charged: ran.body.credits_charged_micros + done.credits_charged_micros };
  })();

  await using server = await startServer(folder.path, { services, env });
  const ask = at(server);
  const { email, password } = account;
  expect((await ask("POST", "/auth/login", { body: { email, password } })).status).toBe(200);
  expect((await ask("GET", "/api/v1/agents/helper", { headers })).body.current_version).toBe(1);
  const usage = (await ask("GET", "/api/v1/usage", { headers })).body;
  expect(usage.credits).toMatchObject({ charged_micros: charged, held_micros: 0 });
  const path = `/api/v1/admin/tenants/${tenantId}/statement`;
  const statement = (await ask("GET", path, { headers: asOperator })).body;
  expect(statement).toMatchObject({ provisional: true, credits: { used_micros: charged } });
  expect((await ask("GET", path, { headers: { ...asOperator, accept: "text/html" } })).text).toContain(
    "<html",
  );
});

executableTest("the command line works on the platform with a server and without", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, { "helper.json": manifest });
  const platform = (args: string[], stdin = "") => argosy(folder.path, ["platform", ...args], { stdin });
  expect((await platform(["register", "ada@example.com"], "correct horse\n")).code).toBe(0);
  expect((await platform(["operator", "grant", "ada@example.com"])).code).toBe(0);
  {
    await using _server = await startServer(folder.path, { services });
    expect((await platform(["tenants", "create", "Ada Ltd"])).code).toBe(0);
    expect((await platform(["agents", "apply", join(folder.path, "helper.json")])).code).toBe(0);
    expect((await platform(["run", "helper", "Tea?"])).stdout).toContain("Tea?");
    const { operators } = JSON.parse((await platform(["operator", "list", "--json"])).stdout);
    expect(operators).toMatchObject([{ email: "ada@example.com" }]);
  }
  expect((await platform(["run", "helper", "And coffee?"])).stdout).toContain("And coffee?");
  const { invocations } = JSON.parse((await platform(["runs", "helper", "--json"])).stdout);
  expect(invocations).toHaveLength(2);
  const key = await platform(["keys", "create", "shop"]);
  expect(key.stdout).toMatch(/^apk_[\w-]{43}\n$/);
});

executableTest(
  "two processes on one PostgreSQL are one platform",
  async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;
    const env = {
      DATABASE_URL: await (await postgresServer()).createDatabase(),
      ARGOSY_SEALING_KEYS: ring(1),
      ARGOSY_JWT_KEYS: ring(2),
      PLATFORM_OPERATOR_TOKEN: operatorToken,
    };
    await using one = await startServer(first.path, { services, env });
    await using two = await startServer(second.path, { services, env });
    const asks = [at(one), at(two)];
    await at(one)("POST", "/api/v1/admin/tariffs", { body: tariff, headers: asOperator });
    const { headers, account } = await newTenant(at(one));
    const { email, password } = account;
    expect((await at(two)("POST", "/auth/login", { body: { email, password } })).status).toBe(200);

    // The first hold takes the whole month's credits; the two processes decide together how many others fit.
    const runs = Array.from({ length: 20 }, (_, index) => ({
      ask: asks[index % 2] as Ask,
      query: `n ${index}`,
    }));
    const answers = await Promise.all(
      runs.map(({ ask, query }) => ask("POST", "/api/v1/agents/helper/run", { body: { query }, headers })),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([200, 402, 429]).toEqual(expect.arrayContaining([...statuses]));
    expect(statuses).toContain(200);
    const sum = answers.reduce((total, { body }) => total + (body.credits_charged_micros ?? 0), 0);
    for (const ask of asks) {
      const { credits } = (await ask("GET", "/api/v1/usage", { headers })).body;
      expect(credits).toMatchObject({ charged_micros: sum, held_micros: 0 });
    }

    const once = await Promise.all(
      [...asks, ...asks].map((ask) =>
        ask("POST", "/api/v1/agents/helper/run", {
          body: { query: "Once" },
          headers: { ...headers, "idempotency-key": "k" },
        }),
      ),
    );
    expect(once.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(once.map(({ body }) => body.invocation_id)).size).toBe(1);
    one.kill("SIGTERM");
    expect(await one.exited).toBe(0);
    expect((await at(two)("GET", "/readyz")).status).toBe(200);
  },
  postgresMissing,
);
