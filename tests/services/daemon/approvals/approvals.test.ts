import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StreamFrame } from "../../../../src/contracts/daemon/runs/run.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { readSse } from "../../../../src/kit/fetch/sse.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import type { ApprovalRow } from "../../../../src/services/daemon/paused-runs/schema.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { openStorage } from "../../../../src/storage/open-storage.ts";
import { openSocket } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import type { ModelScript, ModelStep } from "../../../support/model-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const notes = { name: "cache_store", type: "builtin", requires_approval: true };
const keeper = (more: Record<string, unknown> = {}) => ({
  "keeper.agent.yaml": agentFile("keeper", { tools: [notes], ...more }),
});

const keep = (key: string, text = ""): ModelStep => ({
  text,
  toolCalls: [
    { id: `call-${key}`, name: "cache_store", arguments: { action: "set", key, value: "opal-kestrel" } },
  ],
});

/** Asks to keep each of the keys, one per turn, and then repeats the last result. */
const keeps =
  (...keys: string[]): ModelScript =>
  ({ body }, _number) => {
    const results = body.messages.filter(({ role }) => role === "tool");
    const key = keys[results.length];
    if (key !== undefined) return keep(key, "Keeping it. ");
    return { text: ["Last", " result:", ` ${String(results.at(-1)?.content)}`] };
  };

const pause = async (daemon: TestDaemon, body: Record<string, unknown> = {}) => {
  const answer = await daemon.run("keeper", { query: "Keep it.", session_id: "s", ...body });
  expect(answer.status).toBe(202);
  return answer.body.approval_id as string;
};

const decide = (daemon: TestDaemon, id: string, verdict: "approve" | "reject", body: object = {}) =>
  daemon.call("POST", `/v1/approvals/${id}/${verdict}`, { body });

const kept = async (daemon: TestDaemon, key: string) => {
  const body = {
    tool: "cache_store",
    session_id: "s",
    input: { action: "get", key },
  };
  return (await daemon.call("POST", "/v1/tools/execute", { body })).body.output.data?.found;
};

/** Returns the frames of a decision's stream. */
async function framesOf(response: Response): Promise<StreamFrame[]> {
  if (response.body === null) throw new Error("no stream");
  const frames: StreamFrame[] = [];
  for await (const batch of readSse(response.body)) {
    for (const data of batch) frames.push(JSON.parse(data));
  }
  return frames;
}

const tokensIn = (frames: readonly StreamFrame[]) =>
  frames.map((frame) => (frame.type === "token" ? frame.content : "")).join("");

test("a run answers 202, is listed, and continues when it is approved", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") } });
  const paused = await daemon.run("keeper", { query: "Keep it.", session_id: "s" });
  const id = paused.body.approval_id;
  expect([paused.status, paused.body]).toEqual([
    202,
    {
      status: "awaiting_approval",
      approval_id: id,
      session_id: "s",
      agent: "keeper",
      tool: "cache_store",
      expires_at: "2026-01-02T00:00:00.000Z",
    },
  ]);
  expect(await kept(daemon, "door")).toBe(false);
  const listed = (await daemon.call("GET", "/v1/approvals?status=pending&agent=keeper")).body;
  expect(listed.approvals).toEqual([
    {
      id,
      agent: "keeper",
      session_id: "s",
      tool: "cache_store",
      input: { action: "set", key: "door", value: "opal-kestrel" },
      status: "pending",
      created_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-02T00:00:00.000Z",
    },
  ]);
  const history = () => daemon.call("GET", "/v1/memory/keeper/history/s");
  expect((await history()).body.messages).toEqual([]);

  const { status, body } = await decide(daemon, id, "approve", { comment: "fine" });
  expect([status, body.agent, body.session_id]).toEqual([200, "keeper", "s"]);
  expect(body.response).toContain('"stored":true');
  expect(body.usage).toEqual({ input_tokens: 20, output_tokens: 10, total_tokens: 30 });
  expect(await kept(daemon, "door")).toBe(true);
  expect((await history()).body.messages).toHaveLength(2);
  const shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  expect(shown).toMatchObject({ status: "approved", comment: "fine", result: { response: body.response } });
  expect(shown.decided_at).toBe("2026-01-01T00:00:00.000Z");
  // Each model call was charged once.
  const { body: costs } = await daemon.call("GET", "/v1/costs/summary");
  expect(costs.num_calls).toBe(2);
  expect(daemon.models.lab.requests).toHaveLength(2);
  const metrics = (await daemon.call("GET", "/metrics")).text;
  expect(metrics).toContain('status="awaiting_approval"} 1');
  expect(metrics).toContain('platform_tokens_used_total{agent_name="keeper",direction="input"} 20');
});

