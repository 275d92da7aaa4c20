import { expect } from "bun:test";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

/** A manifest with a gate; the prompt makes another version of it. */
const manifest = (prompt: string) =>
  JSON.stringify({
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name: "helper" },
    spec: {
      model: { primary: { provider: "lab", model: "test-model" } },
      prompts: { system: prompt },
      tools: [
        {
          name: "crm",
          type: "webhook",
          description: "Finds people.",
          parameters: { type: "object", properties: {} },
          config: { url: "https://crm.example.com" },
        },
      ],
      release: { requires: [{ eval: "kindness" }] },
    },
  });

const kindness = `apiVersion: platform/v1
kind: Eval
metadata: {name: kindness}
spec:
  agent: helper
  tools:
    stubs:
      - {tool: crm, output: {name: Ada}}
  cases:
    - id: greets
      query: Who am I?
      checks:
        - contains: dear
        - tool_called: {tool: crm}
`;

/** Creates a person with a tenant, and returns its API key. */
async function newTenant(url: string): Promise<string> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { accessToken } = await post("/auth/register", account);
  const asPerson = { authorization: `Bearer ${accessToken}` };
  const { id } = await post("/api/v1/tenants", { displayName: "Shop" }, asPerson);
  return (await post(`/api/v1/tenants/${id}/keys`, { label: "ci" }, asPerson)).rawKey;
}

executableTest("a version is published once it passes its eval, which the command line runs", async () => {
  using folder = temporaryFolder();
  // The model calls the tool, then answers as the prompt says with what the tool found.
  const model = await startModelServer(({ body: { messages } }) => {
    const found = messages.findLast(({ role }) => role === "tool");
    if (found === undefined) return { toolCalls: [{ name: "crm", arguments: {} }] };
    const isKind = JSON.stringify(messages[0]).includes("kind");
    return { text: `${isKind ? "My dear" : "You are"} ${String(found.content)}` };
  });
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: model.url } } }),
    "kindness.eval.yaml": kindness,
    "rude.agent.yaml": manifest("Be short."),
    "kind.agent.yaml": manifest("Be kind."),
  });
  const operatorToken = "operator-token-of-at-least-32-bytes";
  await using server = await startServer(folder.path, {
    services: ["daemon", "platform"],
    env: { PLATFORM_OPERATOR_TOKEN: operatorToken },
  });
  const url = server.urlOf("platform");
  const env = {
    ARGOSY_PLATFORM_URL: url,
    ARGOSY_PLATFORM_KEY: await newTenant(url),
    PLATFORM_OPERATOR_TOKEN: operatorToken,
  };
  const platform = (...args: string[]) => argosy(folder.path, ["platform", ...args], { env });
  const ok = async (...args: string[]) => {
    const ended = await platform(...args);
    expect([ended.code, ended.stderr]).toEqual([0, expect.any(String)]);
    return ended;
  };
  const early = await platform("agents", "apply", "rude.agent.yaml");
  expect(early.code).not.toBe(0);
  expect(early.stdout + early.stderr).toContain("there is no eval kindness");
  await ok("evals", "apply", "kindness.eval.yaml");

  const rude = await platform("evals", "run", "kindness", "--manifest", "rude.agent.yaml");
  expect([rude.code, rude.stdout]).toEqual([1, expect.stringContaining("greets")]);
  expect(rude.stdout).toContain("pass rate 0.0 %");
  const refused = await platform("agents", "apply", "rude.agent.yaml");
  expect(refused.stdout + refused.stderr).toContain("eval kindness scores 0 %");

  const kind = await ok("evals", "run", "kindness", "--manifest", "kind.agent.yaml", "--json");
  const run = JSON.parse(kind.stdout);
  expect(run).toMatchObject({ status: "complete", passed: 1, agent_version: null, failed: [] });
  await ok("agents", "apply", "kind.agent.yaml");
  const runs = JSON.parse((await ok("evals", "runs", "--json")).stdout).runs;
  expect(runs.map(({ passed }: { passed: number }) => passed)).toEqual([1, 0]);
  // The override lets the refused version in, and the operator's audit has all of it.
  await ok("agents", "apply", "rude.agent.yaml", "--release-override", "The kind one is too slow");
  const audit = (await ok("audit", "--json")).stdout;
  for (const step of ["agent.release_refused", "agent.release_override", "The kind one is too slow", run.id])
    expect(audit).toContain(step);
  expect(server.stderr()).not.toContain('"level":"error"');
});
