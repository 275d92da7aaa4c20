import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { type ModelServer, startModelServer } from "../../../support/model-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const key = "sk-a-key-nobody-may-see";
const path = "/v1/system/providers/acme";

let daemon: TestDaemon;
let vendor: ModelServer;

const usesAcme = agentFile("caller", { model: { primary: { provider: "acme", model: "big" } } });
const setup = (more: object = {}) => ({ type: "openai", endpoint: vendor.url, ...more });
const put = (body: object, at = path) => daemon.asOwner("PUT", at, { body });

beforeAll(async () => {
  vendor = await startModelServer(() => ({ text: "From the vendor." }));
  daemon = await startDaemon({
    agents: { "caller.agent.yaml": usesAcme, "helper.agent.yaml": agentFile("helper") },
  });
});
beforeEach(async () => {
  await daemon.asOwner("DELETE", path);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await vendor.stop();
});

test("an agent of a provider that is missing runs as soon as it is set up, with the stored key", async () => {
  expect((await daemon.run("caller", { query: "hi" })).status).not.toBe(200);
  const { status, body, text } = await put(setup({ api_key: key, prices: { big: { in: 1000, out: 2000 } } }));
  expect([status, body.has_key, body.prices]).toEqual([200, true, { big: { in: 1000, out: 2000 } }]);
  expect(text).not.toContain(key);
  const answer = await daemon.run("caller", { query: "hi" });
  expect(answer.body).toMatchObject({ response: "From the vendor." });
  expect(vendor.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${key}`);
  const { body: list } = await daemon.call("GET", "/v1/system/providers");
  const acme = list.providers.find(({ name }: { name: string }) => name === "acme");
  expect(acme).toMatchObject({
    configured: "stored",
    models: [{ model: "big", price: { input_usd: 1, output_usd: 2 } }],
  });
  expect(JSON.stringify(list)).not.toContain(key);
});

test("a changed address takes effect at once, and a deleted provider is gone", async () => {
  await put(setup({ api_key: key }));
  await using other = await startModelServer(() => ({ text: "From another." })).then((server) =>
    Object.assign(server, { [Symbol.asyncDispose]: () => server.stop() }),
  );
  await put({ type: "openai", endpoint: other.url, api_key: key });
  expect((await daemon.run("caller", { query: "hi" })).body.response).toBe("From another.");
  expect((await daemon.asOwner("DELETE", path)).status).toBe(204);
  const gone = (await daemon.call("GET", "/v1/system/providers/stored")).body.providers;
  expect(gone).toEqual([]);
});

test("an agent that lives in memory follows as well", async () => {
  await put(setup({ api_key: key }));
  const manifest = agentFile("sent", { model: { primary: { provider: "acme", model: "big" } } });
  const headers = { "content-type": "application/yaml" };
  expect((await daemon.asOwner("POST", "/v1/agents", { body: manifest, headers })).status).toBe(201);
  await put(setup({ api_key: "sk-another-key" }));
  expect((await daemon.run("sent", { query: "hi" })).status).toBe(200);
  expect(vendor.requests.at(-1)?.headers.get("authorization")).toBe("Bearer sk-another-key");
  await daemon.asOwner("DELETE", "/v1/agents/sent");
});

test("a provider takes the place of the file's entry until it is deleted", async () => {
  await put(setup({ api_key: key }), "/v1/system/providers/lab");
  expect((await daemon.run("helper", { query: "hi" })).body.response).toBe("From the vendor.");
  await daemon.asOwner("DELETE", "/v1/system/providers/lab");
  expect((await daemon.run("helper", { query: "hi" })).body.response).toBe("Hello there.");
});

test("a key stays while only prices change; a new address without a key is 400", async () => {
  await put(setup({ api_key: key }));
  expect((await put(setup({ prices: { big: { in: 5, out: 5 } } }))).body).toMatchObject({ has_key: true });
  const moved = await put({ type: "openai", endpoint: "http://127.0.0.1:9/v1" });
  expect([moved.status, moved.body.problems]).toMatchObject([400, [{ path: "api_key" }]]);
  const seen: string[] = [];
  const thief = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ headers }) {
      seen.push(headers.get("authorization") ?? "");
      return Response.json({ data: [] });
    },
  });
  const body = { type: "openai", endpoint: `http://127.0.0.1:${thief.port}/v1` };
  const tried = await daemon.asOwner("POST", `${path}/test`, { body });
  await thief.stop(true);
  expect(tried.status).toBe(200);
  expect(seen).toEqual([""]);
  expect((await put(setup({ api_key: null }))).body).toMatchObject({ has_key: false });
});

test("a key survives a restart, and is only in the database, encrypted", async () => {
  await using folder = Object.assign(temporaryFolder(), {});
  const workspace = folder.path;
  {
    await using first = await startDaemon({ workspace, agents: { "caller.agent.yaml": usesAcme } });
    await first.asOwner("PUT", path, { body: setup({ api_key: key }) });
    const database = new Database(join(first.config.dataFolder, "daemon.db"), { readonly: true });
    const rows = JSON.stringify(database.query("select * from stored_providers").all());
    database.close();
    expect(rows).toContain("acme");
    expect(rows).not.toContain(key);
  }
  await using second = await startDaemon({ workspace, agents: { "caller.agent.yaml": usesAcme } });
  expect((await second.run("caller", { query: "hi" })).status).toBe(200);
  expect(vendor.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${key}`);
});

describe("a test of the connection", () => {
  test("says how long a working provider took and what it lists", async () => {
    const { status, body } = await daemon.asOwner("POST", `${path}/test`, { body: setup({ api_key: key }) });
    expect([status, body.ok]).toEqual([200, true]);
    expect(body.latency_ms).toBeNumber();
  });

  test("says why a provider that is not there fails", async () => {
    const body = { type: "openai", endpoint: "http://127.0.0.1:9/v1", api_key: key };
    const answer = await daemon.asOwner("POST", `${path}/test`, { body });
    expect(answer.body).toMatchObject({ ok: false, error: "provider_failed" });
    expect(answer.text).not.toContain(key);
  });

  test("of a provider that is not configured is 404", async () => {
    const { status, body } = await daemon.asOwner("POST", `${path}/test`, { body: {} });
    expect([status, body.error]).toEqual([404, "provider_not_found"]);
  });
});

test("without sealing keys no key is stored, and a provider without a key is", async () => {
  await using bare = await startDaemon({
    configure: (config) => ({ ...config, secrets: { generate: false } }),
  });
  const keyed = await bare.asOwner("PUT", path, { body: setup({ api_key: key }) });
  expect([keyed.status, keyed.body.error, keyed.body.hint]).toEqual([
    503,
    "sealing_keys_missing",
    expect.stringContaining("argosy secrets init"),
  ]);
  expect(keyed.text).not.toContain(key);
  expect((await bare.call("GET", "/v1/system/providers/stored")).body.providers).toEqual([]);
  expect((await bare.asOwner("PUT", path, { body: setup() })).body).toMatchObject({ has_key: false });
});

test("64 providers are stored at most; a stored one can still be changed", async () => {
  await using full = await startDaemon();
  const at = (number: number) => `/v1/system/providers/p${number}`;
  for (let number = 1; number <= 64; number++) {
    expect((await full.asOwner("PUT", at(number), { body: setup() })).status).toBe(200);
  }
  const more = await full.asOwner("PUT", at(65), { body: setup() });
  expect([more.status, more.body.error]).toEqual([409, "too_many_providers"]);
  expect((await full.asOwner("PUT", at(64), { body: setup({ context_window: 4096 }) })).status).toBe(200);
  expect((await full.asOwner("DELETE", at(1))).status).toBe(204);
  expect((await full.asOwner("PUT", at(65), { body: setup() })).status).toBe(200);
});

describe("refused", () => {
  test.each([
    ["PUT", path],
    ["DELETE", path],
    ["POST", `${path}/test`],
  ])("%s %s is 403 for everyone but the owner", async (method, at) => {
    const body = method === "DELETE" ? {} : { body: method === "PUT" ? setup() : {} };
    const answer = await daemon.call(method, at, body);
    expect([answer.status, answer.body.error]).toEqual([403, "owner_only"]);
  });

  test.each([
    ["a kind that there is not", "acme", { type: "nokia" }, "type"],
    ["a kind without a server", "acme", { type: "rehearsal" }, "type"],
    ["no address where one is needed", "acme", { type: "vllm" }, "endpoint"],
    ["an address that is none", "acme", { type: "openai", endpoint: "acme" }, "endpoint"],
    ["a file as the address", "acme", { type: "openai", endpoint: "file:///etc/passwd" }, "endpoint"],
    [
      "a password in the address",
      "acme",
      { type: "openai", endpoint: "https://a:b@acme.example" },
      "endpoint",
    ],
    ["a name with capitals", "Acme", { type: "openai" }, "name"],
    ["an alias as the name", "openai_compat", { type: "openai" }, "name"],
    ["the name of the stand-in", "rehearsal", { type: "openai" }, "name"],
    ["a key that no header can carry", "acme", { type: "openai", api_key: "a b" }, "api_key"],
    ["a price below zero", "acme", { type: "openai", prices: { big: { in: -1, out: 0 } } }, "prices.big.in"],
    ["an unknown key", "acme", { type: "openai", keys: "x" }, "keys"],
  ])("%s", async (_what, name, body, at) => {
    const answer = await put(body, `/v1/system/providers/${name}`);
    expect([answer.status, answer.body.error, answer.body.problems?.[0]?.path]).toEqual([
      400,
      "invalid_request",
      at,
    ]);
    expect((await daemon.call("GET", "/v1/system/providers/stored")).body.providers).toEqual([]);
  });

  test("the models of an unknown provider are 404", async () => {
    const { status, body } = await daemon.call("GET", `${path}/models`);
    expect([status, body.error]).toEqual([404, "provider_not_found"]);
  });
});
