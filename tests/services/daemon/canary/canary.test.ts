import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const canary = { percent: 50, min_runs: 20, min_minutes: 0 };
const prompted = (system: string, spec: object = {}) =>
  agentFile("one", { prompts: { system }, a2a: { enabled: true }, release: { canary }, ...spec });

/** A model that fails for a prompt with the word "broken" in it. */
const models = {
  lab: ({ body }: { body: { messages: { content: unknown }[] } }) =>
    String(body.messages[0]?.content).includes("broken") ? { status: 400, body: "{}" } : { text: "Hello." },
};

const start = (file: string, workspace?: string) =>
  startDaemon({
    agents: { "one.agent.yaml": file },
    models,
    ownersToken: true,
    ...(workspace !== undefined && { workspace }),
  });

/** Reads changed files: a check waits until all have been judged. */
const look = (daemon: TestDaemon) =>
  daemon.call("POST", "/v1/agents/validate", {
    body: agentFile("other"),
    headers: { "content-type": "application/json" },
  });

async function change(daemon: TestDaemon, file: string): Promise<void> {
  daemon.writeAgent("one.agent.yaml", file);
  await look(daemon);
}

/** System prompt that answered a session. */
async function ask(daemon: TestDaemon, session: string): Promise<unknown> {
  await daemon.run("one", { query: "hi", session_id: session });
  return daemon.models.lab.requests.at(-1)?.body.messages[0]?.content;
}

const canaryOf = async (daemon: TestDaemon) => (await daemon.call("GET", "/v1/agents/one/canary")).body;

/** Asks sessions until the canary has ended; returns the number of runs. */
async function askUntilEnd(daemon: TestDaemon): Promise<number> {
  for (let number = 1; number <= 200; number++) {
    await ask(daemon, `session-${number}`);
    if ((await canaryOf(daemon)).state !== "open") return number;
  }
  throw new Error("The canary is still open after 200 runs.");
}

test("a canary answers its share of sessions on every surface, each session always by the same version", async () => {
  await using daemon = await start(prompted("Old."));
  await change(daemon, prompted("New."));
  const first = new Map<string, unknown>();
  for (let number = 0; number < 16; number++) first.set(`s${number}`, await ask(daemon, `s${number}`));
  expect(new Set(first.values())).toEqual(new Set(["Old.", "New."]));
  for (const [session, prompt] of first) expect(await ask(daemon, session)).toBe(prompt);

  const [newcomer] = [...first].find(([, prompt]) => prompt === "New.") ?? [""];
  const promptsAfter = async (send: () => Promise<unknown>) => {
    await send();
    return daemon.models.lab.requests.at(-1)?.body.messages[0]?.content;
  };
  expect(
    await promptsAfter(() =>
      daemon.call("POST", "/v1/agents/one/run", {
        body: { query: "hi", session_id: newcomer },
        headers: { accept: "text/event-stream" },
      }),
    ),
  ).toBe("New.");
  expect(
    await promptsAfter(() =>
      daemon.call("POST", "/v1/chat/completions", {
        body: { model: "agent/one", user: newcomer, messages: [{ role: "user", content: "hi" }] },
      }),
    ),
  ).toBe("New.");
  const message = {
    kind: "message",
    role: "user",
    messageId: "m1",
    contextId: newcomer,
    parts: [{ kind: "text", text: "hi" }],
  };
  const send = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } };
  expect(await promptsAfter(() => daemon.call("POST", "/a2a/one", { body: send }))).toBe("New.");
  // A named version answers whatever the session.
  const { fingerprint } = (await daemon.call("GET", "/v1/agents/one")).body;
  expect(
    await promptsAfter(() =>
      daemon.run("one", { query: "hi", session_id: newcomer, override: { version: fingerprint } }),
    ),
  ).toBe("Old.");
});

test("a version that names no canary begins with the share that it inherits, and the record says so", async () => {
  await using daemon = await start(prompted("Old."));
  await change(daemon, prompted("New.", { release: { requires: [] } }));
  expect(await canaryOf(daemon)).toMatchObject({ state: "open", percent: 50 });
  const records = readFileSync(join(daemon.config.dataFolder, "releases/one.jsonl"), "utf8");
  expect(records).toMatch(/"event":"canary_started".*"percent":50/);
});

test("a canary that is worse returns, stays out after a restart, and says why", async () => {
  using folder = temporaryFolder();
  {
    await using daemon = await start(prompted("Old."), folder.path);
    await change(daemon, prompted("This is broken."));
    await askUntilEnd(daemon);
    const ended = await canaryOf(daemon);
    expect(ended).toMatchObject({
      state: "returned",
      figures: { baseline: { errors: 0 } },
      events: [{ event: "started" }, { event: "returned", reasons: [expect.stringContaining("runs fail")] }],
    });
    expect(ended.figures.canary.errors).toBe(ended.figures.canary.runs);
    for (let number = 0; number < 8; number++) expect(await ask(daemon, `later-${number}`)).toBe("Old.");
    const { error, candidate } = (await daemon.call("GET", "/v1/agents/one")).body;
    expect([error, candidate.reasons[0]]).toEqual([
      expect.stringContaining("its canary returned"),
      expect.stringContaining("100 % of runs fail"),
    ]);
    const metrics = (await daemon.call("GET", "/metrics")).text;
    expect(metrics).toContain('platform_canary_ends_total{agent_name="one",outcome="returned"} 1');
    expect(metrics).toMatch(
      /platform_canary_runs_total\{agent_name="one",version="canary",status="error"\} \d+/,
    );
    const records = readFileSync(join(daemon.config.dataFolder, "releases/one.jsonl"), "utf8");
    expect(records).toContain('"event":"canary_returned"');
    await daemon.stop();
  }
  await using daemon = await start(prompted("This is broken."), folder.path);
  for (let number = 0; number < 8; number++) expect(await ask(daemon, `again-${number}`)).toBe("Old.");
});

