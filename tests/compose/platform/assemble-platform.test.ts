import { expect, test } from "bun:test";
import { reachPlatform } from "../../../src/command/reach-platform.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import type { Config } from "../../../src/compose/settings/config.ts";
import { startArgosy } from "../../../src/compose/start.ts";
import { platformClient } from "../../../src/contracts/platform/clients/client.ts";
import { readTrustedProxies } from "../../../src/http/front-door/trusted-proxies.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { controlSocketPath } from "../../../src/storage/files/data-folder.ts";
import { startModelServer } from "../../support/model-server.ts";
import { refusal } from "../../support/refusal.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const agent = (provider = "rehearsal") => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "helper" },
  spec: {
    model: { primary: { provider, model: "test-model" } },
    prompts: { system: "You help." },
  },
});

/** Starts services of a workspace in this process, without this machine's environment. */
async function serve(
  workspace: string,
  services: string,
  change: (config: Config) => Config = (same) => same,
) {
  const loaded = loadConfig({ workspace, port: "0", services });
  const config = change({
    ...loaded,
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    variable: () => undefined,
  });
  const running = await startArgosy(config, { log: silentLogger });
  const url = (name: string) => running.services.find((service) => service.name === name)?.url ?? "";
  return { config, url, [Symbol.asyncDispose]: () => running.stop() };
}

const clientAt = (baseUrl: string, credential: { accessToken?: string; apiKey?: string } = {}) =>
  platformClient({ fetch: (request) => fetch(request), baseUrl, ...credential });

/** Creates a tenant for a new person, and a client with its key. */
async function newTenant(url: string, email: string) {
  const account = { email, password: "correct horse", displayName: "Ada" };
  const { accessToken } = await clientAt(url).register(account);
  const person = clientAt(url, { accessToken });
  const tenant = await person.createTenant("Ada Ltd");
  const { rawKey } = await person.createKey(tenant.id, "test");
  return { tenant, account, key: rawKey, program: clientAt(url, { apiKey: rawKey }) };
}

test("a tenant's agent is stored, run and streamed by the daemon beside the platform, and a restart keeps it all", async () => {
  using folder = temporaryFolder();
  const kept = await (async () => {
    await using argosy = await serve(folder.path, "daemon,platform");
    const found = await newTenant(argosy.url("platform"), "ada@example.com");
    expect(await found.program.createAgent(agent())).toMatchObject({ name: "helper", current_version: 1 });
    const { body } = await found.program.run("helper", { query: "Hello?" });
    expect(body).toMatchObject({ status: "ok", answer: expect.stringContaining("Hello?") });
    const frames = await Array.fromAsync(found.program.streamRun("helper", { query: "Again?" }));
    expect(frames.at(-1)).toMatchObject({ type: "done", status: "ok" });
    // The daemon's own port does not list the platform's agent.
    const own = await fetch(`${argosy.url("daemon")}/v1/agents`);
    expect(await own.json()).toMatchObject({ agents: [] });
    return found;
  })();

  await using again = await serve(folder.path, "daemon,platform");
  const program = clientAt(again.url("platform"), { apiKey: kept.key });
  const { invocations } = await program.agentStatus("helper");
  expect(invocations.map(({ status }) => status)).toEqual(["ok", "ok"]);
  // The runtime lost the agent with its process, and gets it again.
  expect((await program.run("helper", { query: "Still there?" })).body.status).toBe("ok");
  const { email, password } = kept.account;
  expect((await clientAt(again.url("platform")).login({ email, password })).user.email).toBe(email);
});

