import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const memory = { semantic: { backend: "memory" }, episodic: {} };

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({
    models: {
      lab: (request) => ({
        text: [`re ${String(request.body.messages.at(-1)?.content).split("\n").at(-1)}`],
      }),
    },
    agents: {
      "keeper.agent.yaml": agentFile("keeper", { memory }),
      "other.agent.yaml": agentFile("other", { memory }),
      "plain.agent.yaml": agentFile("plain"),
    },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const seen = () => String(daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content);

const search = async (agent: string, query: string, more = "") =>
  (await daemon.call("GET", `/v1/memory/${agent}/semantic?query=${encodeURIComponent(query)}${more}`)).body
    .results;

const textsOf = (results: { text: string }[]) => results.map(({ text }) => text);

test("what was said in one session is found by its words, and shown to the model in another", async () => {
  await daemon.run("keeper", {
    query: "the tortoise is called Momo",
    session_id: "a",
    context: { user_id: "ann" },
  });
  const [first, ...others] = await search("keeper", "what is the tortoise called");
  expect(first).toEqual({
    text: "the tortoise is called Momo",
    score: expect.any(Number),
    metadata: {
      id: expect.any(String),
      role: "user",
      session_id: "a",
      user: "ann",
      trace_id: expect.any(String),
      timestamp: "2026-01-01T00:00:00.000Z",
    },
    source: "a",
  });
  expect(textsOf(others)).toContain("re the tortoise is called Momo");
  await daemon.run("keeper", { query: "and the tortoise now", session_id: "b", context: { user_id: "ann" } });
  expect(seen()).toContain("(user) the tortoise is called Momo");
  await daemon.run("keeper", { query: "and the tortoise now", session_id: "c" });
  expect(seen()).not.toContain("Momo");
  expect(await search("other", "tortoise")).toEqual([]);
});

test("texts are added, searched with limits, listed in pages and forgotten", async () => {
  const ids: string[] = [];
  for (const [text, session_id, user] of [
    ["yellow submarine one", "sub", "bob"],
    ["yellow submarine two", "sub", undefined],
    ["yellow submarine three", undefined, "bob"],
    ["yellow submarine four", undefined, undefined],
  ]) {
    const body = { text, metadata: { source: "wiki" }, session_id, user };
    const added = await daemon.call("POST", "/v1/memory/other/semantic", { body });
    ids.push(added.body.id);
    expect(added).toMatchObject({ status: 201, body: { status: "stored", id: expect.any(String) } });
  }
  expect(await search("other", "yellow submarine", "&top_k=3")).toHaveLength(3);
  expect(await search("other", "a yellow bus", "&score_threshold=0.9")).toEqual([]);
  expect(await search("other", "yellow submarine", "&session_id=sub")).toHaveLength(2);
  expect(textsOf(await search("other", "yellow submarine", "&user=bob&session_id=sub"))).toEqual([
    "yellow submarine one",
  ]);
  expect((await search("other", "yellow submarine"))[0].source).toBe("wiki");

  const listed: string[] = [];
  let cursor = "";
  do {
    const { body } = await daemon.call("GET", `/v1/memory/other/semantic/texts?limit=3${cursor}`);
    listed.push(...textsOf(body.texts));
    cursor = body.next_cursor === undefined ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  expect(listed.sort()).toEqual(["four", "one", "three", "two"].map((word) => `yellow submarine ${word}`));

  const forget = async (path: string) =>
    (await daemon.call("DELETE", `/v1/memory/other/semantic${path}`)).body;
  expect(await forget(`/${ids[3]}`)).toEqual({ status: "forgotten", agent: "other", texts: 1 });
  expect(await forget(`?id=${ids[3]}`)).toMatchObject({ texts: 0 });
  expect(await forget("?user=bob&session_id=sub")).toMatchObject({ texts: 1 });
  expect(textsOf(await search("other", "yellow submarine")).sort()).toEqual([
    "yellow submarine three",
    "yellow submarine two",
  ]);
  expect(await forget("?all=true")).toMatchObject({ texts: 2 });
  expect(await search("other", "yellow submarine")).toEqual([]);
});

test("episodes of runs and of callers are listed by type, time and importance, and forgotten", async () => {
  await daemon.run("other", { query: "count the sheep", session_id: "farm" });
  const add = (body: object) => daemon.call("POST", "/v1/memory/other/episodes", { body });
  const sale = {
    event_type: "sale",
    summary: "Ten sheep sold",
    importance: 0.9,
    outcome: "paid",
    timestamp: "2025-12-31",
  };
  expect(await add({ ...sale, context: { sum: 10 } })).toMatchObject({
    status: 201,
    body: { ...sale, timestamp: "2025-12-31T00:00:00.000Z", context: { sum: 10 } },
  });
  await add({ event_type: "birth", summary: "A lamb", session_id: "farm", user: "bob" });
  const list = async (query: string) => {
    const { body } = await daemon.call("GET", `/v1/memory/other/episodes${query}`);
    return body.episodes.map(({ event_type }: { event_type: string }) => event_type);
  };
  expect(await list("")).toEqual(["birth", "run", "sale"]);
  expect(await list("?type=run")).toEqual(["run"]);
  expect(await list("?since=2026-01-01")).toEqual(["birth", "run"]);
  expect(await list("?until=2026-01-01")).toEqual(["sale"]);
  expect(await list("?min_importance=0.9")).toEqual(["sale"]);
  expect(await list("?session_id=farm")).toEqual(["birth", "run"]);
  const { body: page } = await daemon.call("GET", "/v1/memory/other/episodes?limit=2");
  const { body: rest } = await daemon.call(
    "GET",
    `/v1/memory/other/episodes?limit=2&cursor=${page.next_cursor}`,
  );
  expect([page.episodes.length, rest.episodes.length, rest.next_cursor]).toEqual([2, 1, undefined]);
  expect(page.episodes[1]).toMatchObject({
    summary: "Asked: count the sheep Answered: re count the sheep",
    outcome: "ok",
    importance: 0.3,
    context: { session_id: "farm", trace_id: expect.any(String) },
  });

  await daemon.run("other", { query: "and now?", session_id: "town" });
  expect(seen()).toContain("2025-12-31 sale (paid): Ten sheep sold");
  expect(seen()).toContain("2026-01-01 run (ok): Asked: count the sheep");
  expect(seen()).not.toContain("A lamb");
  expect((await daemon.call("DELETE", "/v1/memory/other/episodes?type=sale")).body).toEqual({
    status: "forgotten",
    agent: "other",
    episodes: 1,
  });
  expect(await list("?type=sale")).toEqual([]);
});

test("a session is forgotten in every memory", async () => {
  await daemon.run("keeper", { query: "the walrus sings", session_id: "sea" });
  await daemon.run("keeper", { query: "the walrus sleeps", session_id: "shore" });
  const { body } = await daemon.call("DELETE", "/v1/memory/keeper/sessions/sea");
  expect(body).toMatchObject({ agent: "keeper", session_id: "sea", messages: 2, texts: 2, episodes: 1 });
  expect(textsOf(await search("keeper", "walrus", "&score_threshold=0.3")).sort()).toEqual([
    "re the walrus sleeps",
    "the walrus sleeps",
  ]);
  expect((await daemon.call("GET", "/v1/memory/keeper/history/sea")).body.messages).toEqual([]);
  expect((await daemon.call("GET", "/v1/memory/keeper/episodes?session_id=sea")).body.episodes).toEqual([]);
});

test.each([
  ["DELETE", "/v1/memory/slow/sessions/gone"],
  ["DELETE", "/v1/memory/slow/history/gone"],
  ["DELETE", "/v1/memory/slow"],
] as const)("a run in progress stores nothing after %s %s", async (method, path) => {
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  await using slow = await startDaemon({
    models: {
      lab: () => {
        begin();
        return { text: ["late"], after: held };
      },
    },
    agents: { "slow.agent.yaml": agentFile("slow", { memory }) },
  });
  const running = slow.run("slow", { query: "the walrus sings", session_id: "gone" });
  await asked;
  await slow.clock.advance(5);
  expect((await slow.call(method, path)).status).toBe(200);
  answer();
  expect(await running).toMatchObject({ status: 200, body: { response: "late" } });
  expect((await slow.call("GET", "/v1/memory/slow/sessions")).body.sessions).toEqual([]);
  expect((await slow.call("GET", "/v1/memory/slow/episodes")).body.episodes).toEqual([]);
  expect((await slow.call("GET", "/v1/memory/slow/semantic/texts")).body.texts).toEqual([]);
  await slow.clock.advance(5);
  await slow.run("slow", { query: "again", session_id: "gone" });
  expect((await slow.call("GET", "/v1/memory/slow/history/gone")).body.messages).toHaveLength(2);
});

describe("an invalid request names its error", () => {
  test.each<[string, string, unknown, number, string]>([
    ["GET", "/v1/memory/nobody/semantic?query=x", undefined, 404, "agent_not_found"],
    ["GET", "/v1/memory/plain/semantic?query=x", undefined, 404, "no_semantic_memory"],
    ["GET", "/v1/memory/plain/episodes", undefined, 404, "no_episodic_memory"],
    ["GET", "/v1/memory/keeper/semantic", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/semantic?query=", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/semantic?query=x&top_k=-1", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/semantic?query=x&top_k=1.5", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/semantic?query=x&score_threshold=2", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/semantic/texts?cursor=%22", undefined, 400, "invalid_request"],
    ["POST", "/v1/memory/keeper/semantic", { text: " \n " }, 400, "invalid_request"],
    [
      "POST",
      "/v1/memory/keeper/semantic",
      { text: "x", metadata: { argosy_id: "y" } },
      400,
      "invalid_request",
    ],
    ["POST", "/v1/memory/keeper/semantic", { text: "x".repeat(50_001) }, 400, "invalid_request"],
    ["POST", "/v1/memory/keeper/semantic", { text: "x", user: "" }, 400, "invalid_request"],
    ["POST", "/v1/memory/keeper/semantic", { text: "x", colour: "red" }, 400, "invalid_request"],
    ["DELETE", "/v1/memory/keeper/semantic", undefined, 400, "invalid_request"],
    ["DELETE", "/v1/memory/keeper/semantic?all=true&user=x", undefined, 400, "invalid_request"],
    ["DELETE", "/v1/memory/keeper/semantic?all=yes", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/episodes?since=yesterday", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/episodes?min_importance=-1", undefined, 400, "invalid_request"],
    ["GET", "/v1/memory/keeper/episodes?cursor=W10", undefined, 400, "invalid_request"],
    ["POST", "/v1/memory/keeper/episodes", { event_type: "x" }, 400, "invalid_request"],
    [
      "POST",
      "/v1/memory/keeper/episodes",
      { event_type: "x", summary: "y", importance: 2 },
      400,
      "invalid_request",
    ],
    [
      "POST",
      "/v1/memory/keeper/episodes",
      { event_type: "x", summary: "y", timestamp: "now" },
      400,
      "invalid_request",
    ],
    [
      "POST",
      "/v1/memory/keeper/episodes",
      { event_type: "x", summary: "y", context: { big: "x".repeat(17_000) } },
      400,
      "invalid_request",
    ],
    ["DELETE", "/v1/memory/keeper/episodes", undefined, 400, "invalid_request"],
  ])("%s %s %j", async (method, path, body, status, error) => {
    const answer = await daemon.call(method, path, body === undefined ? {} : { body });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
    expect(answer.body.message.length).toBeGreaterThan(10);
  });
});

describe("a manifest that can't be honoured is refused at its key", () => {
  test.each<[string, object, string]>([
    ["embedder", { semantic: { embedder: "word2vec" } }, "spec.memory.semantic.embedder"],
    [
      "a provider without its files",
      { semantic: { embedder: "sentence_transformer" } },
      "spec.memory.semantic.embedder",
    ],
    ["backend", { semantic: { backend: "faiss" } }, "spec.memory.semantic.backend"],
    ["a backend without its address", { semantic: { backend: "qdrant" } }, "spec.memory.semantic"],
    [
      "episodes on postgres without one",
      { episodic: { backend: "postgres" } },
      "spec.memory.episodic.backend",
    ],
    [
      "an address for sqlite",
      { episodic: { backend: "sqlite", connection: { url: "sqlite://x.db" } } },
      "spec.memory.episodic.connection",
    ],
  ])("%s", async (_name, asked, path) => {
    const body = JSON.parse(agentFile("asked", { memory: asked }));
    const { status, body: answer } = await daemon.call("POST", "/v1/agents/validate", { body });
    expect(status).toBe(200);
    expect(answer.valid).toBe(false);
    expect(answer.problems[0].path).toStartWith(path);
  });
});

test("an agent that is deleted is forgotten, and one of its name starts empty", async () => {
  const manifest = JSON.parse(agentFile("passing", { memory }));
  expect((await daemon.call("POST", "/v1/agents", { body: manifest })).status).toBe(201);
  await daemon.run("passing", { query: "the comet returns", session_id: "sky" });
  expect(await search("passing", "comet")).toHaveLength(2);
  expect((await daemon.call("DELETE", "/v1/agents/passing")).status).toBeLessThan(300);
  expect((await daemon.call("POST", "/v1/agents", { body: manifest })).status).toBe(201);
  expect(await search("passing", "comet")).toEqual([]);
  expect((await daemon.call("GET", "/v1/memory/passing/episodes")).body.episodes).toEqual([]);
});

test("what was said outlives the process", async () => {
  using folder = temporaryFolder();
  const options = {
    workspace: folder.path,
    agents: { "keeper.agent.yaml": agentFile("keeper", { memory: { semantic: {}, episodic: {} } }) },
  };
  {
    await using before = await startDaemon(options);
    await before.run("keeper", { query: "the otter lives in the river", session_id: "a" });
  }
  await using after = await startDaemon(options);
  const { body } = await after.call("GET", "/v1/memory/keeper/semantic?query=where+does+the+otter+live");
  expect(textsOf(body.results)).toContain("the otter lives in the river");
  expect((await after.call("GET", "/v1/memory/keeper/episodes")).body.episodes).toHaveLength(1);
});