test("a canary that holds is promoted, and the way back takes no time", async () => {
  await using daemon = await start(prompted("Old."));
  await change(daemon, prompted("New."));
  expect(await askUntilEnd(daemon)).toBeGreaterThanOrEqual(40);
  expect(await canaryOf(daemon)).toMatchObject({ state: "promoted" });
  for (let number = 0; number < 8; number++) expect(await ask(daemon, `later-${number}`)).toBe("New.");
  await change(daemon, prompted("Old."));
  for (let number = 0; number < 8; number++) expect(await ask(daemon, `back-${number}`)).toBe("Old.");
});

test("a restart keeps the canary, its sessions and its figures", async () => {
  using folder = temporaryFolder();
  const sessions = Array.from({ length: 12 }, (_, number) => `s${number}`);
  const prompts: unknown[] = [];
  {
    await using daemon = await start(prompted("Old."), folder.path);
    await change(daemon, prompted("New."));
    for (const session of sessions) prompts.push(await ask(daemon, session));
    await daemon.stop();
  }
  expect(new Set(prompts).size).toBe(2);
  await using daemon = await start(prompted("New."), folder.path);
  expect(await canaryOf(daemon)).toMatchObject({ state: "open" });
  const again: unknown[] = [];
  for (const session of sessions) again.push(await ask(daemon, session));
  expect(again).toEqual(prompts);
  const { figures } = await canaryOf(daemon);
  expect(figures.canary.runs + figures.baseline.runs).toBe(24);
});

test("a third version replaces the canary, and the version in service continues beside it", async () => {
  await using daemon = await start(prompted("Old."));
  await change(daemon, prompted("New."));
  const { fingerprint } = await canaryOf(daemon);
  await change(daemon, prompted("Newest."));
  const second = await canaryOf(daemon);
  expect(second).toMatchObject({ state: "open", events: [{ event: "started" }] });
  expect(second.fingerprint).not.toBe(fingerprint);
  const prompts = new Set<unknown>();
  for (let number = 0; number < 16; number++) prompts.add(await ask(daemon, `s${number}`));
  expect(prompts).toEqual(new Set(["Old.", "Newest."]));
  // The text of the version in service withdraws the canary.
  await change(daemon, prompted("Old."));
  expect(await canaryOf(daemon)).toMatchObject({ state: "withdrawn" });
});

test("a conversation continues after the return of the version that began it", async () => {
  const memory = { memory: { conversational: {} } };
  await using daemon = await start(prompted("Old.", memory));
  await change(daemon, prompted("New.", memory));
  let session = "";
  for (let number = 0; session === "" && number < 64; number++)
    if ((await ask(daemon, `s${number}`)) === "New.") session = `s${number}`;
  const body = { verdict: "return", reason: "A customer complained." };
  expect((await daemon.call("POST", "/v1/agents/one/canary", { body })).body).toMatchObject({
    state: "returned",
    events: [{ event: "started" }, { event: "returned", by: "owner", reasons: [body.reason] }],
  });
  expect(await ask(daemon, session)).toBe("Old.");
  const roles = daemon.models.lab.requests.at(-1)?.body.messages.map(({ role }) => role);
  expect(roles).toEqual(["system", "user", "assistant", "user"]);
});

test("another than the owner is 403 for a canary, and without an open one the owner is 404", async () => {
  await using daemon = await start(prompted("Old."));
  const headers = { authorization: "" };
  expect(await daemon.call("GET", "/v1/agents/one/canary", { headers })).toMatchObject({ status: 403 });
  expect(await daemon.call("GET", "/v1/agents/one/canary")).toMatchObject({
    status: 404,
    body: { error: "no_canary" },
  });
  const body = { verdict: "promote", reason: "x" };
  expect(await daemon.call("POST", "/v1/agents/one/canary", { body })).toMatchObject({ status: 404 });
  expect(await daemon.call("POST", "/v1/agents/none/canary", { body })).toMatchObject({
    body: { error: "agent_not_found" },
  });
});

test("a run that waits for a person resumes on the version it began with, after a return and after a promotion", async () => {
  const tools = [{ name: "cache_store", type: "builtin", requires_approval: true }];
  const call = { name: "cache_store", arguments: { action: "set", key: "k", value: "v" } };
  for (const [verdict, began] of [
    ["return", "New."],
    ["promote", "Old."],
  ] as const) {
    await using daemon = await startDaemon({
      agents: { "one.agent.yaml": prompted("Old.", { tools }) },
      models: {
        lab: ({ body }) =>
          body.messages.some(({ role }) => role === "tool") ? { text: "Done." } : { toolCalls: [call] },
      },
      ownersToken: true,
    });
    await change(daemon, prompted("New.", { tools }));
    let id = "";
    for (let number = 0; id === "" && number < 64; number++) {
      const { status, body } = await daemon.run("one", { query: "hi", session_id: `s${number}` });
      expect(status).toBe(202);
      if (daemon.models.lab.requests.at(-1)?.body.messages[0]?.content === began) id = body.approval_id;
    }
    const end = await daemon.call("POST", "/v1/agents/one/canary", { body: { verdict, reason: "A test." } });
    expect(end.status).toBe(200);
    // Runs that wait are not runs that ended.
    expect(end.body.figures).toMatchObject({ canary: { runs: 0 }, baseline: { runs: 0 } });
    const approved = await daemon.call("POST", `/v1/approvals/${id}/approve`, { body: {} });
    expect([approved.status, approved.body.response]).toEqual([200, "Done."]);
    expect(daemon.models.lab.requests.at(-1)?.body.messages[0]?.content).toBe(began);
  }
});
