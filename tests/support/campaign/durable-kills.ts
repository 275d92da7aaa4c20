import { basePlanBody } from "../billing.ts";
import { agentFile, answerOf } from "../daemon.ts";
import { startMeshNodes } from "../mesh-nodes.ts";
import { postgresServer } from "../postgres.ts";

const operatorToken = "operator-token-of-at-least-32-bytes";
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;
const nodeNames = ["a", "b", "c"] as const;
const stepMs = 250;
const callers = 8;
/** Time within which each run has ended after the last kill: leases, the patience of a process that starts, and the run. */
const endedWithinMs = 90_000;

export interface DurableKills {
  kills: number;
  /** Time from one kill to the next. */
  everyMs: number;
  /** Whose runs they are. */
  through: "platform" | "daemon";
}

/** What became of the runs. Broken promises are in `faults`. */
export interface DurableLosses {
  faults: string[];
  /** Number of runs by how they ended. */
  outcomes: Map<string, number>;
  /** Runs that continued in another process. */
  continued: number;
}

interface Order {
  key: string;
  /** HTTP status and code or answer of its end. */
  end?: string;
  charged: number;
}

/**
 * Kills three nodes on one PostgreSQL in turn, while callers run an agent that looks something up, pays and answers, each under a key of its
 * own. A caller without an answer asks the next node. Afterwards compares answers, payments and charges.
 */