test("the model reads a rejection with its comment, and a second decision is 409", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") } });
  const id = await pause(daemon);
  const { status, body } = await decide(daemon, id, "reject", { comment: "not on Fridays" });
  expect(status).toBe(200);
  expect(body.response).toContain("not on Fridays");
  expect(await kept(daemon, "door")).toBe(false);
  for (const verdict of ["approve", "reject"] as const) {
    const again = await decide(daemon, id, verdict);
    expect([again.status, again.body.error]).toEqual([409, "approval_decided"]);
  }
});

test("a run that comes to another call answers 202 again", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("one", "two") } });
  const first = await pause(daemon);
  const second = await decide(daemon, first, "approve");
  expect([second.status, second.body.status]).toEqual([202, "awaiting_approval"]);
  expect([await kept(daemon, "one"), await kept(daemon, "two")]).toEqual([true, false]);
  const shown = (await daemon.call("GET", `/v1/approvals/${first}`)).body;
  expect(shown).toMatchObject({ status: "approved", next_approval_id: second.body.approval_id });
  const last = await decide(daemon, second.body.approval_id, "approve");
  expect([last.status, await kept(daemon, "two")]).toEqual([200, true]);
  expect(last.body.usage.total_tokens).toBe(45);
  expect(daemon.models.lab.requests).toHaveLength(3);
});

test("of fifty decisions at once one is carried out", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") } });
  const id = await pause(daemon);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => decide(daemon, id, index % 5 === 0 ? "reject" : "approve")),
  );
  const codes = answers.map(({ status, body }) => (status === 200 ? "done" : `${status} ${body.error}`));
  expect(
    Object.fromEntries(
      Map.groupBy(codes, (code) => code)
        .entries()
        .map(([code, all]) => [code, all.length]),
    ),
  ).toEqual({
    done: 1,
    "409 approval_decided": 49,
  });
  expect(daemon.models.lab.requests).toHaveLength(2);
});

test("a stream says what it waits for, and the tokens of both streams joined are the answer", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") } });
  const sse = { accept: "text/event-stream" };
  const run = await fetch(`${daemon.url}/v1/agents/keeper/run`, {
    method: "POST",
    headers: sse,
    body: JSON.stringify({ query: "Keep it." }),
  });
  const before = await framesOf(run);
  const last = before.at(-1);
  expect(before.map(({ type }) => type).filter((type) => type !== "token")).toEqual([
    "tool_call",
    "approval_required",
  ]);
  if (last?.type !== "approval_required") throw new Error("not paused");
  expect(last).toMatchObject({ agent: "keeper", tool: "cache_store", session_id: expect.any(String) });
  const decided = await fetch(`${daemon.url}/v1/approvals/${last.approval_id}/approve`, {
    method: "POST",
    headers: sse,
    body: "{}",
  });
  expect(decided.headers.get("content-type")).toBe("text/event-stream");
  const after = await framesOf(decided);
  expect(after[0]?.type).toBe("tool_result");
  const done = after.at(-1);
  if (done?.type !== "done") throw new Error("not done");
  expect(tokensIn(before) + tokensIn(after)).toBe(done.response);
  expect(tokensIn(before)).toContain("Keeping it.");
});

