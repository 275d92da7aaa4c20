import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import corpus from "../../corpora/secrets_redaction.json" with { type: "json" };
import { agentFile, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { stagedCommand } from "../../support/mcp-servers.ts";
import type { ModelScript } from "../../support/model-server.ts";
import { startOtlpCollector } from "../../support/otlp-collector.ts";
import { encodings, holds } from "../../support/spellings.ts";

/** Contains characters that JSON, URLs and markup encode differently; unlike any other text of the test. */
const canary = (number: number) =>
  `cnry${number}/7Qz+W"p=8&Lm%2<y>x${(number * 7919 + 104_729).toString(36)}`;

/** Secrets of the operator, by source. */
const known = {
  "key that an agent names": canary(2),
  "bearer token of a webhook's header": canary(3).replaceAll('"', ""),
  "key in a webhook's header": canary(4),
  "cookie of a webhook's header": canary(5).replaceAll('"', "'"),
  "token in a webhook's query": canary(6),
  "variable of an MCP server": canary(7),
  "password in an address of an MCP server": canary(8),
  "option of an MCP server": canary(9),
  "password of a mail server": canary(10),
  "password of a database": canary(11),
  "address of a chat": `/services/T0CNRY/B0CNRY/${canary(12).replace(/[^a-z0-9]/gi, "")}`,
  "key of a search": canary(13),
  "token of the OTLP export": canary(14).replaceAll('"', ""),
  "variable with a secret name in a place of its own": canary(15),
  "private key": `-----BEGIN PRIVATE KEY-----\nMIIcnry16Qz7${"aB3+/".repeat(10)}\n-----END PRIVATE KEY-----`,
};

const environment: Record<string, string> = {
  AGENT_LOGIN: known["key that an agent names"],
  MCP_TOKEN: known["variable of an MCP server"],
  MCP_DATABASE: `postgres://ann:${encodeURIComponent(known["password in an address of an MCP server"])}@db/x`,
  CRM_BEARER: known["bearer token of a webhook's header"],
  SMTP_PASS: known["password of a mail server"],
  STATUS_TOKEN: known["variable with a secret name in a place of its own"],
  SIGNING: known["private key"],
};

/** Texts of users, models and servers, from the corpus; none of them is known beforehand. */
const said = Object.fromEntries(
  corpus.entries.map(({ id, input }, index) => {
    const value = input.includes("4111")
      ? "4111 1111 1111 1111"
      : `77${1_000_000 + index}:cnryAA${index}x9KqZ7Lm2wP4t`;
    const text = input.replace("urlencoded(CANARY)", `?access_token=${encodeURIComponent(value)}`);
    return [`${id.slice(-3)} ${input}`, { value, text: text.replaceAll("CANARY", value) }];
  }),
);

const entering = (tools: readonly object[]) => ({ model: labModel, observability: { record: true }, tools });
const labModel = { primary: { provider: "lab", model: "test-model" } };

function toolEntries(searchUrl: string): object[] {
  const url = (path: string) => `https://crm.invalid${path}`;
  const { command, args } = stagedCommand("environment");
  return [
    {
      name: "crm",
      type: "webhook",
      parameters: {
        type: "object",
        properties: { token: { type: "string", description: "What to look up." } },
      },
      config: {
        url: url(`/hook?access_token=${encodeURIComponent(known["token in a webhook's query"])}`),
        headers: {
          Authorization: `Bearer \${CRM_BEARER}`,
          "X-Gateway-Key": known["key in a webhook's header"],
          Cookie: `theme=dark; s=${known["cookie of a webhook's header"]}`,
          "X-Status": `\${STATUS_TOKEN}`,
        },
      },
    },
    {
      name: "lab",
      type: "mcp",
      config: {
        transport: "stdio",
        command: "/bin/sh",
        args: [
          "-c",
          'printf "token %s at %s by %s\n" "$MCP_TOKEN" "$STORE" "$2" >&2; cat agents/said.txt >&2; shift 2; exec "$@"',
          "sh",
          "--api-key",
          known["option of an MCP server"],
          command,
          ...args,
        ],
        env: {
          MCP_TOKEN: `\${MCP_TOKEN}`,
          STORE: `\${MCP_DATABASE}`,
          SIGNING_KEY: `\${SIGNING}`,
        },
      },
    },
    {
      name: "send_email",
      type: "builtin",
      config: {
        smtp_host: "127.0.0.1",
        smtp_port: 9,
        smtp_user: "ann",
        smtp_password: `\${SMTP_PASS}`,
        from_address: "ann@example.com",
      },
    },
    {
      name: "sql_query",
      type: "builtin",
      config: {
        connection_string: `postgres://ann:${encodeURIComponent(known["password of a database"])}@127.0.0.1:9/x`,
      },
    },
    {
      name: "send_chat",
      type: "builtin",
      config: { webhook_url: `https://chat.invalid${known["address of a chat"]}` },
    },
    {
      name: "web_search",
      type: "builtin",
      config: { api_key: known["key of a search"], base_url: searchUrl, allow_localhost: true },
    },
  ];
}

const everySecret = Object.values(known).flatMap((value) => encodings(value));
const calls: Record<string, Record<string, unknown>> = {
  crm: { token: "x" },
  lab__echo: { text: "x" },
  send_email: { to: "bob@example.com", subject: "x", body: "x" },
  sql_query: { query: "SELECT 1" },
  send_chat: { message: "x" },
  web_search: { query: "x" },
};

/** Calls the requested tool, repeats its input, and fails with everything it knows. */
const model: ModelScript = ({ body }) => {
  const messages = body.messages.filter(({ role }) => role !== "system");
  const last = messages.at(-1);
  const text = String(last?.content);
  const [, tool = ""] = /^call (\S+)/.exec(text) ?? [];
  if (last?.role === "user" && tool !== "")
    return { toolCalls: [{ name: tool, arguments: calls[tool] ?? { secret: text } }] };
  if (text.startsWith("fail")) {
    const message = `${text}\n${everySecret.join("\n")}`;
    return { status: text.startsWith("fail hard") ? 500 : 401, body: JSON.stringify({ error: { message } }) };
  }
  return { text: [text, ...(text.startsWith("said") ? [] : everySecret)].join("\n") };
};

/** Everything that was written or served, by sink. */
const sinks: Record<string, string> = {};
let stores: { turns: string; tables: string; files: string };

async function untilReady(daemon: TestDaemon): Promise<void> {
  for (;;) {
    const { body } = await daemon.call("GET", "/v1/agents/keeper");
    if (["ready", "down"].includes(body.mcp_servers?.[0]?.status)) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const printed: string[] = [];
const stdout = spyOn(process.stdout, "write");

beforeAll(async () => {
  stdout.mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  await using collector = startOtlpCollector();
  using search = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      new Response(`${JSON.stringify([...request.headers])} ${request.url}`, { status: 500 }),
  });
  const otlpToken = known["token of the OTLP export"];
  await using daemon = await startDaemon({
    models: { lab: model },
    configure: (config) => ({ ...config, variable: (name) => environment[name] }),
    runtime: JSON.stringify({
      spec: {
        observability: {
          collector: "stdout",
          otlp: {
            enabled: true,
            endpoint: collector.endpoint,
            headers: { authorization: `Bearer ${otlpToken}` },
          },
        },
      },
    }),
    agents: {
      "keeper.agent.yaml": agentFile("keeper", entering(toolEntries(`http://127.0.0.1:${search.port}`))),
      "keyed.agent.yaml": agentFile("keyed", {
        observability: { record: true },
        model: { primary: { provider: "lab", model: "test-model", api_key_env: "AGENT_LOGIN" } },
      }),
      "said.txt": `${Object.values(said)
        .map(({ text }) => text)
        .join("\n")}\n`,
      "broken.agent.yaml": `apiVersion: platform/v1
kind: Agent
metadata: {name: broken}
spec: {tools: [{name: send_email, type: builtin, config: {smtp_password: *${canary(10).replace(/[^a-z0-9]/gi, "")}}}]}`,
    },
  });
  await untilReady(daemon);
  const errors: string[] = [];
  const served: string[] = [];
  const traced: string[] = [];
  const run = async (agent: string, query: string, session: string, headers: Record<string, string> = {}) => {
    const body = { query, session_id: session, record: true };
    const {
      status,
      body: answer,
      text,
    } = await daemon.call("POST", `/v1/agents/${agent}/run?trace=true`, {
      body,
      headers,
    });
    if (status === 200) traced.push(JSON.stringify(answer.trace));
    else errors.push(text);
    return status;
  };
  for (const tool of [...Object.keys(calls), "no_such_tool"])
    expect(await run("keeper", `call ${tool}`, tool)).toBe(200);
  for (const agent of ["keeper", "keyed"]) {
    expect(await run(agent, "repeat", "plain")).toBe(200);
    for (const fault of ["fail", "fail hard"]) expect(await run(agent, fault, "failed")).toBeGreaterThan(499);
  }
  for (const [index, { text }] of Object.values(said).entries()) {
    const [, name = "", value = ""] = /^([\w-]+): ([^{]+)$/.exec(text) ?? [];
    const headers = /^(?:X-|Auth|Cookie)/.test(name) ? { [name]: value } : {};
    expect(await run("keeper", `said ${text}`, `said-${index}`, headers)).toBe(200);
    await run("keeper", `fail with ${text}`, `said-${index}`, headers);
    await run("keeper", `call crm with ${text}`, `said-${index}`, headers);
    for (const path of [
      `/v1/nothing?token=${encodeURIComponent(text)}`,
      `/v1/agents/keeper/stream?token=${encodeURIComponent(text)}`,
    ])
      errors.push((await daemon.call("GET", path, { headers })).text);
    errors.push(
      (
        await daemon.call("POST", "/v1/agents/keeper/run", {
          body: { refreshToken: text, query: 1 },
          headers,
        })
      ).text,
    );
    errors.push(
      (await daemon.call("POST", "/v1/agents/keeper/run", { body: `{"query": "${text}`, headers })).text,
    );
    const executed = await daemon.call("POST", "/v1/tools/execute", {
      body: { tool: "send_chat", agent: "keeper", input: { message: text, channel: "x" } },
      headers,
    });
    errors.push(executed.text);
  }
  await daemon.clock.advance(5000);
  await daemon.clock.advance(5000);
  const { body: cassettes } = await daemon.call("GET", "/v1/cassettes");
  const cassetteTexts = await Promise.all(
    cassettes.cassettes.map(
      async ({ id }: { id: string }) => (await daemon.call("GET", `/v1/cassettes/${id}`)).text,
    ),
  );
  expect(cassetteTexts.length).toBeGreaterThan(10);
  for (const path of [
    "/v1/agents",
    "/v1/agents/keeper",
    "/v1/agents/keyed",
    "/v1/agents/broken",
    "/v1/agents/keeper/manifest",
    "/v1/tools",
    "/v1/models",
    "/v1/costs/summary",
    "/v1/costs/records",
    "/v1/costs/history",
    "/v1/metrics",
    "/v1/system/status",
    "/v1/system/doctor",
    "/openapi.json",
  ])
    served.push((await daemon.call("GET", path)).text);
  sinks["pages of the API"] = served.join("\n");
  sinks["error bodies"] = errors.join("\n");
  sinks["traces in answers"] = traced.join("\n");
  sinks["/v1/traces"] = (await daemon.call("GET", "/v1/traces?limit=100")).text;
  sinks["/metrics"] = (await daemon.call("GET", "/metrics")).text;
  sinks.cassettes = cassetteTexts.join("\n");
  // Messages to the models' server, except its own earlier answers.
  sinks.prompts = JSON.stringify(
    daemon.models.lab.requests.flatMap(({ body }) =>
      body.messages.filter(({ role, content }) => role === "tool" || !String(content).includes("said")),
    ),
  );
  sinks.log = daemon.logLines().join("\n");
  sinks["traces on stdout"] = printed.join("");
  sinks["traces exported"] = JSON.stringify(collector.spans, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  sinks.settings = JSON.stringify(daemon.config.settings);
  stores = readStores(join(daemon.workspace, ".argosy"));
  sinks["database, conversations apart"] = stores.tables;
  sinks["files of the data folder"] = stores.files;
  // The secrets were really used and said, so the search could have found them.
  expect(
    holds(
      JSON.stringify(daemon.models.lab.requests.map(({ headers }) => [...headers])),
      environment.AGENT_LOGIN ?? "",
    ),
  ).toBeTrue();
  expect(collector.requests[0]?.headers.get("authorization")).toBe(`Bearer ${otlpToken}`);
  expect(sinks.log).toContain("mcp.stderr");
  expect(collector.spans.length).toBeGreaterThan(20);
});

afterAll(() => {
  stdout.mockRestore();
});

function readStores(folder: string): typeof stores {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const isDatabase = (path: string) => /\.(?:db|sqlite)(?:-wal|-shm)?$/.test(path);
  const database = paths.find((path) => /\.(?:db|sqlite)$/.test(path)) ?? "";
  using db = new Database(database, { readonly: true });
  const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = (name: string) => JSON.stringify(db.query(`SELECT * FROM "${name}"`).all());
  const isTurns = (name: string) => /turn|message|conversation/.test(name);
  return {
    turns: names.flatMap(({ name }) => (isTurns(name) ? rows(name) : [])).join("\n"),
    tables: names.flatMap(({ name }) => (isTurns(name) ? [] : rows(name))).join("\n"),
    files: paths
      .filter((path) => !isDatabase(path))
      .map((path) => readFileSync(path, "latin1"))
      .join("\n"),
  };
}

const sinkNames = [
  "pages of the API",
  "error bodies",
  "traces in answers",
  "/v1/traces",
  "/metrics",
  "cassettes",
  "log",
  "prompts",
  "traces on stdout",
  "traces exported",
  "settings",
  "database, conversations apart",
  "files of the data folder",
];

const leaking = (value: string) => sinkNames.filter((name) => holds(sinks[name] ?? value, value));

test.each(Object.entries(known))("known: %s is in no sink", (_, value) => {
  expect(leaking(value)).toEqual([]);
  expect(holds(stores.turns, value)).toBeFalse();
});

/** A recording keeps texts unchanged, for its replay; only text that looks like a secret is masked. */
const keptInRecordings = (value: string) =>
  value.startsWith("4111") ? ["cassettes", "files of the data folder"] : [];

test.each(Object.entries(said))("said: %s is in no sink", (_, { value }) => {
  const kept = [...keptInRecordings(value), "prompts"];
  for (const written of [value, value.replaceAll(" ", "")]) {
    expect(leaking(written).filter((name) => !kept.includes(name))).toEqual([]);
  }
});
