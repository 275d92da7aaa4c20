/**
 * Kills the nodes of a mesh in turn while tenants run agents on all of them, each run with an idempotency key. Afterwards, every acknowledged
 * answer must be given again by another node without a new run, and what was charged must be the sum of the runs.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/mesh-kills.ts [--kills 200]
 *
 * Needs PostgreSQL and redis-server.
 */
import { parseArgs } from "node:util";
import { agentFile, answerOf } from "../../tests/support/daemon.ts";
import type { ServerProcess } from "../../tests/support/executable.ts";
import { agentFiles, startMeshNodes } from "../../tests/support/mesh-nodes.ts";
import { ownPostgresServer } from "../../tests/support/postgres.ts";
import { redisServer } from "../../tests/support/redis.ts";

const { values } = parseArgs({ options: { kills: { type: "string", default: "200" } } });
const operatorToken = "operator-token-of-at-least-32-bytes";
const names = ["a", "b", "c"] as const;
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;

const databaseUrl = await (await ownPostgresServer()).createDatabase();
const redisUrl = (await redisServer()).createDatabase();
const mesh = await startMeshNodes({
  agents: Object.fromEntries(names.map((name) => [name, agentFiles("helper")])),
  models: [{ text: "Hello." }],
  services: ["daemon", "platform"],
  env: () => ({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ARGOSY_SEALING_KEYS: ring(1),
    ARGOSY_JWT_KEYS: ring(2),
    PLATFORM_OPERATOR_TOKEN: operatorToken,
  }),
});

async function ask(server: ServerProcess, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.urlOf("platform")}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answerOf(response);
}

const first = mesh.get("a");
const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
const { body: signedIn } = await ask(first, "/auth/register", account);
const asPerson = { authorization: `Bearer ${signedIn.accessToken}` };
const asOperator = { "x-operator-token": operatorToken };
const { body: tenant } = await ask(first, "/api/v1/tenants", { displayName: "Ada Ltd" }, asPerson);
const { body: key } = await ask(first, `/api/v1/tenants/${tenant.id}/keys`, { label: "shop" }, asPerson);
const headers = { "x-api-key": key.rawKey as string };
const rate = { credits_per_1k_in_micros: 1_000, credits_per_1k_out_micros: 1_000 };
await ask(first, "/api/v1/admin/tariffs", { provider: "lab", model: "test-model", ...rate }, asOperator);
await ask(first, "/api/v1/agents", JSON.parse(agentFile("shop")), headers);

interface Answered {
  key: string;
  text: string;
  charged: number;
}
const answered: Answered[] = [];
const outcomes = new Map<string, number>();
let number = 0;
let isOver = false;
let failoverFrom = 0;
const failovers: number[] = [];

async function client(): Promise<void> {
  while (!isOver) {
    const name = names[number % names.length] ?? "a";
    const once = `order-${number++}`;
    const outcome = await ask(
      mesh.get(name),
      "/api/v1/agents/shop/run",
      { query: "Tea?" },
      {
        ...headers,
        "idempotency-key": once,
      },
    ).catch(() => undefined);
    const shown =
      outcome === undefined ? "no answer" : `${outcome.status} ${outcome.body?.error ?? ""}`.trim();
    outcomes.set(shown, (outcomes.get(shown) ?? 0) + 1);
    if (outcome?.status === 200) {
      if (failoverFrom > 0) failovers.push(performance.now() - failoverFrom);
      failoverFrom = 0;
      answered.push({ key: once, text: outcome.text, charged: outcome.body.credits_charged_micros });
    }
    // The free plan allows 60 runs a minute: the client keeps below it.
    await Bun.sleep(shown.startsWith("429") ? 500 : 120);
  }
}

const clients = Array.from({ length: 4 }, client);
for (let kill = 0; kill < Number(values.kills); kill++) {
  const name = names[kill % names.length] ?? "a";
  mesh.get(name).kill("SIGKILL");
  failoverFrom = performance.now();
  await mesh.get(name).exited;
  await mesh.restart(name);
}
await mesh.converged(...names);
isOver = true;
await Promise.all(clients);

const callsBefore = mesh.models.requests.length;
let changed = 0;
for (const [index, { key: once, text }] of answered.entries()) {
  const node = mesh.get(names[(index + 1) % names.length] ?? "a");
  const again = await ask(
    node,
    "/api/v1/agents/shop/run",
    { query: "Tea?" },
    { ...headers, "idempotency-key": once },
  );
  if (again.status !== 200 || again.text !== text) changed++;
}
const { body: usage } = await ask(mesh.get("b"), "/api/v1/usage", undefined, headers);
const sum = answered.reduce((total, { charged }) => total + charged, 0);
failovers.sort((a, b) => a - b);
console.info(
  `${values.kills} kills, ${answered.length} acknowledged answers, ${changed} lost or changed, ${mesh.models.requests.length - callsBefore} runs repeated;`,
  `charged ${usage.credits.charged_micros}, sum of the acknowledged answers ${sum}, held ${usage.credits.held_micros};`,
  `failover p95 ${Math.round(failovers[Math.floor(failovers.length * 0.95)] ?? 0)} ms`,
);
console.info(Object.fromEntries(outcomes));
await mesh[Symbol.asyncDispose]();
process.exit(0);