test("a socket sends the question too and takes the next query, also when no text came before", async () => {
  const script: ModelScript = ({ body }) =>
    body.messages.at(-1)?.content === "plain" ? { text: "Plain." } : keep("door");
  const guarded = keeper({
    guardrails: { output: [{ type: "content_filter", action: "block", keywords: ["zzz"] }] },
  });
  await using daemon = await startDaemon({ agents: guarded, models: { lab: script } });
  const socket = await openSocket(daemon.url, "keeper");
  socket.send({ query: "Keep it." });
  const types: string[] = [];
  for (let frame = await socket.next(); frame; frame = await socket.next()) {
    types.push(frame.type);
    if (frame.type === "approval_required") break;
  }
  expect(types.at(-1)).toBe("approval_required");
  socket.send({ query: "plain" });
  expect((await socket.answer()).at(-1)).toMatchObject({ type: "done", response: "Plain." });
  socket.leave();
});

test("a paused run survives a restart, and the database contains none of it in plain text", async () => {
  using folder = temporaryFolder();
  let id = "";
  {
    await using daemon = await startDaemon({
      agents: keeper(),
      models: { lab: keeps("door") },
      workspace: folder.path,
    });
    id = await pause(daemon, { query: "the heron flies", context: { hint: "marmot-nest" } });
  }
  const data = join(folder.path, ".argosy");
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const databases = files.filter(({ name }) => /\.(db|sqlite)/.test(name) || name.includes("daemon"));
  expect(databases.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) {
    const text = readFileSync(join(parentPath, name), "latin1");
    for (const secret of ["opal-kestrel", "heron flies", "marmot-nest"]) {
      expect(`${name}: ${text.includes(secret)}`).toBe(`${name}: false`);
    }
  }
  await using daemon = await startDaemon({
    agents: keeper(),
    models: { lab: keeps("door") },
    workspace: folder.path,
  });
  const { status, body } = await decide(daemon, id, "approve");
  expect([status, await kept(daemon, "door")]).toEqual([200, true]);
  expect(body.response).toContain("stored");
  // The first daemon's model call is not repeated.
  expect(daemon.models.lab.requests).toHaveLength(1);
  expect(body.usage.total_tokens).toBe(30);
});

test("a run whose agent has changed can be rejected; approving it is 409", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") } });
  const id = await pause(daemon);
  daemon.writeAgent(
    "keeper.agent.yaml",
    agentFile("keeper", { tools: [notes], identity: { description: "New." } }),
  );
  await daemon.clock.advance(2000);
  for (let tries = 0; tries < 50; tries++) {
    await settle();
    if ((await daemon.call("GET", "/v1/agents/keeper")).body.description === "New.") break;
    await daemon.clock.advance(1000);
  }
  const refused = await decide(daemon, id, "approve");
  expect([refused.status, refused.body.error]).toEqual([409, "agent_changed"]);
  const closed = await decide(daemon, id, "reject", { comment: "old" });
  expect([closed.status, closed.body.status]).toEqual([200, "rejected"]);
  expect((await daemon.call("GET", `/v1/approvals/${id}`)).body).toMatchObject({
    status: "rejected",
    comment: "old",
  });
  expect(daemon.models.lab.requests).toHaveLength(1);
});

