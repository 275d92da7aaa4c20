import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../support/daemon.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { startOtlpCollector } from "../support/otlp-collector.ts";
import { encodings, holds } from "../support/spellings.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const ring = (first: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + first)).toString("base64");

/** Secrets of the environment and the operator's files, by source. */
const secrets = {
  HOSTED_LLM_API_KEY: 'sk-cnry1/7Qz+W"p=8&Lm%2<y>x',
  PLATFORM_API_TOKEN: "cnry2+token/of=more~than.thirty-two_bytes",
  "sealing key": ring(11),
  "signing key": ring(90),
  "key of providers.yaml": "cnry5/7Qz+Wp=8Lm",
  "password in LOCAL_MODEL_HOST": "cnry6x7QzWp8Lm",
  "token of the OTLP export": "cnry7/7Qz+Wp=8Lm",
  "key in the OTLP address": "cnry8x7QzWp8Lm",
  CHANNEL_ACCESS_TOKEN: "cnry9x7QzWp8Lm",
  CHANNEL_APP_SECRET: "cnry10x7QzWp8Lm",
  CHANNEL_VERIFY_TOKEN: "cnry11x7QzWp8Lm",
  CHAT_WEBHOOK_URL: "https://chat.invalid/hooks/cnry12x7QzWp8Lm",
  SEARCH_API_KEY: "cnry13x7QzWp8Lm",
  "variable with a secret name in a place of its own": "cnry14/7Qz+Wp=8Lm",
};

executableTest(
  "no canary of the environment is in an answer, an output, an export or the database",
  async () => {
    using folder = temporaryFolder();
    await using collector = startOtlpCollector();
    const everySecret = Object.values(secrets).flatMap(encodings).join("\n");
    const model = await startModelServer(({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role === "tool") return { text: `${last.content}\n${everySecret}` };
      const text = String(last?.content);
      if (text === "fail") return { status: 401, body: JSON.stringify({ error: { message: everySecret } }) };
      if (text !== "call") return { text: everySecret };
      return {
        toolCalls: [
          { name: "send_chat", arguments: { message: "x" } },
          { name: "crm", arguments: {} },
        ],
      };
    });
    const env = {
      PLATFORM_AUTO_CONFIG: "true",
      PLATFORM_LOG_LEVEL: "debug",
      HOSTED_LLM_API_KEY: secrets.HOSTED_LLM_API_KEY,
      HOSTED_LLM_ENDPOINT: model.url,
      LOCAL_MODEL_HOST: `http://ann:${secrets["password in LOCAL_MODEL_HOST"]}@127.0.0.1:9`,
      PLATFORM_API_TOKEN: secrets.PLATFORM_API_TOKEN,
      ARGOSY_SEALING_KEYS: `k1:${secrets["sealing key"]}`,
      ARGOSY_JWT_KEYS: `k1:${secrets["signing key"]}`,
      LAB_LOGIN: secrets["key of providers.yaml"],
      OTLP_LOGIN: secrets["token of the OTLP export"],
      CHANNEL_ACCESS_TOKEN: secrets.CHANNEL_ACCESS_TOKEN,
      CHANNEL_APP_SECRET: secrets.CHANNEL_APP_SECRET,
      CHANNEL_VERIFY_TOKEN: secrets.CHANNEL_VERIFY_TOKEN,
      CHANNEL_PHONE_NUMBER_ID: "1",
      CHAT_WEBHOOK_URL: secrets.CHAT_WEBHOOK_URL,
      SEARCH_API_KEY: secrets.SEARCH_API_KEY,
      STATUS_TOKEN: secrets["variable with a secret name in a place of its own"],
    };
    const agent = (name: string, provider: string) =>
      agentFile(name, {
        model: { primary: { provider, model: "test-model" } },
        observability: { record: true },
        tools: [
          { name: "send_chat", type: "builtin" },
          { name: "web_search", type: "builtin" },
          {
            name: "crm",
            type: "webhook",
            parameters: { type: "object" },
            config: { url: "https://crm.invalid/x", headers: { "X-Status": `\${STATUS_TOKEN}` } },
          },
        ],
      });
    writeFiles(folder.path, {
      "agents/helper.agent.yaml": agent("helper", "openai"),
      "agents/other.agent.yaml": agent("other", "lab"),
      "providers.yaml": JSON.stringify({
        providers: { lab: { type: "vllm", endpoint: model.url, api_key_env: "LAB_LOGIN" } },
      }),
      "channels.yaml": JSON.stringify({ channels: { phone_messenger: { default_agent: "helper" } } }),
      "runtime.yaml": JSON.stringify({
        spec: {
          observability: {
            collector: "stdout",
            otlp: {
              enabled: true,
              endpoint: `${collector.endpoint}?key=${secrets["key in the OTLP address"]}`,
              headers: { authorization: `Bearer \${OTLP_LOGIN}` },
            },
          },
        },
      }),
    });
    const sinks: Record<string, string> = {};
    await using server = await startServer(folder.path, { env });
    const ask = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${secrets.PLATFORM_API_TOKEN}` };
      const answer = await server.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
      sinks[`${method} ${path} ${JSON.stringify(body) ?? ""}`] =
        answer.status === 200 && method === "POST" ? JSON.stringify(answer.body.trace) : answer.text;
      return answer.status;
    };
    for (const name of ["helper", "other"]) {
      for (const [query, status] of [
        ["repeat", 200],
        ["call", 200],
        ["fail", 502],
      ] as const) {
        const run = { query, session_id: "s1", record: true };
        expect([query, await ask("POST", `/v1/agents/${name}/run?trace=true`, run)]).toEqual([query, status]);
      }
    }
    for (const path of [
      "/v1/traces",
      "/metrics",
      "/v1/metrics",
      "/v1/agents",
      "/v1/agents/helper",
      "/v1/agents/helper/manifest",
      "/v1/models",
      "/v1/costs/summary",
      "/v1/tools",
      "/v1/cassettes",
      "/v1/system/status",
      "/v1/system/doctor",
      "/v1/memory/helper/history/s1",
    ])
      expect([path, await ask("GET", path)]).toEqual([path, 200]);
    for (const args of [
      ["config"],
      ["config", "--json"],
      ["doctor"],
      ["validate"],
      ["traces"],
      ["secrets", "show"],
    ]) {
      const { stdout, stderr } = await argosy(folder.path, args, { env });
      sinks[`argosy ${args.join(" ")}`] = stdout + stderr;
    }
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    sinks.stderr = server.stderr();
    sinks["traces exported"] = JSON.stringify(collector.spans, (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    for (const file of filesBelow(join(folder.path, ".argosy"))) sinks[file] = readFileSync(file, "latin1");
    await model.stop();

    expect(collector.spans.length).toBeGreaterThan(10);
    expect(sinks["argosy config"]).toContain("LOCAL_MODEL_HOST");
    const table = Object.entries(secrets).map(([secret, value]) => [
      secret,
      Object.keys(sinks).filter((sink) => holds(sinks[sink] ?? value, value)),
    ]);
    expect(table).toEqual(Object.keys(secrets).map((secret) => [secret, []]));
  },
);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