export async function killDurable({ kills, everyMs, through }: DurableKills): Promise<DurableLosses> {
  await using held = new AsyncDisposableStack();
  /** Payments by order. */
  const paid = new Map<string, number>();
  const shop = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      await Bun.sleep(stepMs);
      if (request.method === "GET") return Response.json({ price: 7 });
      const { order } = (await request.json()) as { order: string };
      paid.set(order, (paid.get(order) ?? 0) + 1);
      await Bun.sleep(stepMs);
      return Response.json({ paid: true });
    },
  });
  held.defer(() => shop.stop(true));
  const tool = (name: string, method: string) => ({
    name,
    type: "webhook",
    description: `${name} for an order`,
    parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    config: { url: `http://127.0.0.1:${shop.port}/${name}`, method },
  });
  const databaseUrl = await (await postgresServer()).createDatabase();
  const agent = agentFile("shop", { tools: [tool("look", "GET"), tool("pay", "POST")] });
  const agents = through === "daemon" ? { "shop.agent.yaml": agent } : {};
  const mesh = held.use(
    await startMeshNodes({
      agents: Object.fromEntries(nodeNames.map((name) => [name, agents])),
      models({ body }) {
        const order = /order-\d+/.exec(JSON.stringify(body.messages))?.[0] ?? "";
        const done = body.messages.filter(({ role }) => role === "tool").length;
        const call = (name: string) => ({ toolCalls: [{ name, arguments: { order } }] });
        const step = [call("look"), call("pay"), { text: `answer to ${order}` }][done] ?? {};
        return { ...step, usage: { input: 100, output: 100 }, after: Bun.sleep(stepMs) };
      },
      services: ["daemon", "platform"],
      spec: () => ({ network: { allow: ["127.0.0.0/8"] } }),
      env: () => ({
        DATABASE_URL: databaseUrl,
        ARGOSY_SEALING_KEYS: ring(1),
        ARGOSY_JWT_KEYS: ring(2),
        PLATFORM_OPERATOR_TOKEN: operatorToken,
      }),
    }),
  );
  const send = async (node: string, method: string, path: string, body: object, headers = {}) => {
    const service = path.startsWith("/v1/") ? "daemon" : "platform";
    const url = `${mesh.get(node).urlOf(service)}${path}`;
    const type = { "content-type": "application/json" };
    const sent = method === "GET" ? {} : { body: JSON.stringify(body) };
    return answerOf(await fetch(url, { method, headers: { ...type, ...headers }, ...sent }));
  };
  const done = async (...given: Parameters<typeof send>) => {
    const answer = await send(...given);
    if (answer.status >= 300) throw new Error(`${given[2]}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const asOperator = { "x-operator-token": operatorToken };
  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { accessToken } = await done("a", "POST", "/auth/register", account);
  const asPerson = { authorization: `Bearer ${accessToken}` };
  const { id } = await done("a", "POST", "/api/v1/tenants", { displayName: "Ada Ltd" }, asPerson);
  const rate = { credits_per_1k_in_micros: 1_000_000, credits_per_1k_out_micros: 1_000_000 };
  const tariff = { provider: "lab", model: "test-model", ...rate };
  await done("a", "POST", "/api/v1/admin/tariffs", tariff, asOperator);
  const plan = basePlanBody({
    id: "free",
    credit_cap_period_micros: null,
    max_rpm: null,
    max_concurrency: null,
  });
  await done("a", "POST", "/api/v1/admin/plans", plan, asOperator);
  await done("a", "PUT", `/api/v1/admin/tenants/${id}/plan`, { plan_id: "free" }, asOperator);
  const { rawKey } = await done("a", "POST", `/api/v1/tenants/${id}/keys`, { label: "shop" }, asPerson);
  const headers = { "x-api-key": rawKey };
  if (through === "platform") await done("a", "POST", "/api/v1/agents", JSON.parse(agent), headers);

  let continued = 0;
  const count = (name: string) => {
    continued += mesh.get(name).stderr().split("run.continued").length - 1;
  };
  const orders: Order[] = [];
  let isOver = false;
  let endBy = Number.POSITIVE_INFINITY;
  let turn = 0;
  async function order(): Promise<void> {
    const one: Order = { key: `order-${orders.length}`, charged: 0 };
    orders.push(one);
    while (performance.now() < endBy) {
      const node = nodeNames[turn++ % nodeNames.length] ?? "a";
      const given = { ...headers, "idempotency-key": one.key };
      const path = through === "daemon" ? "/v1/agents/shop/run" : "/api/v1/agents/shop/run";
      const got = await send(node, "POST", path, { query: one.key }, given).catch(() => undefined);
      const isFinal =
        got !== undefined &&
        (got.status === 200
          ? got.body.status !== "in_progress"
          : got.headers.has("idempotency-replayed") || got.status === 409);
      if (isFinal) {
        one.end = `${got.status} ${got.body.error ?? got.body.answer ?? got.body.response}`;
        one.charged = got.body.credits_charged_micros ?? 0;
        return;
      }
      await Bun.sleep(100);
    }
  }
  const clients = Array.from({ length: callers }, async () => {
    while (!isOver) await order();
  });
  for (let killed = 0; killed < kills; killed++) {
    await Bun.sleep(everyMs);
    const name = nodeNames[killed % nodeNames.length] ?? "a";
    count(name);
    mesh.get(name).kill("SIGKILL");
    await mesh.get(name).exited;
    await mesh.restart(name);
  }
  isOver = true;
  endBy = performance.now() + endedWithinMs;
  await Promise.all(clients);

  const faults: string[] = [];
  const outcomes = new Map<string, number>();
  for (const { key, end = "no end" } of orders) {
    const payments = paid.get(key) ?? 0;
    const isAnswered = end === `200 answer to ${key}`;
    const outcome = isAnswered ? "answered" : end;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (isAnswered ? payments !== 1 : payments > 1) faults.push(`${key}: ${end}, paid ${payments} times`);
    if (!isAnswered && end !== "409 tool_outcome_unknown") faults.push(`${key}: ${end}`);
  }
  const { credits } = await done("a", "GET", "/api/v1/usage", {}, headers);
  const sum = orders.reduce((total, { charged }) => total + charged, 0);
  if (credits.charged_micros !== sum || credits.held_micros !== 0)
    faults.push(`charged ${credits.charged_micros}, held ${credits.held_micros}, sum of the answers ${sum}`);
  for (const name of nodeNames) count(name);
  return { faults, outcomes, continued };
}