/** Changes the approval while no daemon runs on the folder. */
async function change(folder: string, values: Partial<ApprovalRow>): Promise<void> {
  const storage = await openStorage({
    service: "daemon",
    tables,
    migrations,
    folder: join(folder, ".argosy"),
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  await storage.transact((tx) => tx.update(storage.tables.approvals).set(values));
  await storage.close();
}

const pausedIn = async (workspace: string) => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") }, workspace });
  return await pause(daemon);
};

test("an approval expires at its time, and a decision from that instant is 409", async () => {
  using folder = temporaryFolder();
  const id = await pausedIn(folder.path);
  await change(folder.path, { expiresAt: new Date("2026-01-01T00:00:00.000Z") });
  await using daemon = await startDaemon({
    agents: keeper(),
    models: { lab: keeps("door") },
    workspace: folder.path,
  });
  for (const verdict of ["approve", "reject"] as const) {
    const late = await decide(daemon, id, verdict);
    expect([late.status, late.body.error]).toEqual([409, "approval_expired"]);
  }
  let shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  expect(shown.status).toBe("pending");
  for (let round = 0; round < 100 && shown.status === "pending"; round++) {
    await daemon.clock.advance(31_000);
    shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  }
  expect(shown.status).toBe("expired");
  expect((await decide(daemon, id, "approve")).body.error).toBe("approval_expired");
  expect(daemon.models.lab.requests).toHaveLength(0);
});

test("a daemon that was killed after the decision carries nothing out again", async () => {
  using folder = temporaryFolder();
  const id = await pausedIn(folder.path);
  const now = new Date("2026-01-01T00:00:00.000Z");
  const heldUntil = new Date(now.getTime() + 120_000);
  await change(folder.path, { status: "approved", owner: "dead", decidedAt: now, heldUntil });
  await using daemon = await startDaemon({
    agents: keeper(),
    models: { lab: keeps("door") },
    workspace: folder.path,
  });
  const shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  expect(shown).toMatchObject({ status: "failed", error: { code: "run_abandoned" } });
  expect((await decide(daemon, id, "approve")).body.error).toBe("approval_decided");
  expect(await kept(daemon, "door")).toBe(false);
});

test("a stop in the middle of a resumed run is reported afterwards, and no call is repeated", async () => {
  using folder = temporaryFolder();
  const script: ModelScript = ({ body }) =>
    body.messages.some(({ role }) => role === "tool")
      ? { text: "never", after: new Promise(() => {}) }
      : keep("door");
  let id = "";
  {
    await using daemon = await startDaemon({
      agents: keeper(),
      models: { lab: script },
      workspace: folder.path,
    });
    id = await pause(daemon);
    void decide(daemon, id, "approve").catch(() => undefined);
    while (daemon.models.lab.requests.length < 2) await settle();
  }
  await using daemon = await startDaemon({
    agents: keeper(),
    models: { lab: script },
    workspace: folder.path,
  });
  const shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  expect(shown).toMatchObject({ status: "failed", error: { code: "run_cancelled" } });
  expect((await decide(daemon, id, "approve")).body.error).toBe("approval_decided");
  expect(daemon.models.lab.requests).toHaveLength(0);
});

test("a run whose state can't be decrypted is 500, has no effect, and keeps waiting", async () => {
  using folder = temporaryFolder();
  const id = await pausedIn(folder.path);
  await change(folder.path, { run: "v1.none.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA" });
  await using daemon = await startDaemon({
    agents: keeper(),
    models: { lab: keeps("door") },
    workspace: folder.path,
  });
  const failed = await decide(daemon, id, "approve");
  expect([failed.status, failed.body.error]).toEqual([500, "seal_unknown_key"]);
  expect((await daemon.call("GET", `/v1/approvals/${id}`)).body.status).toBe("pending");
});

test("a deleted agent takes its approvals with it", async () => {
  await using daemon = await startDaemon({ agents: {}, models: { lab: keeps("door") } });
  const body = keeper()["keeper.agent.yaml"];
  expect((await daemon.call("POST", "/v1/agents", { body })).status).toBe(201);
  const id = await pause(daemon);
  await daemon.call("DELETE", "/v1/agents/keeper");
  expect((await decide(daemon, id, "approve")).body.error).toBe("approval_not_found");
  expect((await daemon.call("GET", "/v1/approvals")).body.approvals).toEqual([]);
});

test("a resumed run ends although the client that decided has left", async () => {
  const gate = Promise.withResolvers<void>();
  const script: ModelScript = ({ body }) =>
    body.messages.every(({ role }) => role !== "tool")
      ? keep("door")
      : { text: "All done.", after: gate.promise };
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: script } });
  const id = await pause(daemon);
  const leaving = new AbortController();
  const left = daemon
    .call("POST", `/v1/approvals/${id}/approve`, { body: {}, signal: leaving.signal })
    .catch(() => "left");
  while (daemon.models.lab.requests.length < 2) await settle();
  leaving.abort();
  expect(await left).toBe("left");
  gate.resolve();
  let shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  while (shown.result === undefined) shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  expect(shown).toMatchObject({ status: "approved", result: { response: "All done." } });
});

