import { expect, test } from "bun:test";
import { agentFile, answerOf } from "../support/daemon.ts";
import { argosy, executableTest } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { type Balancer, haproxyComplaints, haproxyMissing, startBalancer } from "../support/haproxy.ts";
import { agentFiles, type MeshNodes, startMeshNodes } from "../support/mesh-nodes.ts";
import { ownPostgresServer, postgresMissing } from "../support/postgres.ts";
import { redisMissing, redisServer } from "../support/redis.ts";
import { untilTrue } from "../support/until-true.ts";

const operatorToken = "operator-token-of-at-least-32-bytes";
const apiToken = "api-token-of-the-daemon-with-32-bytes";
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;
const names = ["node-1", "node-2", "node-3"] as const;
const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
const hello = { text: ["Hello ", "from ", "afar."] };

interface Cluster extends AsyncDisposable {
  mesh: MeshNodes;
  balancer: Balancer;
  /** Credentials of a tenant with the agent `shop`. */
  headers: Record<string, string>;
}

/** Three executables on one PostgreSQL and one Redis, behind haproxy with the shipped configuration. */
async function startCluster(): Promise<Cluster> {
  await using held = new AsyncDisposableStack();
  const databaseUrl = await (await ownPostgresServer()).createDatabase();
  const redisUrl = (await redisServer()).createDatabase();
  const platformPorts = new Map(names.map((name) => [name as string, freePort()]));
  const mesh = held.use(
    await startMeshNodes({
      agents: Object.fromEntries(names.map((name) => [name, agentFiles("helper")])),
      models: [hello],
      services: ["daemon", "platform"],
      env: (name) => ({
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        ARGOSY_SEALING_KEYS: ring(1),
        ARGOSY_JWT_KEYS: ring(2),
        PLATFORM_OPERATOR_TOKEN: operatorToken,
        PLATFORM_API_TOKEN: apiToken,
        ARGOSY_PLATFORM_PORT: String(platformPorts.get(name)),
        ARGOSY_TRUSTED_PROXIES: "127.0.0.1/32",
      }),
    }),
  );
  const ports = (name: string) => ({
    daemon: mesh.get(name).port,
    platform: platformPorts.get(name) ?? 0,
  });
  const balancer = held.use(
    await startBalancer(Object.fromEntries(names.map((name) => [name, ports(name)]))),
  );
  // Behind a proxy, a person needs an invitation.
  const invited = ["platform", "invite", account.email];
  expect((await argosy(mesh.folder("node-1"), invited, { env: mesh.env("node-1") })).code).toBe(0);
  const headers = await newTenant(balancer.urlOf("platform"));
  const ending = held.move();
  return { mesh, balancer, headers, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}

/** Signs up through the balancer, on whichever nodes answer. */
async function newTenant(url: string): Promise<Record<string, string>> {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await answerOf(
      await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const { accessToken } = await post("/auth/register", account);
  const asPerson = { authorization: `Bearer ${accessToken}` };
  const { id } = await post("/api/v1/tenants", { displayName: "Ada Ltd" }, asPerson);
  const { rawKey } = await post(`/api/v1/tenants/${id}/keys`, { label: "shop" }, asPerson);
  const headers = { "x-api-key": rawKey as string };
  await post("/api/v1/agents", JSON.parse(agentFile("shop")), headers);
  return headers;
}

interface Outcome {
  kind: "run" | "stream" | "platform";
  startedAt: number;
  /** "ok", or what went wrong. */
  end: string;
  status: number;
  key: string;
}

/** Callers of the balancer: runs and streams of the daemon, and runs of a tenant below its 60 a minute, each under a key. */
function startLoad({ balancer, headers }: Cluster) {
  const outcomes: Outcome[] = [];
  const over = new AbortController();
  const daemonUrl = `${balancer.urlOf("daemon")}/v1/agents/helper/run`;
  const platformUrl = `${balancer.urlOf("platform")}/api/v1/agents/shop/run`;
  const call = async (kind: Outcome["kind"], number: number): Promise<void> => {
    const startedAt = performance.now();
    const key = `${kind}-${number}`;
    const sent = {
      "content-type": "application/json",
      ...(kind === "stream" && { accept: "text/event-stream" }),
      ...(kind === "platform"
        ? { ...headers, "idempotency-key": key }
        : { authorization: `Bearer ${apiToken}` }),
    };
    const isPlatform = kind === "platform";
    const body = isPlatform ? { query: "Tea?" } : { query: "Hello?", session_id: `${kind}-${number % 7}` };
    const outcome = { kind, startedAt, key };
    try {
      const answer = await answerOf(
        await fetch(isPlatform ? platformUrl : daemonUrl, {
          method: "POST",
          headers: sent,
          body: JSON.stringify(body),
        }),
      );
      const isDone = kind !== "stream" || answer.text.includes('"type":"done"');
      const end = answer.status === 200 && isDone ? "ok" : `${answer.status} ${answer.text.slice(0, 300)}`;
      outcomes.push({ ...outcome, end, status: answer.status });
    } catch (thrown) {
      outcomes.push({ ...outcome, end: String(thrown), status: 0 });
    }
  };
  const client = async (kind: Outcome["kind"], pauseMs: number) => {
    for (let number = 0; !over.signal.aborted; number++) {
      await call(kind, number);
      await Bun.sleep(pauseMs);
    }
  };
  const clients = [
    client("run", 10),
    client("run", 10),
    client("stream", 20),
    client("stream", 20),
    client("platform", 1_100),
  ];
  return {
    outcomes,
    clients: clients.length,
    /** Resolves after this many more requests have ended. */
    async more(count: number) {
      const until = outcomes.length + count;
      await untilTrue(() => outcomes.length >= until);
    },
    async end() {
      over.abort();
      await Promise.all(clients);
      return outcomes;
    },
  };
}

const failed = (outcomes: readonly Outcome[]) => outcomes.filter(({ end }) => end !== "ok");

test.skipIf(haproxyMissing !== undefined)(
  `haproxy accepts deploy/haproxy.cfg${haproxyMissing === undefined ? "" : ` (${haproxyMissing})`}`,
  () => {
    expect(haproxyComplaints()).toEqual([]);
  },
);

executableTest(
  "a rolling restart behind haproxy fails no request: drain, stop at once, start, one node after the other",
  async () => {
    await using cluster = await startCluster();
    const { mesh } = cluster;
    const load = startLoad(cluster);
    for (const name of names) {
      await load.more(20);
      // As `systemctl stop` does: the process ends as soon as it is empty, before the balancer has noticed.
      const drained = await argosy(mesh.folder(name), ["mesh", "drain"], { env: mesh.env(name) });
      expect(drained.code).toBe(0);
      const server = mesh.get(name);
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      await load.more(20);
      await mesh.restart(name);
      await mesh.converged(...names);
    }
    await load.more(50);
    const outcomes = await load.end();
    console.info(`${outcomes.length} requests during the restarts, ${failed(outcomes).length} failed.`);
    expect(failed(outcomes)).toEqual([]);
  },
  postgresMissing,
  redisMissing,
  haproxyMissing,
);

executableTest(
  "a killed node behind haproxy fails only requests that were on it, and its keys can be used again",
  async () => {
    await using cluster = await startCluster();
    const { mesh, balancer } = cluster;
    const load = startLoad(cluster);
    await load.more(50);
    const [killed, other] = names;
    mesh.get(killed).kill("SIGKILL");
    await mesh.get(killed).exited;
    const killedAt = performance.now();
    await load.more(150);
    await mesh.restart(killed);
    await mesh.converged(...names);
    await load.more(50);
    const outcomes = await load.end();
    const lost = failed(outcomes);
    console.info(
      `${outcomes.length} requests, ${lost.length} failed: ${lost.map(({ end }) => end.slice(0, 80))}`,
    );
    // The other nodes had the killed one's runs of the mesh, and the balancer its connections; later requests meet living nodes.
    for (const { startedAt } of lost) expect(startedAt).toBeLessThan(killedAt);
    expect(lost.length).toBeLessThanOrEqual(load.clients);
    for (const { kind, key } of lost) {
      if (kind !== "platform") continue;
      const again = await fetch(`${balancer.urlOf("platform")}/api/v1/agents/shop/run`, {
        method: "POST",
        headers: { "content-type": "application/json", ...cluster.headers, "idempotency-key": key },
        body: JSON.stringify({ query: "Tea?" }),
      });
      expect(again.status).toBeLessThan(500);
    }
    expect((await mesh.get(other).call("GET", "/readyz")).status).toBe(200);
  },
  postgresMissing,
  redisMissing,
  haproxyMissing,
);
