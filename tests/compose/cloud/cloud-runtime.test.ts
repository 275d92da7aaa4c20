import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../../src/contracts/cloud/agents.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { type ModelScript, startModelServer } from "../../support/model-server.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { type CloudCaller, serveCloud } from "./cloud-world.ts";

const agent = (change: Partial<AgentInput> = {}): AgentInput => ({
  name: "helper",
  display_name: "Helper",
  step1: { model: "openai/test-model" },
  step2: { system_prompt: "You help." },
  ...change,
});

/** Stores the org's own key and deploys an agent. */
async function deployed({ client, slug }: CloudCaller, key: string, change: Partial<AgentInput> = {}) {
  await client.saveProvider(slug, { provider: "openai", api_key: key });
  await client.createAgent(slug, agent(change));
  return client.deploy(slug, "helper");
}

const keys = { ada: "sk-of-ada-0123456789", eve: "sk-of-eve-9876543210" };
const echo: ModelScript = ({ body }) => ({
  text: `You said ${JSON.stringify(body.messages.at(-1)?.content)}.`,
});

test("equal agents, sessions and memories of two orgs never meet, and each org pays with its own key", async () => {
  using folder = temporaryFolder();
  const models = await startModelServer(echo);
  await using world = await serveCloud(folder.path, models.url);
  const [ada, eve] = [await world.person("ada@example.com"), await world.person("eve@example.com")];
  const memory = { step4: { memory_type: "semantic" as const } };
  await deployed(ada, keys.ada, memory);
  await deployed(eve, keys.eve, memory);
  const say = ({ client, slug }: CloudCaller, query: string) =>
    client.run(slug, "helper", { query, session_id: "s" });
  await say(ada, "My secret fruit is the quince.");
  await say(eve, "My secret fruit is the medlar.");
  await say(ada, "Which fruit is my secret?");
  await say(eve, "Which fruit is my secret?");
  const sent = models.requests.map(({ headers, body }) => ({
    key: headers.get("authorization"),
    text: JSON.stringify(body.messages),
  }));
  expect(sent.map(({ key }) => key)).toEqual(
    [keys.ada, keys.eve, keys.ada, keys.eve].map((key) => `Bearer ${key}`),
  );
  expect(sent[2]?.text).toContain("quince");
  expect(sent[2]?.text).not.toContain("medlar");
  expect(sent[3]?.text).toContain("medlar");
  expect(sent[3]?.text).not.toContain("quince");
  // A reused name starts empty.
  await ada.client.deleteAgent(ada.slug, "helper");
  await deployed(ada, keys.ada, memory);
  await say(ada, "Which fruit is my secret?");
  expect(JSON.stringify(models.requests.at(-1)?.body.messages)).not.toContain("quince");
  await models.stop();
});

test("the strategy summary sums up what leaves the window, with the org's own key", async () => {
  using folder = temporaryFolder();
  const summarized = Promise.withResolvers<string | null>();
  const models = await startModelServer(({ body, headers }) => {
    if (!JSON.stringify(body.messages).includes("You help.")) {
      summarized.resolve(headers.get("authorization"));
      return { text: "They like quinces." };
    }
    return { text: "Fine." };
  });
  await using world = await serveCloud(folder.path, models.url);
  const ada = await world.person("ada@example.com");
  await deployed(ada, keys.ada, { step4: { memory_strategy: "summary", window_size: 2 } });
  const { client, slug } = ada;
  let told = 0;
  for (const query of ["I like quinces.", "It rains.", "It snows."])
    told += (await client.run(slug, "helper", { query, session_id: "s" })).result.tokens_used;
  expect(await summarized.promise).toBe(`Bearer ${keys.ada}`);
  // The tokens of the summary are in the report, though no run's answer had them.
  const used = async () => (await client.usage(slug)).total_tokens;
  while ((await used()) === told) await new Promise((resolve) => setImmediate(resolve));
  expect(await used()).toBeGreaterThan(told);
  expect((await client.usage(slug)).by_agent).toMatchObject([{ agent: "helper", requests: 3 }]);
  // The summary is stored after its model call; a later run reads it.
  let seen = "";
  for (let run = 0; run < 50 && !seen.includes("They like quinces."); run++) {
    await client.run(slug, "helper", { query: "What do I like?", session_id: "s" });
    seen = JSON.stringify(
      models.requests.findLast(({ body }) => JSON.stringify(body).includes("You help."))?.body,
    );
  }
  expect(seen).toContain("They like quinces.");
  await models.stop();
});

