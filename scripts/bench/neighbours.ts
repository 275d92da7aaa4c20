/**
 * Measures how long a modest customer waits while one person with three tenants, each with what the free plan allows, asks for all that it can:
 * in the runtime, at a provider that both use, in the process that renders templates, and by the gateway with nine accounts. Prints the 95th
 * percentile of the modest customer's waits, alone and beside the greedy one; the second may be at most twice the first.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/neighbours.ts [--asks 20]
 */
import { quantiles } from "./figures.ts";
import { agentOf } from "./hostile.ts";
import { readOptions } from "./options.ts";
import { startArgosy, startBeside, temporaryWorkspace } from "./servers.ts";

const { asks } = readOptions({ asks: 20 });
const adminToken = "admin-token-of-the-gateway-with-32-bytes";
const tenantsOfGreedy = 3;
/** Concurrent runs that the free plan allows. */
const runsAtOnce = 10;

await using hostile = await startBeside("routes/hostile-server.ts");
using workspace = temporaryWorkspace({
  "runtime.yaml": { spec: { network: { allow: ["127.0.0.1/32"] } } },
  "providers.yaml": { providers: { house: { type: "vllm", endpoint: `${hostile.line}/house/v1` } } },
});
await using server = await startArgosy(workspace.path, "daemon,platform,gateway", {
  GATEWAY_ADMIN_TOKEN: adminToken,
  GATEWAY_EMULATOR: "true",
});