test("a run that fails after the decision is 500 or more, and its call is not repeated", async () => {
  const script: ModelScript = ({ body }) =>
    body.messages.some(({ role }) => role === "tool") ? { status: 400, body: "{}" } : keep("door");
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: script } });
  const id = await pause(daemon);
  const failed = await decide(daemon, id, "approve");
  expect(failed.status).toBeGreaterThanOrEqual(500);
  const shown = (await daemon.call("GET", `/v1/approvals/${id}`)).body;
  expect(shown).toMatchObject({ status: "failed", error: { code: failed.body.error } });
  expect((await decide(daemon, id, "approve")).body.error).toBe("approval_decided");
});

test("a run that needs an approval is 409 at surfaces that can't wait, and 422 with a cassette", async () => {
  await using daemon = await startDaemon({ agents: keeper(), models: { lab: keeps("door") } });
  const completion = await daemon.call("POST", "/v1/chat/completions", {
    body: { model: "agent/keeper", user: "s", messages: [{ role: "user", content: "Keep it." }] },
  });
  expect([completion.status, completion.body.error.code]).toEqual([409, "approval_required"]);
  expect(completion.body.error.message).toContain("/v1/approvals/");
  const recorded = await daemon.run("keeper", { query: "Keep it.", record: true });
  expect([recorded.status, recorded.body.error]).toEqual([422, "run_not_recordable"]);
  const direct = await daemon.call("POST", "/v1/tools/execute", {
    body: { tool: "cache_store", agent: "keeper", input: { action: "set", key: "k", value: 1 } },
  });
  expect([direct.status, direct.body.error]).toEqual([409, "approval_required"]);
  expect(direct.body.hint).toContain("/v1/agents/keeper/run");
});

test.each([
  ["GET", "/v1/approvals/none", undefined, 404, "approval_not_found"],
  ["POST", "/v1/approvals/none/approve", {}, 404, "approval_not_found"],
  ["POST", "/v1/approvals/none/approve", { comment: 7 }, 400, "invalid_request"],
  ["POST", "/v1/approvals/none/reject", { reason: "x" }, 400, "invalid_request"],
  ["GET", "/v1/approvals?status=open", undefined, 400, "invalid_request"],
  ["GET", "/v1/approvals?limit=0", undefined, 400, "invalid_request"],
] as const)("%s %s %j is refused with %i %s", async (method, path, body, status, code) => {
  await using daemon = await startDaemon();
  const answer = await daemon.call(method, path, body === undefined ? {} : { body });
  expect([answer.status, answer.body.error]).toEqual([status, code]);
});

test("without sealing keys an agent that could have to wait is refused with advice, and /v1/approvals is 404", async () => {
  await using daemon = await startDaemon({
    agents: { ...keeper(), "helper.agent.yaml": agentFile("helper") },
    configure: (config) => ({ ...config, secrets: { ...config.secrets, generate: false } }),
  });
  const { body } = await daemon.run("keeper", { query: "x" });
  expect([body.error, body.problems]).toEqual([
    "agent_failed",
    [
      expect.objectContaining({
        path: "spec.tools[0].requires_approval",
        message: expect.stringContaining("ARGOSY_SEALING_KEYS"),
      }),
    ],
  ]);
  expect((await daemon.run("helper", { query: "x" })).status).toBe(200);
  expect((await daemon.call("GET", "/v1/approvals")).status).toBe(404);
});
