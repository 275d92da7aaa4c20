import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon } from "../../support/daemon.ts";
import { startModelServer } from "../../support/model-server.ts";
import { startTenantRuntime } from "../../support/tenant-runtime.ts";
import { startEmbeddingServer } from "../../support/word-embedding-server.ts";

const providersAt = (url: string, type = "vllm", more: object = {}) =>
  JSON.stringify({ providers: { lab: { type, endpoint: url, api_key_env: "LAB_KEY" } }, ...more });

test("a tenant's agent that was built with other providers is registered again, and then calls the new ones", async () => {
  await using runtime = await startTenantRuntime();
  const other = await startModelServer([{ text: "From the other." }]);
  const name = await runtime.register();
  expect((await runtime.run(name)).response).toBe("Hello there.");
  writeFileSync(join(runtime.workspace, "providers.yaml"), providersAt(other.url));
  await runtime.look();
  expect(await runtime.run(name).catch(({ code }) => code)).toBe("agent_not_found");
  await runtime.register();
  expect((await runtime.run(name)).response).toBe("From the other.");
  await other.stop();
});

test("a tenant may name a provider as soon as the operator has it, and no longer than that", async () => {
  await using runtime = await startTenantRuntime();
  const spec = { model: { primary: { provider: "late", model: "m" } } };
  const told = async () => (await runtime.problems(spec)).map(({ path }) => path);
  expect(await told()).toEqual(["spec.model.primary.provider"]);
  const write = (name: string) =>
    writeFileSync(
      join(runtime.workspace, "providers.yaml"),
      JSON.stringify({ providers: { [name]: { type: "vllm", endpoint: runtime.lab.url } } }),
    );
  write("late");
  await runtime.look();
  expect(await told()).toEqual([]);
  write("lab");
  await runtime.look();
  expect(await told()).toEqual(["spec.model.primary.provider"]);
});

test.each([
  ["in a file", "file"],
  ["sent over the API", "sent"],
])("a pipeline %s embeds at its provider's new address", async (_where, place) => {
  const servers = [startEmbeddingServer(), startEmbeddingServer()];
  await using daemon = await startDaemon();
  const write = (at: number) =>
    writeFileSync(
      join(daemon.workspace, "providers.yaml"),
      JSON.stringify({ providers: { openai: { type: "openai", endpoint: servers[at]?.url } } }),
    );
  const pipeline = JSON.stringify({
    apiVersion: "platform/v1",
    kind: "RAGPipeline",
    metadata: { name: "notes" },
    spec: { embeddings: { provider: "openai", model: "test" } },
  });
  const look = () => daemon.clock.advance(5000).then(() => daemon.asOwner("GET", "/v1/agents"));
  write(0);
  await look();
  if (place === "sent") {
    const sent = await daemon.asOwner("POST", "/v1/rag/pipelines", { body: pipeline });
    expect(sent.status).toBe(201);
  } else {
    mkdirSync(join(daemon.workspace, "rag"));
    writeFileSync(join(daemon.workspace, "rag/notes.rag.yaml"), pipeline);
    await look();
  }
  const embedded = async (text: string) => {
    const body = { collection: "notes", documents: [{ text }] };
    expect((await daemon.asOwner("POST", "/v1/rag/ingest", { body })).status).toBe(200);
    return servers.map(({ requests }) => requests.flat().includes(text));
  };
  expect(await embedded("first")).toEqual([true, false]);
  write(1);
  await look();
  expect(await embedded("second")).toEqual([false, true]);
  for (const server of servers) server[Symbol.dispose]();
});

test("an agent that fails while providers.yaml can't be used is 503 and names that file first", async () => {
  await using daemon = await startDaemon({
    agents: {
      "late.agent.yaml": agentFile("late", { model: { primary: { provider: "late", model: "m" } } }),
    },
  });
  const run = async () => {
    await daemon.clock.advance(5000);
    return daemon.asOwner("POST", "/v1/agents/late/run", { body: { query: "hi" } });
  };
  expect((await run()).body.hint).toMatch(/^Fix agents\/late.agent.yaml/);
  writeFileSync(join(daemon.workspace, "providers.yaml"), "providers: {late: {type: rehearsal, modls: [m]}}");
  const refused = await run();
  expect([refused.status, refused.body.error]).toEqual([503, "agent_failed"]);
  expect(refused.body.hint).toMatch(
    /^First correct providers.yaml:1:37: .*modls.* If the agent still fails: /,
  );
  const { checks } = (await daemon.asOwner("GET", "/v1/system/doctor")).body;
  const agents = checks.find(({ name }: { name: string }) => name === "agents");
  expect(agents.message).toMatch(/^First correct providers.yaml:/);
  expect(agents.mend).toBe("argosy validate");
  writeFileSync(
    join(daemon.workspace, "providers.yaml"),
    "providers: {late: {type: rehearsal, models: [m]}}",
  );
  expect((await run()).status).toBe(200);
});

test("`circuit_breaker` follows the file: a circuit opens after the new number of failures", async () => {
  await using daemon = await startDaemon({ models: { lab: [{ status: 500 }] } });
  const look = () => daemon.clock.advance(5000).then(() => daemon.asOwner("GET", "/v1/agents"));
  const url = daemon.models.lab.url;
  writeFileSync(
    join(daemon.workspace, "providers.yaml"),
    providersAt(url, "vllm", { circuit_breaker: { failure_threshold: 1, recovery_seconds: 600 } }),
  );
  await look();
  await daemon.run("helper", { query: "hi" });
  const asked = daemon.models.lab.requests.length;
  await daemon.run("helper", { query: "hi" });
  expect(daemon.models.lab.requests.length).toBe(asked);
});

test("`model_defaults` and `defaults` of runtime.yaml follow the file, and a fault in them is told", async () => {
  await using daemon = await startDaemon({
    agents: { "plain.agent.yaml": agentFile("plain", { model: undefined }) },
  });
  const write = (spec: object) =>
    writeFileSync(join(daemon.workspace, "runtime.yaml"), JSON.stringify({ spec }));
  const seen = async () => {
    await daemon.clock.advance(5000);
    const { body } = await daemon.asOwner("GET", "/v1/agents/plain");
    const { checks } = (await daemon.asOwner("GET", "/v1/system/doctor")).body;
    const { status } = checks.find(({ name }: { name: string }) => name === "configuration");
    return [JSON.stringify(body).includes("rehearsal"), status];
  };
  write({ model_defaults: { provider: "lab", model: "m" } });
  expect(await seen()).toEqual([false, "healthy"]);
  write({ model_defaults: { provider: "rehearsal", model: "rehearsal" } });
  expect(await seen()).toEqual([true, "healthy"]);
  write({ model_defaults: { provider: "rehearsal", modl: "rehearsal" } });
  expect(await seen()).toEqual([true, "degraded"]);
  write({ model_defaults: { provider: "lab", model: "m" } });
  expect(await seen()).toEqual([false, "healthy"]);
});