async function ask(
  service: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
) {
  const response = await fetch(`${server.urlOf(service)}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** The value of a successful answer; throws otherwise. */
async function made<T = Record<string, string>>(...request: Parameters<typeof ask>): Promise<T> {
  const { status, text } = await ask(...request);
  if (status >= 300) throw new Error(`${request[2]} answered ${status}: ${text}`);
  return JSON.parse(text);
}

interface Tenant {
  id: string;
  key: string;
}

async function personWith(name: string, count: number): Promise<[Tenant, ...Tenant[]]> {
  const account = { email: `${name}@example.com`, password: "correct horse", displayName: name };
  const { accessToken } = await made("platform", "POST", "/auth/register", {}, account);
  const bearer = { authorization: `Bearer ${accessToken}` };
  const tenants: Tenant[] = [];
  for (let one = 0; one < count; one++) {
    const tenant = { displayName: `${name} ${one}` };
    const { id = "" } = await made("platform", "POST", "/api/v1/tenants", bearer, tenant);
    const { rawKey: key = "" } = await made("platform", "POST", `/api/v1/tenants/${id}/keys`, bearer, {
      label: "k",
    });
    tenants.push({ id, key });
  }
  return tenants as [Tenant, ...Tenant[]];
}

const addAgent = ({ key }: Tenant, spec: object, model: string) =>
  made(
    "platform",
    "POST",
    "/api/v1/agents",
    { "x-api-key": key },
    agentOf("a", { ...spec, model: { primary: { provider: "house", model } } }),
  );

const run = async ({ key }: Tenant): Promise<number> =>
  (await ask("platform", "POST", "/api/v1/agents/a/run", { "x-api-key": key }, { query: "hi" })).status;

/** Asks one after the other. Returns the 95th percentile of the waits, and how often the status was not 200. */
async function waitsOf(answered: () => Promise<number>) {
  const waits: number[] = [];
  let refused = 0;
  for (let one = 0; one < asks; one++) {
    const begunMs = performance.now();
    if ((await answered()) !== 200) refused++;
    waits.push(performance.now() - begunMs);
    await Bun.sleep(20);
  }
  return { p95: Number(quantiles(waits, [0.95])[0]), refused };
}

/** Keeps as many runs of each tenant going as its plan allows. The returned function stops. */
function keepBusy(tenants: readonly Tenant[]): () => Promise<void> {
  let isOver = false;
  const loops = tenants.flatMap((tenant) =>
    Array.from({ length: runsAtOnce }, async () => {
      while (!isOver) if ((await run(tenant)) === 429) await Bun.sleep(50);
    }),
  );
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

let missed = 0;
async function compare(
  name: string,
  answered: () => Promise<number>,
  begin: () => Promise<() => Promise<unknown>>,
) {
  await answered(); // loads what all need
  const quiet = await waitsOf(answered);
  const end = await begin();
  const beside = await waitsOf(answered);
  await end();
  const isMissed = beside.p95 > 2 * quiet.p95 || beside.refused > 0;
  if (isMissed) missed++;
  const cells = [quiet.p95.toFixed(0), beside.p95.toFixed(0), `${beside.refused}`];
  console.log(
    `${name.padEnd(40)}${cells.map((cell) => cell.padStart(9)).join("")}${isMissed ? "  MISSED" : ""}`,
  );
}

/** Work for the template process: a loop is not rendered in the daemon. */
const looping = (times: number) => ({
  prompts: { system: `{% for a in range(${times}) %}{{ a }}{% endfor %} {{ query }}` },
});
const rows: [name: string, model: string, greedy: object, modest: object][] = [
  ["runs of a model that takes a second", "slow", {}, {}],
  ["500s of a provider that both use", "broken", {}, {}],
  ["templates of much work", "ok", looping(9_000), looping(3)],
];

console.log(`${"ms".padEnd(40)}${["alone", "beside", "refused"].map((name) => name.padStart(9)).join("")}`);
for (const [number, [name, model, greedySpec, modestSpec]] of rows.entries()) {
  const greedy = await personWith(`greedy${number}`, tenantsOfGreedy);
  const [modest] = await personWith(`modest${number}`, 1);
  for (const tenant of greedy) await addAgent(tenant, greedySpec, model);
  await addAgent(modest, modestSpec, "ok");
  await compare(
    name,
    () => run(modest),
    async () => {
      const stop = keepBusy(greedy);
      await Bun.sleep(500);
      return stop;
    },
  );
}
await throughGateway();
process.exitCode = missed === 0 ? 0 : 1;

/** Messages to nine accounts of the greedy person's three tenants, and to the one of the modest. */
async function throughGateway(): Promise<void> {
  const admin = { "x-admin-token": adminToken };
  const channel = "phone_messenger";
  let accountsMade = 0;
  /** Adds an emulated account for which the tenant's agent answers. Returns its external id. */
  const addAccount = async ({ id: tenant_id, key }: Tenant): Promise<string> => {
    const external_id = `shop${accountsMade++}`;
    const account = {
      tenant_id,
      channel,
      external_id,
      emulated: true,
      credentials: { access_token: "token-of-the-bench" },
    };
    const { id: account_id } = await made("gateway", "POST", "/admin/accounts", admin, account);
    const binding = { tenant_id, account_id, entry_agent: "a", config: { platform_api_key: key } };
    await made("gateway", "POST", "/admin/bindings", admin, binding);
    return external_id;
  };
  const greedy = await personWith("greedy-shop", tenantsOfGreedy);
  const [modest] = await personWith("modest-shop", 1);
  for (const tenant of greedy) await addAgent(tenant, {}, "slow");
  await addAgent(modest, {}, "ok");
  const accounts: string[] = [];
  for (const tenant of greedy) for (let one = 0; one < 3; one++) accounts.push(await addAccount(tenant));
  const own = await addAccount(modest);
  const write = (cuenta: string, desde: string) =>
    made("gateway", "POST", "/admin/emulator/inbound", admin, { canal: channel, cuenta, desde, texto: "hi" });
  let customers = 0;
  const answered = async () => {
    const customer = `34700${String(customers++).padStart(6, "0")}`;
    await write(own, customer);
    for (;;) {
      const path = `/admin/emulator/outbox?cuenta=${own}&ultimos=50`;
      const { mensajes } = await made<{ mensajes: { destino: string }[] }>("gateway", "GET", path, admin);
      if (mensajes.some(({ destino }) => destino === customer)) return 200;
      await Bun.sleep(5);
    }
  };
  await compare("messages to nine accounts", answered, async () => {
    const writers = Array.from({ length: 30 }, (_, one) => `34600${String(one).padStart(6, "0")}`);
    await Promise.all(accounts.flatMap((account) => writers.map((writer) => write(account, writer))));
    return async () => undefined;
  });
}
