/**
 * How long a modest customer waits while one person with three tenants, each with what the free plan allows, asks for all that it can: in the
 * runtime, at a provider that both use, in the process that renders templates, and by the gateway with nine accounts.
 */
import { agentOf } from "./agent-attacks.ts";

/** The services under attack. */
export interface Street {
  platform: string;
  gateway: string;
  gatewayAdmin: string;
}

/** 95th percentile of the modest customer's waits, alone and beside the greedy one, in ms; `refused` are its errors. */
export interface Waits {
  name: string;
  quietMs: number;
  besideMs: number;
  refused: number;
}

interface Tenant {
  id: string;
  key: string;
}

const tenantsOfGreedy = 3;
/** Concurrent runs that the free plan allows. */
const runsAtOnce = 10;
const asks = 20;

/** Work for the template process: a loop is not rendered here. */
const looping = (times: number) => `{% for a in range(${times}) %}{{ a }}{% endfor %} {{ query }}`;

interface Row {
  name: string;
  greedy: { spec?: object; model: string };
  modest?: { spec?: object; model?: string };
}

const rows: Row[] = [
  { name: "runs of a model that takes a second", greedy: { model: "slow" } },
  { name: "500s of a provider that both use", greedy: { model: "broken" } },
  {
    name: "templates of much work",
    greedy: { model: "ok", spec: { prompts: { system: looping(9_000) } } },
    modest: { spec: { prompts: { system: looping(3) } } },
  },
];

export async function* measureNeighbours(street: Street): AsyncGenerator<Waits> {
  for (const [number, row] of rows.entries()) {
    const greedy = await personWith(street, `greedy${number}`, tenantsOfGreedy);
    const [modest] = await personWith(street, `modest${number}`, 1);
    if (modest === undefined) throw new Error("There is no modest tenant.");
    const { greedy: attack, modest: own = {} } = row;
    for (const tenant of greedy) await addAgent(street, tenant, attack.spec, attack.model);
    await addAgent(street, modest, own.spec, own.model ?? "ok");
    // The first run loads what all need.
    await run(street, modest);
    const quiet = await waitsOf(() => run(street, modest), asks);
    const stop = keepBusy(street, greedy);
    await Bun.sleep(500);
    const beside = await waitsOf(() => run(street, modest), asks);
    await stop();
    yield { name: row.name, quietMs: quiet.p95, besideMs: beside.p95, refused: beside.refused };
  }
  yield await throughGateway(street);
}

/** Messages to nine accounts of the greedy person's three tenants, and to the one of the modest. */
async function throughGateway(street: Street): Promise<Waits> {
  const greedy = await personWith(street, "greedy-shop", tenantsOfGreedy);
  const [modest] = await personWith(street, "modest-shop", 1);
  if (modest === undefined) throw new Error("There is no modest tenant.");
  for (const tenant of greedy) await addAgent(street, tenant, {}, "slow");
  await addAgent(street, modest, {}, "ok");
  const accounts: string[] = [];
  for (const tenant of greedy) {
    for (let one = 0; one < 3; one++) accounts.push(await addAccount(street, tenant));
  }
  const own = await addAccount(street, modest);
  let customers = 0;
  const write = (account: string, customer: string) =>
    admin(street, "POST", "/admin/emulator/inbound", {
      canal: "phone_messenger",
      cuenta: account,
      desde: customer,
      texto: "hi",
    });
  const answered = async () => {
    const customer = `34700${String(customers++).padStart(6, "0")}`;
    const status = await write(own, customer);
    if (status.status !== 202) throw new Error(`The message is ${status.status}.`);
    for (;;) {
      const { body } = await admin(street, "GET", `/admin/emulator/outbox?cuenta=${own}&ultimos=50`);
      const sent = body as { mensajes: { destino: string }[] };
      if (sent.mensajes.some(({ destino }) => destino === customer)) return 200;
      await Bun.sleep(5);
    }
  };
  await answered();
  const quiet = await waitsOf(answered, asks);
  await Promise.all(
    accounts.flatMap((account) =>
      Array.from({ length: 30 }, (_, one) => write(account, `34600${String(one).padStart(6, "0")}`)),
    ),
  );
  const beside = await waitsOf(answered, asks);
  return {
    name: "messages to nine accounts",
    quietMs: quiet.p95,
    besideMs: beside.p95,
    refused: beside.refused,
  };
}

/** Asks one after the other. */
async function waitsOf(ask: () => Promise<number>, times: number) {
  const waits: number[] = [];
  let refused = 0;
  for (let one = 0; one < times; one++) {
    const begunMs = performance.now();
    if ((await ask()) !== 200) refused++;
    waits.push(performance.now() - begunMs);
    await Bun.sleep(20);
  }
  if (process.env.ATTACK_LOG !== undefined) console.error(waits.map(Math.round).join(" "));
  waits.sort((a, b) => a - b);
  return { p95: waits[Math.ceil(times * 0.95) - 1] ?? 0, refused };
}

/** Keeps as many runs of each tenant going as its plan allows. The returned function stops. */
function keepBusy(street: Street, tenants: readonly Tenant[]): () => Promise<void> {
  let isOver = false;
  const loops = tenants.flatMap((tenant) =>
    Array.from({ length: runsAtOnce }, async () => {
      while (!isOver) if ((await run(street, tenant)) === 429) await Bun.sleep(50);
    }),
  );
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

async function run({ platform }: Street, { key }: Tenant): Promise<number> {
  const response = await fetch(`${platform}/api/v1/agents/a/run`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ query: "hi" }),
  });
  await response.text();
  return response.status;
}

async function addAgent({ platform }: Street, { key }: Tenant, spec = {}, model = "ok"): Promise<void> {
  const response = await fetch(`${platform}/api/v1/agents`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(agentOf("a", spec, { provider: "house", model })),
  });
  if (!response.ok) throw new Error(`The agent is ${response.status}: ${await response.text()}`);
}

async function personWith({ platform }: Street, name: string, count: number): Promise<Tenant[]> {
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${platform}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const { accessToken } = await ask("/auth/register", {
    email: `${name}@example.com`,
    password: "correct horse",
    displayName: name,
  });
  const bearer = { authorization: `Bearer ${accessToken}` };
  const tenants: Tenant[] = [];
  for (let one = 0; one < count; one++) {
    const { id = "" } = await ask("/api/v1/tenants", { displayName: `${name} ${one}` }, bearer);
    const { rawKey = "" } = await ask(`/api/v1/tenants/${id}/keys`, { label: "k" }, bearer);
    tenants.push({ id, key: rawKey });
  }
  return tenants;
}

let accountsMade = 0;

/** Adds an emulated account that the tenant's agent answers for. Returns its external id. */
async function addAccount(street: Street, { id, key }: Tenant): Promise<string> {
  const externalId = `shop${accountsMade++}`;
  const account = await admin(street, "POST", "/admin/accounts", {
    tenant_id: id,
    channel: "phone_messenger",
    external_id: externalId,
    emulated: true,
    credentials: { access_token: "token-of-the-bench" },
  });
  const binding = await admin(street, "POST", "/admin/bindings", {
    tenant_id: id,
    account_id: (account.body as { id: string }).id,
    entry_agent: "a",
    config: { platform_api_key: key },
  });
  if (binding.status !== 201)
    throw new Error(`The binding is ${binding.status}: ${JSON.stringify(binding.body)}`);
  return externalId;
}

async function admin({ gateway, gatewayAdmin }: Street, method: string, path: string, body?: object) {
  const response = await fetch(`${gateway}${path}`, {
    method,
    headers: { "content-type": "application/json", "x-admin-token": gatewayAdmin },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}
