/**
 * Attacks the executable as one tenant with a key of the free plan can, as a stranger at the daemon's port, with one free account of the
 * cloud, and with one send key of the gateway. Prints how many ms `/healthz` of platform and daemon took at most meanwhile, asked every
 * 20 ms by another process. `control` is a server without an attacker:
 * what it waits, the machine takes. `busy` is the processor time that the main thread took during one of these answers at most; a
 * row where it is above the goal is marked, and the exit status is 1 then.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/platform-attack.ts [part of a row's name]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloudAttacks, gatewayAttacks } from "./attack/hosted-attacks.ts";
import { fields, fill, hostileSpecs } from "./attack/hostile-specs.ts";
import { cpuMs } from "./process-stats.ts";

const goalMs = 100;
const atOnce = 10;
const KIB = 1024;
const MIB = 1024 * KIB;

interface Sent {
  method?: string;
  path: string;
  type?: string;
  body?: string;
}

/** Where the attacker stands: what its requests begin with, and who it is. */
interface Side {
  name: "platform" | "daemon" | "cloud" | "gateway";
  url: string;
  prefix: string;
  headers: Record<string, string>;
}

const children: Bun.Subprocess[] = [];
const workspace = mkdtempSync(join(tmpdir(), "argosy-attack-"));

function spawn(command: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(command, {
    cwd: workspace,
    env: { PATH: process.env.PATH ?? "", HOME: workspace, ...env },
    stdio: ["pipe", "pipe", process.env.ATTACK_LOG === undefined ? "ignore" : "inherit"],
  });
  children.push(child);
  const lines = linesOf(child.stdout);
  return { child, nextLine: async () => (await lines.next()).value ?? "" };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, string> {
  let held = "";
  for await (const bytes of stream) {
    held += new TextDecoder().decode(bytes);
    for (let end = held.indexOf("\n"); end !== -1; end = held.indexOf("\n")) {
      yield held.slice(0, end);
      held = held.slice(end + 1);
    }
  }
  return held;
}

const beside = (name: string) => [process.execPath, join(import.meta.dir, name)];

async function send(side: Side, { method = "POST", path, type, body }: Sent): Promise<number> {
  const response = await fetch(`${side.url}${side.prefix}${path}`, {
    method,
    headers: { "content-type": type ?? "application/json", ...side.headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (process.env.ATTACK_LOG !== undefined && response.status >= 400)
    console.error(path, response.status, text.slice(0, 300));
  return response.status;
}

const agentOf = (name: string, spec: object, model: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: model }, ...spec },
});

/** The operator's model. */
const house = { provider: "house", model: "ok" };
const json = (value: object) => JSON.stringify(value);

function creates(spec: object, count = atOnce): Sent[] {
  return Array.from({ length: count }, (_, n) => ({
    path: "/agents",
    body: json(agentOf(`a${n}`, spec, house)),
  }));
}

const runs = (agent: string, query: string, count = atOnce): Sent[] =>
  Array.from({ length: count }, () => ({ path: `/agents/${agent}/run`, body: json({ query }) }));

/** What the watch says of one server. */
interface Longest {
  longestMs: number;
  busiestMs: number;
}

interface Attack {
  name: string;
  /** Made before, and not measured. */
  before?: Sent[];
  sent: Sent[];
  only?: Side["name"];
}

function attacks(evil: string): Attack[] {
  let addresses = 0;
  const model = (name: string) => ({ provider: "vllm", model: name, endpoint: `${evil}/a${addresses++}/v1` });
  const made = (spec: object, of: object = house): Sent[] => [
    { path: "/agents", body: json(agentOf("victim", spec, of)) },
  ];
  const tool = {
    name: "t0",
    type: "webhook",
    description: "d",
    config: { url: `${evil}/tool`, method: "POST" },
  };
  const manyInjections = {
    guardrails: {
      input: [
        ...Array(16).fill({ type: "prompt_injection", action: "warn" }),
        ...Array(16).fill({ type: "pii_detection", action: "warn" }),
      ],
    },
  };
  const format = (schema: object) => ({
    type: "json_schema",
    json_schema: { name: "x", schema },
  });
  const completion = (name: string, schema: object): Attack => ({
    name: `completions, response_format: ${name}`,
    only: "daemon",
    before: made({}, model("fields")),
    sent: Array.from({ length: atOnce }, () => ({
      path: "/chat/completions",
      body: json({
        model: "agent/victim",
        messages: [{ role: "user", content: "hi" }],
        response_format: format(schema),
      }),
    })),
  });
  const forced = (schema: object): Attack => ({
    name: "completions, a forced call of 299 fields",
    only: "daemon",
    before: made({}, model("fields")),
    sent: Array.from({ length: atOnce }, () => ({
      path: "/chat/completions",
      body: json({
        model: "agent/victim",
        messages: [{ role: "user", content: "hi" }],
        tool_choice: "required",
        tools: [{ type: "function", function: { name: "f", parameters: schema } }],
      }),
    })),
  });
  const large = made({ prompts: { system: fill("words of a prompt ", 250 * KIB) } });
  return [
    ...hostileSpecs(evil).map(({ name, spec, yaml }) => ({
      name: `create: ${name}`,
      sent:
        yaml === undefined
          ? creates(spec)
          : Array.from({ length: atOnce }, () => ({ path: "/agents", type: "application/yaml", body: yaml })),
    })),
    {
      name: "versions of a large spec, and their lists",
      before: large,
      sent: [
        ...Array.from({ length: 30 }, (_, n) => ({
          method: "PUT",
          path: "/agents/victim",
          body: json(agentOf("victim", { prompts: { system: `${n} ${fill("words ", 250 * KIB)}` } }, house)),
        })),
        ...Array.from({ length: 30 }, () => ({ method: "GET", path: "/agents" })),
        ...Array.from({ length: 10 }, () => ({ method: "GET", path: "/agents/victim/versions" })),
      ],
    },
    {
      name: "run: long input through 32 guardrails",
      before: made(manyInjections),
      sent: runs("victim", fill("i g n o r e <img ", 100 * KIB)),
    },
    {
      name: "run: long input through 20 patterns",
      before: made({
        guardrails: {
          input: [{ type: "pii_detection", action: "warn" }],
          output: [{ type: "content_filter", patterns: Array(20).fill("(?:a|b|c|d|e){1000}") }],
        },
      }),
      sent: runs("victim", fill("abcde", 150 * KIB)),
    },
    {
      name: "run: a template that loops",
      before: made({
        prompts: { system: "{% for a in range(9999) %}{{ range(9999)|list|sum }}{% endfor %}" },
      }),
      sent: runs("victim", "hi"),
    },
    { name: "run: bodies of 1 MiB of JSON", before: made({}), sent: bodies() },
    ...["fields", "lists", "objects", "fences"].map((name) => ({
      name: `run: output_schema on an answer of ${name}`,
      before: made({ output_schema: fields(299, { type: "string", minLength: 1 }) }, model(name)),
      sent: runs("victim", "hi"),
    })),
    ...["junk", "long"].map((name) => ({
      name: `run: a provider's answer of ${name}`,
      before: made({ guardrails: { output: [{ type: "pii_detection", action: "redact" }] } }, model(name)),
      sent: runs("victim", "hi"),
    })),
    ...["tool-lists", "tool-objects"].map((name) => ({
      name: `run: a provider's call of ${name}, and 5 MiB from the tool`,
      before: made({ tools: [{ ...tool, parameters: { type: "object" } }] }, model(name)),
      sent: runs("victim", "hi"),
    })),
    {
      name: "sessions of long histories",
      before: [
        ...made({
          memory: { conversational: { backend: "sqlite", strategy: "sliding_window", max_turns: 200 } },
        }),
        ...Array.from({ length: 40 }, () => ({
          path: "/agents/victim/run",
          body: json({ query: fill("a b c d ", 80 * KIB), session_id: "long" }),
        })),
      ],
      sent: Array.from({ length: atOnce }, () => ({
        path: "/agents/victim/run",
        body: json({ query: "hi", session_id: "long" }),
      })),
    },
    completion("299 fields", fields(299, { type: "string", minLength: 1 })),
    completion(
      "166 fields of five rules",
      fields(166, { type: ["string", "number"], minLength: 1, maxLength: 9, minimum: 1, enum: ["a", 1] }),
    ),
    forced(fields(299, { type: "string", minLength: 1 })),
    ...cloudAttacks(),
    ...gatewayAttacks(),
  ];
}

function bodies(): Sent[] {
  return ["1,", '{"a":1},', '"\\n",', "[],"].flatMap((unit) =>
    Array.from({ length: 5 }, () => ({
      path: "/agents/victim/run",
      body: `{"query":"hi","context":{"a":[${unit.repeat((MIB - 100) / unit.length)}1]}}`,
    })),
  );
}

/** Sends all, so many at once; how often each status came. */
async function sendAll(side: Side, all: readonly Sent[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await Promise.all(
    all.map(async (one) => {
      const status = await send(side, one).catch(() => 0);
      counts[status] = (counts[status] ?? 0) + 1;
    }),
  );
  return counts;
}

/** A person, a tenant of the free plan and its key. */
async function newTenant(url: string, number: number): Promise<Record<string, string>> {
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: json(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const { accessToken } = await ask("/auth/register", {
    email: `mallory${number}@example.com`,
    password: "correct horse",
    displayName: "Mallory",
  });
  const bearer = { authorization: `Bearer ${accessToken}` };
  const { id } = await ask("/api/v1/tenants", { displayName: "Mallory Ltd" }, bearer);
  const { rawKey } = await ask(`/api/v1/tenants/${id}/keys`, { label: "k" }, bearer);
  return { "x-api-key": rawKey ?? "" };
}

/** A person of the cloud, whose first sign-in makes an org of the free plan. */
async function newOrg(url: string, number: number): Promise<Pick<Side, "prefix" | "headers">> {
  const response = await fetch(`${url}/api/v1/auth/dev/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: json({ email: `mallory${number}@example.com`, name: "Mallory" }),
  });
  const { access_token, org_slug } = (await response.json()) as Record<string, string>;
  return { prefix: `/api/v1/orgs/${org_slug}`, headers: { authorization: `Bearer ${access_token}` } };
}

const gatewayAdmin = "admin-token-of-the-gateway-with-32-bytes";
const gatewayKey = "send-key-of-mallory";

const killAll = () => {
  for (const child of children) child.kill();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    killAll();
    process.exit(1);
  });
}

const control = Bun.spawn({
  cmd: [
    process.execPath,
    "-e",
    'const s = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") }); console.log(s.url.origin)',
  ],
  stdio: ["ignore", "pipe", "ignore"],
});
children.push(control);

try {
  const controlUrl = (await linesOf(control.stdout).next()).value ?? "";
  const hostile = spawn(beside("attack/hostile-server.ts"));
  const evil = await hostile.nextLine();
  // What the attacker's server would be on the internet, the operator has opened here.
  writeFileSync(join(workspace, "runtime.yaml"), json({ spec: { network: { allow: ["127.0.0.1/32"] } } }));
  writeFileSync(
    join(workspace, "providers.yaml"),
    json({ providers: { house: { type: "vllm", endpoint: `${evil}/house/v1` } } }),
  );
  const server = spawn(
    [
      join(import.meta.dir, "../../dist/argosy"),
      "serve",
      "--json",
      "--services",
      "daemon,platform,gateway,cloud",
    ],
    {
      PLATFORM_PORT: "0",
      ARGOSY_PLATFORM_PORT: "0",
      ARGOSY_GATEWAY_PORT: "0",
      ARGOSY_CLOUD_PORT: "0",
      CLOUD_DEV_LOGIN: "true",
      GATEWAY_ADMIN_TOKEN: gatewayAdmin,
      GATEWAY_SEND_KEYS: `mallory:${gatewayKey}`,
      GATEWAY_EMULATOR: "true",
      PLATFORM_LOG_LEVEL: "warning",
    },
  );
  const { services } = JSON.parse(await server.nextLine()) as { services: { name: string; url: string }[] };
  const urlOf = (name: string) => (services.find((one) => one.name === name)?.url ?? "").replace(/\/$/, "");
  const [daemonUrl, platformUrl] = [urlOf("daemon"), urlOf("platform")];
  await fetch(`${urlOf("gateway")}/admin/accounts`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-token": gatewayAdmin },
    body: json({
      tenant_id: "mallory",
      channel: "phone_messenger",
      external_id: "e",
      emulated: true,
      credentials: { access_token: "token-of-the-bench" },
    }),
  });
  const watch = spawn([
    ...beside("attack/health-watch.ts"),
    `${server.child.pid}`,
    platformUrl,
    daemonUrl,
    controlUrl,
  ]);
  const longest = async () => {
    watch.child.stdin.write("\n");
    watch.child.stdin.flush();
    return JSON.parse(await watch.nextLine()) as Longest[];
  };

  let above = 0;
  console.log(
    `${"attack".padEnd(62)} ${"side".padEnd(9)} ${"platform".padStart(9)} ${"daemon".padStart(8)} ${"control".padStart(8)} ${"busy".padStart(6)} ${"CPU s".padStart(7)}  answers`,
  );
  const measure = async (name: string, side: Side, all: readonly Sent[]) => {
    await Bun.sleep(300);
    await longest();
    const cpuBefore = cpuMs(server.child.pid);
    const counts = await sendAll(side, all);
    await Bun.sleep(100);
    const [platform, daemon, machine] = await longest();
    const cpu = (cpuMs(server.child.pid) - cpuBefore) / 1000;
    const busiest = Math.max(platform?.busiestMs ?? 0, daemon?.busiestMs ?? 0);
    const isAbove = busiest > goalMs;
    if (isAbove) above++;
    const shown = (figure: Longest | undefined) => (figure?.longestMs ?? 0).toFixed(0);
    console.log(
      `${name.padEnd(62)} ${side.name.padEnd(9)} ${shown(platform).padStart(9)} ${shown(daemon).padStart(8)} ${shown(machine).padStart(8)} ${busiest.toFixed(0).padStart(6)} ${cpu.toFixed(2).padStart(7)}  ${json(counts).replace(/[{}"]/g, "")}${isAbove ? "  ABOVE" : ""}`,
    );
  };

  const sought = process.argv[2] ?? "";
  const chosen = attacks(evil).filter(({ name }) => name.includes(sought));
  let tenants = 0;
  const sideOf = async (name: Side["name"]): Promise<Side> => {
    const url = urlOf(name);
    switch (name) {
      case "platform":
        return { name, url, prefix: "/api/v1", headers: await newTenant(url, tenants++) };
      case "daemon":
        return { name, url, prefix: "/v1", headers: {} };
      case "cloud":
        return { name, url, ...(await newOrg(url, tenants++)) };
      case "gateway":
        return { name, url, prefix: "/api/v1/messages", headers: { "x-gateway-key": gatewayKey } };
    }
  };
  for (const { name, before = [], sent, only } of chosen) {
    for (const sideName of only === undefined ? (["platform", "daemon"] as const) : [only]) {
      const side = await sideOf(sideName);
      for (const one of before) await send(side, one);
      await measure(name, side, sent);
      if (sideName === "daemon")
        for (const agent of ["victim", ...Array.from({ length: atOnce }, (_, n) => `a${n}`)])
          await send(side, { method: "DELETE", path: `/agents/${agent}` });
    }
  }
  if (sought === "" || "everything at once".includes(sought)) {
    const side = await sideOf("platform");
    // One of each create, since a tenant may make 120 changes in a minute.
    const seen = new Set<string>();
    const each = attacks(evil).filter(({ only }) => only === undefined || only === "platform");
    for (const [number, { before = [] }] of each.entries()) {
      for (const one of before.slice(0, 1)) {
        await send(side, { ...one, body: one.body?.replaceAll('"victim"', `"v${number}"`) ?? "" });
      }
    }
    const all = each.flatMap(({ sent }, number) =>
      sent.slice(0, 5).map((one, index) => ({
        ...one,
        path: one.path.replace("victim", `v${number}`),
        ...(one.body === undefined
          ? {}
          : { body: one.body.replace(`"name":"a${index}"`, `"name":"n${number}-${index}"`) }),
      })),
    );
    for (const one of all) seen.add(one.path);
    await measure("everything at once", side, all);
  }
  console.log(above === 0 ? "All rows meet the goal." : `${above} rows are above ${goalMs} ms.`);
  process.exitCode = above === 0 ? 0 : 1;
} finally {
  killAll();
  await Promise.all(children.map((child) => child.exited));
  rmSync(workspace, { recursive: true, force: true });
}