test("failed sign-ins are counted by the address that a trusted proxy names, and are 429 beyond the limit", async () => {
  using folder = temporaryFolder();
  const trusting = (trusted: string[]) => (config: Config) => ({
    ...config,
    access: { ...config.access, trustedProxies: readTrustedProxies(trusted).proxies },
  });
  const login = async (url: string, forwarded: string, password: string) => {
    const answer = await fetch(`${url}/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": forwarded },
      body: JSON.stringify({ email: "ada@example.com", password }),
    });
    return answer.status;
  };
  /** Returns the first answer to more attempts than fit in one queue: the rejected ones answer at once. */
  const crowded = (url: string, forwarded: (at: number) => string) =>
    Promise.race(
      Array.from({ length: 6 }, (_, at) => login(url, forwarded(at), "correct horse").catch(() => 0)),
    );
  await (async () => {
    await using argosy = await serve(folder.path, "daemon,platform", trusting(["127.0.0.1"]));
    const url = argosy.url("platform");
    await newTenant(url, "ada@example.com");
    // The caller's made-up address comes before the one that the proxy has seen.
    for (let time = 0; time < 10; time++)
      expect(await login(url, `198.51.100.${time}, 192.0.2.1`, "wrong")).toBe(401);
    expect(await crowded(url, (at) => `198.51.100.${at}, 192.0.2.1`)).toBe(429);
    expect(await login(url, "192.0.2.2", "correct horse")).toBe(200);
    // A request that a proxy forwarded is never local, even if the proxy is trusted.
    const daemon = await fetch(`${argosy.url("daemon")}/v1/agents`, {
      headers: { "x-forwarded-for": "127.0.0.1" },
    });
    expect(daemon.status).toBe(401);
  })();
  await using argosy = await serve(folder.path, "daemon,platform", trusting(["10.0.0.0/8"]));
  const url = argosy.url("platform");
  for (let time = 0; time < 10; time++) expect(await login(url, `192.0.2.${time}`, "wrong")).toBe(401);
  // All of them count for the proxy's address, because the proxy is not trusted.
  expect(await crowded(url, (at) => `192.0.2.${at}`)).toBe(429);
});

test("a run whose caller has left is written to its end before the stop", async () => {
  using folder = temporaryFolder();
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const model = await startModelServer(() => {
    asked.resolve();
    return { text: "Late, but there.", after: answered.promise };
  });
  const providers = { lab: { type: "vllm", endpoint: model.url, prices: {} } };
  const withLab = (config: Config) =>
    ({ ...config, providers: { ...config.providers, providers } }) as Config;
  const { key } = await (async () => {
    await using argosy = await serve(folder.path, "daemon,platform", withLab);
    const made = await newTenant(argosy.url("platform"), "ada@example.com");
    await made.program.createAgent(agent("lab"));
    const leaving = new AbortController();
    const sending = { idempotencyKey: "k", signal: leaving.signal };
    const run = refusal(
      made.program.run("helper", { query: "Hello?" }, sending).catch(() => Promise.reject(gone)),
    );
    await asked.promise;
    leaving.abort();
    await run;
    queueMicrotask(answered.resolve);
    return made;
  })();
  await model.stop();
  await using again = await serve(folder.path, "daemon,platform", withLab);
  const program = clientAt(again.url("platform"), { apiKey: key });
  expect((await program.agentStatus("helper")).invocations).toMatchObject([{ status: "ok" }]);
});

const gone = new AppError("unavailable", "gone", "The caller has left.");

test("the runtime may be a daemon elsewhere", async () => {
  using far = temporaryFolder();
  using near = temporaryFolder();
  const runtimeToken = "a-runtime-token-of-thirty-two-bytes";
  await using daemon = await serve(far.path, "daemon", (config) => ({ ...config, runtimeToken }));
  await using argosy = await serve(near.path, "platform", (config) => ({
    ...config,
    runtimeToken,
    platform: { ...config.platform, runtimeUrl: daemon.url("daemon") },
  }));
  const { program } = await newTenant(argosy.url("platform"), "ada@example.com");
  await program.createAgent(agent());
  expect((await program.run("helper", { query: "Hello?" })).body).toMatchObject({ status: "ok" });
});

test("a runtime that wants another token, or isn't there, is not the caller's fault", async () => {
  using far = temporaryFolder();
  using near = temporaryFolder();
  const runtimeToken = "a-runtime-token-of-thirty-two-bytes";
  await using daemon = await serve(far.path, "daemon", (config) => ({ ...config, runtimeToken }));
  for (const runtimeUrl of [daemon.url("daemon"), "http://127.0.0.1:9"]) {
    await using argosy = await serve(near.path, "platform", (config) => ({
      ...config,
      runtimeToken: `another-${runtimeToken}`,
      platform: { ...config.platform, runtimeUrl },
    }));
    const { program } = await newTenant(argosy.url("platform"), `a${argosy.url("platform").slice(-5)}@b.co`);
    const refused = await refusal(program.createAgent(agent()));
    expect(refused).toMatchObject({ kind: "upstream_failed", code: "runtime_unreachable" });
    expect((await program.listAgents()).agents).toEqual([]);
  }
});

test("without a runtime the platform refuses to start, and says which two there can be", async () => {
  using folder = temporaryFolder();
  const refused = await refusal(serve(folder.path, "platform"));
  expect(refused).toMatchObject({
    code: "runtime_needed",
    details: { hint: expect.stringContaining("runtime_url") },
  });
});

test("without keys signing in is refused, and everything else is served", async () => {
  using folder = temporaryFolder();
  await using argosy = await serve(folder.path, "daemon,platform", (config) => ({
    ...config,
    secrets: { generate: false },
  }));
  const url = argosy.url("platform");
  const refused = await refusal(clientAt(url).login({ email: "a@b.co", password: "correct horse" }));
  expect(refused.kind).toBe("not_found");
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test("who may register is decided by whether the platform is exposed, unless the file says so", async () => {
  using folder = temporaryFolder();
  await using argosy = await serve(folder.path, "daemon,platform", (config) => ({
    ...config,
    access: { ...config.access, allowedHosts: ["platform.example.com"], apiToken: "t".repeat(32) },
  }));
  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const client = clientAt(argosy.url("platform"));
  expect((await refusal(client.register(account))).code).toBe("not_invited");
  const local = await reachPlatform(argosy.config, { log: silentLogger });
  expect(local.via).toBe("server");
  await local.control?.invite("ada@example.com");
  expect((await client.register(account)).user.email).toBe("ada@example.com");
});

test("the control socket is the operator's: no account, no token, and no way there from the network", async () => {
  using folder = temporaryFolder();
  await using argosy = await serve(folder.path, "daemon,platform");
  const url = argosy.url("platform");
  const { tenant } = await newTenant(url, "ada%41@example.com");
  const local = await reachPlatform(argosy.config, { log: silentLogger });
  expect(await local.control?.listLocalTenants()).toEqual({
    tenants: [{ ...tenant, owner: "ada%41@example.com" }],
  });
  expect(await local.control?.grantOperator("ada%41@example.com")).toMatchObject({ displayName: "Ada" });
  const asOwner = local.as({ tenantId: tenant.id });
  await asOwner.createAgent(agent());
  expect((await asOwner.listVersions("helper")).versions).toMatchObject([{ number: 1, author: "cli" }]);
  const { entries } = await asOwner.listAudit();
  expect(entries).toContainEqual(expect.objectContaining({ actor: "cli", action: "operator.grant" }));
  // A credential that is sent is always checked.
  expect((await refusal(local.as({ apiKey: "apk_none" }).listAgents())).kind).toBe("unauthorized");
  expect((await refusal(local.as({ tenantId: crypto.randomUUID() }).listAgents())).kind).toBe("not_found");
  for (const path of ["/control/operators", "/control/tenants", "/control/../control/tenants"])
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  expect((await refusal(clientAt(url).listPlans())).kind).toBe("unauthorized");
  const daemonSocket = controlSocketPath(argosy.config.dataFolder);
  const crossed = await fetch("http://localhost/control/tenants", { unix: daemonSocket });
  expect(crossed.status).toBe(404);
});

test("where no server runs, the platform is put together in this process", async () => {
  using folder = temporaryFolder();
  const { config, tenant } = await (async () => {
    await using argosy = await serve(folder.path, "daemon,platform");
    return { ...(await newTenant(argosy.url("platform"), "ada@example.com")), config: argosy.config };
  })();
  const local = await reachPlatform(config, { log: silentLogger });
  try {
    expect(local.via).toBe("store");
    const client = local.as({ tenantId: tenant.id });
    await client.createAgent(agent());
    const frames = await Array.fromAsync(client.streamRun("helper", { query: "Hello?" }));
    expect(frames.at(-1)).toMatchObject({ type: "done", status: "ok" });
    expect(await client.statement(tenant.id)).toMatchObject({ tenant_id: tenant.id, provisional: true });
  } finally {
    await local.close();
  }
});
