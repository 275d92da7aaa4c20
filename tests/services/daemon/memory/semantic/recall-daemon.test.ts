import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import secrets from "../../../../corpora/secrets_redaction.json" with { type: "json" };
import strings from "../../../../corpora/strings_hostile.json" with { type: "json" };
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";

const memory = { semantic: { backend: "memory" }, episodic: {} };

const handbook = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "RAGPipeline",
  metadata: { name: "handbook" },
  spec: { vector_store: { backend: "memory" } },
});

/** Returns the outcome of work that waits for time to pass; sockets get their turns in between. */
async function whileTimePasses<T>({ clock }: TestDaemon, waiting: Promise<T>): Promise<T> {
  let isOver = false;
  const settled = waiting.finally(() => {
    isOver = true;
  });
  // In small steps, so that a busy machine refuses the connection before the run's time is over.
  while (!isOver) {
    await clock.advance(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}

/** Waits for the check of agents and pipelines, which happens once a second. */
async function looked(daemon: TestDaemon): Promise<void> {
  for (let second = 0; second < 3; second++) await daemon.clock.advance(1000);
}

test("a run of an agent whose pipeline is missing is 503; the agent is ready as soon as it appears", async () => {
  await using daemon = await startDaemon({
    agents: {
      "clerk.agent.yaml": agentFile("clerk", {
        knowledge: { pipeline: "handbook", top_k: 1 },
        tools: [{ name: "rag_query", type: "builtin" }],
      }),
      "helper.agent.yaml": agentFile("helper"),
    },
  });
  const status = async () => (await daemon.call("GET", "/v1/agents/clerk")).body;
  expect(await status()).toMatchObject({ status: "failed" });
  const refused = await daemon.run("clerk", { query: "tea?" });
  expect(refused).toMatchObject({ status: 503, body: { error: "agent_failed" } });
  expect(refused.body.message).toContain("is a pipeline that is not loaded: handbook");
  const file = join(daemon.workspace, "rag", "handbook.rag.yaml");
  mkdirSync(join(daemon.workspace, "rag"), { recursive: true });
  writeFileSync(file, handbook);
  await looked(daemon);
  expect(await status()).toMatchObject({ status: "ready" });

  // The knowledge is still empty: the agent answers without it.
  expect((await daemon.run("clerk", { query: "When is tea?" })).body.metadata.sources).toEqual([]);
  const documents = [{ text: "Tea is served at four o'clock.", metadata: { source: "rules.md" } }];
  const added = await daemon.call("POST", "/v1/rag/ingest", { body: { collection: "handbook", documents } });
  expect(added.status).toBe(200);
  const { body } = await daemon.run("clerk", { query: "When is tea served?" });
  expect(body.metadata.sources).toMatchObject([{ chunk: 0, start: 0, end: 30 }]);
  const said = daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content;
  expect(said).toContain("[1] (rules.md, characters 0 to 30) Tea is served at four o'clock.");
  const executed = await daemon.call("POST", "/v1/tools/execute", {
    body: { tool: "rag_query", agent: "clerk", input: { query: "tea" } },
  });
  expect(executed.body.output).toMatchObject({
    success: true,
    data: [{ text: "Tea is served at four o'clock." }],
  });
  const alone = await daemon.call("POST", "/v1/tools/execute", {
    body: { tool: "rag_query", input: { query: "tea" } },
  });
  expect(alone.body.output).toMatchObject({ success: false });

  rmSync(file);
  await looked(daemon);
  expect(await status()).toMatchObject({ status: "failed" });
});

test("every hostile string is stored unchanged or is 400 or 413, never a 5xx", async () => {
  await using daemon = await startDaemon({ agents: { "a.agent.yaml": agentFile("a", { memory }) } });
  for (const { input } of strings.entries) {
    const text = String(input);
    const added = await daemon.call("POST", "/v1/memory/a/semantic", {
      body: { text: `marble ${text}`, metadata: { source: text, [`k${text}`.slice(0, 100)]: text } },
    });
    expect([201, 400, 413]).toContain(added.status);
    const episode = await daemon.call("POST", "/v1/memory/a/episodes", {
      body: { event_type: "note", summary: `marble ${text}`, context: { text } },
    });
    expect([201, 400, 413]).toContain(episode.status);
    for (const query of [
      `query=${encodeURIComponent(`marble ${text}`.slice(0, 2000))}`,
      `query=x&user=${encodeURIComponent(text.slice(0, 300))}`,
    ]) {
      const found = await daemon.call("GET", `/v1/memory/a/semantic?${query}`);
      expect([200, 400, 414]).toContain(found.status);
    }
    if (added.status !== 201) continue;
    const listed = await daemon.call("GET", `/v1/memory/a/semantic/texts?limit=500`);
    expect(listed.status).toBe(200);
    const { body } = await daemon.call("DELETE", `/v1/memory/a/semantic/${added.body.id}`);
    expect(body.texts).toBe(1);
  }
  expect((await daemon.call("GET", "/v1/memory/a/semantic/texts")).body.texts).toEqual([]);
});

test("secrets that somebody says are kept in no memory", async () => {
  const canary = "77123456:cnryAAx9KqZ7Lm2wP4t";
  const value = (input: string) => (input.includes("4111") ? "4111 1111 1111 1111" : canary);
  const said = secrets.entries.map(({ input }) =>
    input
      .replace("urlencoded(CANARY)", `?access_token=${encodeURIComponent(canary)}`)
      .replaceAll("CANARY", canary),
  );
  await using daemon = await startDaemon({
    models: {
      lab: (request) => ({
        text: [`You said ${String(request.body.messages.at(-1)?.content).split("\n").at(-1)}`],
      }),
    },
    agents: { "a.agent.yaml": agentFile("a", { memory }) },
  });
  for (const [index, text] of said.entries()) {
    await daemon.run("a", { query: `remember ${text}`, session_id: `s${index}` });
    await daemon.call("POST", "/v1/memory/a/semantic", { body: { text, metadata: { note: text } } });
    await daemon.call("POST", "/v1/memory/a/episodes", { body: { event_type: "note", summary: text } });
  }
  const texts = (await daemon.call("GET", "/v1/memory/a/semantic/texts?limit=500")).body.texts;
  const episodes = (await daemon.call("GET", "/v1/memory/a/episodes?limit=500")).body.episodes;
  expect(texts.length).toBeGreaterThanOrEqual(said.length * 3);
  expect(episodes).toHaveLength(said.length * 2);
  const shown = JSON.stringify([texts, episodes]);
  for (const { input } of secrets.entries) expect(shown).not.toContain(value(input));
  const data = join(daemon.workspace, ".argosy");
  const file = readdirSync(data).find((name) => name === "daemon.db") ?? "";
  using database = new Database(join(data, file), { readonly: true });
  const stored = JSON.stringify([
    database.query("SELECT texts FROM memory_writes").all(),
    database.query("SELECT summary, context FROM episodes").all(),
  ]);
  for (const { input } of secrets.entries) expect(stored).not.toContain(value(input));
});

test("a memory that can't be reached fails no run; a search is 503 and the metrics count it", async () => {
  await using daemon = await startDaemon({
    agents: {
      "a.agent.yaml": agentFile("a", {
        memory: { semantic: { backend: "qdrant", connection: { url: "http://127.0.0.1:9" } } },
      }),
    },
  });
  const { status, body } = await whileTimePasses(
    daemon,
    daemon.run("a", { query: "hello", session_id: "s" }),
  );
  expect({ status, response: body.response }).toEqual({ status: 200, response: "Hello there." });
  const again = await whileTimePasses(daemon, daemon.run("a", { query: "hello again", session_id: "t" }));
  expect(again.status).toBe(200);
  const metrics = (await daemon.call("GET", "/metrics")).text;
  expect(metrics).toContain("platform_memory_failures_total");
  const search = await whileTimePasses(daemon, daemon.call("GET", "/v1/memory/a/semantic?query=hello"));
  expect(search.status).toBe(503);
  expect(search.body.error).toBe("vectors_unavailable");
});

test("an agent's page shows where its memories are without their passwords", async () => {
  const connection = { url: "postgres://ann:s3cret-word@127.0.0.1:9/memories" };
  await using daemon = await startDaemon({
    agents: {
      "a.agent.yaml": agentFile("a", {
        memory: {
          semantic: { backend: "pgvector", connection },
          episodic: { backend: "postgres", connection },
        },
      }),
    },
  });
  const { body, text } = await daemon.call("GET", "/v1/agents/a");
  expect(body.status).toBe("ready");
  expect(body.memory.semantic.connection).toEqual({ url: "postgres://[redacted]@127.0.0.1:9/memories" });
  expect(text).not.toContain("s3cret-word");
});

test("an agent without such memories opens no vectors", async () => {
  await using daemon = await startDaemon({ agents: { "a.agent.yaml": agentFile("a") } });
  await daemon.run("a", { query: "hello", session_id: "s" });
  const { body } = await daemon.call("GET", "/v1/traces/?limit=1");
  const names = body.traces[0].spans.map(({ name }: { name: string }) => name);
  expect(names.filter((name: string) => name.startsWith("memory."))).toEqual([]);
  expect(readdirSync(join(daemon.workspace, ".argosy"))).not.toContain("vectors");
});

test("a run that outlasts its agent leaves no memory for a later agent of that name", async () => {
  const answers = new Map<string, PromiseWithResolvers<void>>();
  const begun = new Map<string, PromiseWithResolvers<void>>();
  for (const word of ["kept", "failed"]) {
    answers.set(word, Promise.withResolvers());
    begun.set(word, Promise.withResolvers());
  }
  await using daemon = await startDaemon({
    models: {
      lab: ({ body }) => {
        const said = JSON.stringify(body.messages);
        const word = ["kept", "failed"].find((one) => said.includes(`a ${one} run`)) ?? "";
        begun.get(word)?.resolve();
        const after = answers.get(word)?.promise;
        if (word === "failed") return { status: 400, body: "{}", ...(after && { after }) };
        return { text: "Noted.", ...(after && { after }) };
      },
    },
  });
  const create = () => daemon.asOwner("POST", "/v1/agents", { body: agentFile("a", { memory }) });
  expect((await create()).status).toBe(201);
  const kept = daemon.run("a", { query: "a kept run", session_id: "s" });
  const failed = daemon.run("a", { query: "a failed run", session_id: "s" });
  await Promise.all([...begun.values()].map(({ promise }) => promise));
  expect((await daemon.asOwner("DELETE", "/v1/agents/a")).status).toBe(200);
  expect((await create()).status).toBe(201);
  for (const { resolve } of answers.values()) resolve();
  expect((await kept).status).toBe(200);
  expect((await failed).status).toBe(502);
  const texts = await daemon.call("GET", "/v1/memory/a/semantic/texts");
  expect(texts.body.texts).toEqual([]);
  expect((await daemon.call("GET", "/v1/memory/a/episodes")).body.episodes).toEqual([]);

  // The later agent's own runs are stored.
  await daemon.run("a", { query: "hello", session_id: "s" });
  expect((await daemon.call("GET", "/v1/memory/a/semantic/texts")).body.texts).toHaveLength(2);
  expect((await daemon.call("GET", "/v1/memory/a/episodes")).body.episodes).toHaveLength(1);
});
