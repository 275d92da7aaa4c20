import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../support/daemon.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { type ModelStep, startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

/** Contains characters that JSON, URLs and markup encode differently. */
const apiKey = 'sk-canary/7Qz+W"p=8&Lm%2<y>x';
const apiToken = "canary+token/of=more~than.thirty-two_bytes";

/** Returns the canaries in a text or file: as they are, and as JSON, URLs and base64 (at any offset) encode them. */
function canariesIn(bytes: Uint8Array | string): string[] {
  const text = Buffer.from(bytes).toString("latin1");
  return [apiKey, apiToken].filter((canary) => spellings(canary).some((spelling) => text.includes(spelling)));
}

function spellings(canary: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(" ".repeat(offset) + canary).toString("base64");
    // The characters at both ends depend on the neighbours and are left out.
    return encoded.slice(offset === 0 ? 0 : 4, -4);
  });
  const texts = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary), encodeURI(canary)];
  return [...texts, ...base64, ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))].map(
    (text) => Buffer.from(text).toString("latin1"),
  );
}

const broken: Record<string, ModelStep> = {
  "with 401": {
    status: 401,
    body: JSON.stringify({ error: { message: `Incorrect API key provided: ${apiKey}` } }),
  },
  "with 500": { status: 500, body: `<html>the header was Bearer ${apiKey}</html>` },
  "with garbage": { body: `{"choices": "${apiKey}`, headers: { "x-key": encodeURIComponent(apiKey) } },
};

executableTest(
  "keys and tokens are used and never shown: not in outputs, answers, recordings or the database",
  async () => {
    using folder = temporaryFolder();
    const model = await startModelServer(({ body }) => {
      const query = String(body.messages.at(-1)?.content);
      return broken[query.replace("Fail ", "")] ?? { text: "Fine." };
    });
    const env = {
      PLATFORM_AUTO_CONFIG: "true",
      HOSTED_LLM_API_KEY: apiKey,
      HOSTED_LLM_ENDPOINT: model.url,
      PLATFORM_API_TOKEN: apiToken,
      ARGOSY_ALLOWED_HOSTS: "argosy.example",
      PLATFORM_LOG_LEVEL: "debug",
    };
    writeFiles(folder.path, {
      "agents/helper.agent.yaml": agentFile("helper", {
        model: { primary: { provider: "openai", model: "test-model" } },
      }),
    });
    const shown: string[] = [];
    await using server = await startServer(folder.path, { env });
    const ask = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
      const answer = await server.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
      shown.push(`${answer.text}\n${JSON.stringify([...answer.headers])}`);
      return answer.status;
    };
    const bearer = { authorization: `Bearer ${apiToken}` };
    const run = (query: string) =>
      ask("POST", "/v1/agents/helper/run?trace=true", bearer, { query, session_id: "s1" });

    expect(await run("Work.")).toBe(200);
    // The search finds canaries: the model server got the key.
    expect(canariesIn(model.requests[0]?.headers.get("authorization") ?? "")).toEqual([apiKey]);
    for (const fault of Object.keys(broken)) expect(await run(`Fail ${fault}`)).toBeGreaterThanOrEqual(500);
    for (const path of [
      "/v1/traces",
      "/metrics",
      "/v1/metrics",
      "/v1/system/status",
      "/v1/system/doctor",
      "/v1/agents",
      "/v1/agents/helper",
      "/v1/models",
      "/openapi.json",
      "/docs",
    ])
      expect(await ask("GET", path, bearer)).toBe(200);
    expect(await ask("GET", "/v1/agents", { authorization: `Bearer x${apiToken}` })).toBe(401);
    expect(await ask("GET", "/v1/nothing/here", bearer)).toBe(404);
    expect(await ask("POST", "/v1/agents/helper/run", bearer, { quary: 1 })).toBe(400);
    for (const args of [
      ["config"],
      ["config", "--json"],
      ["doctor"],
      ["traces"],
      ["secrets", "show"],
      ["validate"],
    ]) {
      const { stdout, stderr } = await argosy(folder.path, args, { env });
      shown.push(stdout, stderr);
    }
    const direct = await argosy(folder.path, ["run", "helper", "Fail with 401", "--trace"], { env });
    expect(direct.code).toBe(1);
    shown.push(direct.stdout, direct.stderr);
    const holdsCanary = () =>
      filesBelow(folder.path).filter((file) => canariesIn(readFileSync(file)).length > 0);
    expect(holdsCanary()).toEqual([]);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    shown.push(server.stderr());

    expect(shown.filter((text) => canariesIn(text).length > 0)).toEqual([]);
    expect(holdsCanary()).toEqual([]);
    await model.stop();
  },
);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
