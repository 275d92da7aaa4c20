import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  const memory = { semantic: { backend: "memory" }, episodic: {} };
  daemon = await startDaemon({ agents: { "helper.agent.yaml": agentFile("helper", { memory }) } });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const client = () => daemonClient({ fetch, baseUrl: daemon.url });

describe("remembering over the client", () => {
  test("texts are added, listed by page, found, and forgotten by id, user or all", async () => {
    const added = await client().addMemory("helper", { text: "Ann prefers tea.", user: "ann" });
    await client().addMemory("helper", { text: "Bob prefers coffee.", user: "bob/ö" });
    const first = await client().listMemory("helper", { limit: 1 });
    const rest = await client().listMemory("helper", { limit: 1, cursor: first.next_cursor ?? "" });
    expect([...first.texts, ...rest.texts].map(({ text }) => text).sort()).toEqual([
      "Ann prefers tea.",
      "Bob prefers coffee.",
    ]);
    const { results } = await client().searchMemory("helper", { query: "tea", user: "ann", top_k: 1 });
    expect(results).toMatchObject([{ text: "Ann prefers tea." }]);
    expect(await client().forgetMemory("helper", { user: "bob/ö" })).toMatchObject({ texts: 1 });
    expect(await client().forgetMemory("helper", { id: added.id })).toMatchObject({ texts: 1 });
    expect(await client().forgetMemory("helper", { all: true })).toMatchObject({ texts: 0 });
  });

  test("episodes are recorded, listed by type, and forgotten", async () => {
    const call = await client().addEpisode("helper", { event_type: "call", summary: "Ann called." });
    await client().addEpisode("helper", { event_type: "visit", summary: "Ann came." });
    const { episodes } = await client().listEpisodes("helper", { type: "call" });
    expect(episodes).toMatchObject([{ id: call.id, summary: "Ann called." }]);
    expect(await client().forgetEpisodes("helper", { id: call.id })).toMatchObject({ episodes: 1 });
    expect(await client().forgetEpisodes("helper", { all: true })).toMatchObject({ episodes: 1 });
  });

  test("a session is forgotten in every memory", async () => {
    await client().run("helper", { query: "My code is 4711.", session_id: "a b" });
    const gone = await client().forgetSession("helper", "a b");
    expect(gone).toMatchObject({ session_id: "a b", messages: 2, episodes: 1 });
  });
});

test("a file is read by a job when it is asked for", async () => {
  const bytes = new TextEncoder().encode("Green tea wants 80 degrees.");
  const upload = { bytes, contentType: "text/plain" };
  const { job_id, status } = await client().startPutDocument("teas", "green.txt", upload);
  expect(status).toBe("queued");
  expect(await client().getRagJob(job_id)).toMatchObject({ collection: "teas", documents_total: 1 });
  expect(await client().putDocument("teas", "black.txt", upload)).toMatchObject({ status: "created" });
});

test("tools say what they take when it is asked for", async () => {
  const tools = [{ name: "datetime_now", type: "builtin" }];
  await using clock = await startDaemon({ agents: { "clock.agent.yaml": agentFile("clock", { tools }) } });
  const asked = daemonClient({ fetch, baseUrl: clock.url });
  const parameters = { type: "object", properties: { timezone: { type: "string" } } };
  expect((await asked.listTools({ parameters: true })).tools).toMatchObject([{ parameters }]);
  expect((await asked.listTools()).tools[0]).not.toHaveProperty("parameters");
});