test("a deployment reports the faults of all stages at once", async () => {
  using folder = temporaryFolder();
  await using world = await serveCloud(folder.path);
  const { client, slug } = await world.person("ada@example.com");
  await client.createAgent(slug, {
    ...agent({ step1: { fallback_model: "groq/llama" } }),
    step5: { input_guardrails: ["topic_filter"], output_guardrails: ["cost_limit", "content_filter"] },
  });
  const refused = await client.deploy(slug, "helper").catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(AppError);
  const { code, details } = refused as AppError;
  expect(code).toBe("invalid_config");
  expect(
    details.problems?.map(({ path }) => path.replace(/\.\w+$/, "").replace(/^(step5\S+\]).*/, "$1")).sort(),
  ).toEqual([
    "step1",
    "step1",
    "step5.input_guardrails[0]",
    "step5.output_guardrails[0]",
    "step5.output_guardrails[1]",
  ]);
  const written = await client
    .createAgent(slug, {
      ...agent({ name: "Bad" }),
      step1: { model: "nowhere/x" },
      step2: { system_prompt: "Hello {{ name" },
      step3: { tools: ["no_such_tool"] },
      step5: { output_guardrails: [{ type: "content_filter", patterns: ["("] }], max_tokens: 0 },
    })
    .catch((thrown: unknown) => thrown);
  const paths = (written as AppError).details.problems?.map(({ path }) => path).sort();
  expect(paths).toEqual([
    "name",
    "step1.model",
    "step2.system_prompt",
    "step3.tools[0]",
    "step5.max_tokens",
    expect.stringMatching(/^step5\.output_guardrails\[0\]/),
  ]);
});

test("after a restart every deployed agent is registered before the service is ready, with its memory", async () => {
  using folder = temporaryFolder();
  const models = await startModelServer(echo);
  const key = await (async () => {
    await using world = await serveCloud(folder.path, models.url);
    const ada = await world.person("ada@example.com");
    await deployed(ada, keys.ada);
    await ada.client.run(ada.slug, "helper", { query: "I like quinces.", session_id: "s" });
    await ada.client.createAgent(ada.slug, agent({ name: "paused" }));
    await ada.client.deploy(ada.slug, "paused");
    await ada.client.pause(ada.slug, "paused");
    return (await ada.client.createKey(ada.slug, "ci")).secret;
  })();
  await using again = await serveCloud(folder.path, models.url);
  const ready = async () => (await (await fetch(`${again.url}/readyz`)).json()) as { status: string };
  while ((await ready()).status !== "ready") await new Promise((resolve) => setImmediate(resolve));
  const call = (path: string) =>
    fetch(`${again.url}/api/v1/orgs/ada/agents/${path}/run`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: JSON.stringify({ query: "What do I like?", session_id: "s" }),
    });
  expect((await call("helper")).status).toBe(200);
  expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain("I like quinces.");
  expect((await call("paused")).status).toBe(400);
  await models.stop();
});

test("no file of the installation has a provider key or an API key in clear", async () => {
  using folder = temporaryFolder();
  const models = await startModelServer(({ headers }) => ({
    text: `Your key is ${headers.get("authorization")}.`,
  }));
  const secrets = await (async () => {
    await using world = await serveCloud(folder.path, models.url);
    const ada = await world.person("ada@example.com");
    await deployed(ada, keys.ada, { step4: { memory_type: "episodic" } });
    const { secret } = await ada.client.createKey(ada.slug, "ci");
    await ada.client.run(ada.slug, "helper", { query: "Which key?", session_id: "s" });
    return [keys.ada, secret, ada.token];
  })();
  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.map(({ name }) => name)).toContain("cloud.db");
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name)).toString("latin1");
    for (const secret of secrets) expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
  await models.stop();
});
