import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { endedRun, writeEval } from "../../../support/daemon-evals.ts";
import type { ModelScript } from "../../../support/model-server.ts";

const evalText = `# Our cases.
apiVersion: platform/v1
kind: Eval
metadata: {name: greetings} # short
spec:
  agent: helper
  cases:
    - id: hello # why: the first word
      query: Hello? # the question
      checks: [{contains: hello}]
    # About the way.
    - id: way
      query: "Which way?"
      tags: [roads]
      checks: [{contains: north}]
`;

/** Checks that a new case needs. */
const checks = [{ contains: "a" }];

async function withEval(models?: { lab: ModelScript }) {
  const daemon = await startDaemon({ ...(models && { models }) });
  const path = writeEval(daemon, "greetings.eval.yaml", evalText);
  return { daemon, path };
}

const start = (daemon: TestDaemon, body: object = {}, name = "greetings") =>
  daemon.asOwner("POST", `/v1/evals/${name}/runs`, { body });

describe("eval files", () => {
  test("are listed with their faults, broken and repeated ones as well", async () => {
    const { daemon } = await withEval();
    await using _ = daemon;
    writeEval(
      daemon,
      "broken.eval.yaml",
      evalText.replace("agent: helper", "agnt: helper").replace("greetings", "broken"),
    );
    writeEval(daemon, "second.eval.yaml", evalText);
    const { status, body } = await daemon.asOwner("GET", "/v1/evals");
    expect(status).toBe(200);
    expect(body.evals).toMatchObject([
      { name: "broken", cases: 0, faults: [{ path: "spec.agent" }, { path: "spec.agnt", line: 6 }] },
      { name: "greetings", agent: "helper", cases: 2, tags: ["roads"], faults: [], runs: [] },
      { name: "greetings", faults: [{ path: "metadata.name" }] },
    ]);
    expect(body.agents).toEqual(["helper"]);
  });

  test("are edited case by case, and keep their comments; an outdated edit is 409", async () => {
    const { daemon, path } = await withEval();
    await using _ = daemon;
    const { etag } = (await daemon.asOwner("GET", "/v1/evals/greetings")).body;
    const put = (id: string, body: object, ifMatch: string) =>
      daemon.asOwner("PUT", `/v1/evals/greetings/cases/${id}`, {
        body,
        headers: { "if-match": `"${ifMatch}"` },
      });
    const changed = await put(
      "hello",
      { id: "hello", query: "Hello?", checks: [{ contains: "there" }] },
      etag,
    );
    expect(changed).toMatchObject({ status: 200, body: { ids: ["hello"], cases: 2 } });
    expect(readFileSync(path, "utf8")).toBe(
      evalText.replace("      checks: [{contains: hello}]\n", "      checks:\n        - contains: there\n"),
    );
    // The page that read the file before shows an old state.
    expect(await put("hello", { query: "x" }, etag)).toMatchObject({
      status: 409,
      body: { error: "eval_file_changed" },
    });
    const next = changed.body.etag;
    const refused = await put("hello", { query: "x", colour: 1, checks: [{ contains: 1 }] }, next);
    expect(refused.body.error).toBe("invalid_manifest");
    expect(refused.body.problems.length).toBe(2);
    expect((await put("nobody", { query: "x" }, next)).status).toBe(404);
    const gone = await daemon.asOwner("DELETE", "/v1/evals/greetings/cases/way", {
      headers: { "if-match": next },
    });
    expect(gone.body).toMatchObject({ cases: 1 });
    expect(readFileSync(path, "utf8")).not.toContain("About the way");
    const last = await daemon.asOwner("DELETE", "/v1/evals/greetings/cases/hello", {
      headers: { "if-match": gone.body.etag },
    });
    expect(last.body.error).toBe("last_case");
    expect((await daemon.asOwner("DELETE", "/v1/evals/greetings/cases/hello")).status).toBe(400);
  });

  test("take cases one by one and from CSV, all or none; a duplicate is 409, an invalid one 422", async () => {
    const { daemon, path } = await withEval();
    await using _ = daemon;
    const add = (body: object) => daemon.asOwner("POST", "/v1/evals/greetings/cases", { body });
    expect(await add({ case: { id: "third", query: "\u202e<b>&amp;", checks } })).toMatchObject({
      status: 201,
      body: { ids: ["third"], cases: 3 },
    });
    const before = readFileSync(path, "utf8");
    const csv = (rows: string) => ({ format: "csv", text: `id,query,checks\n${rows}` });
    const check = '"[{""contains"": ""a""}]"';
    expect(await add(csv(`four,Four?,${check}\nthird,Again?,${check}\n`))).toMatchObject({
      status: 409,
      body: { error: "case_exists" },
    });
    expect(await add({ format: "csv", text: "id,checks\nfive,no\nsix\n" })).toMatchObject({
      status: 422,
      body: { error: "invalid_dataset" },
    });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(
      await add({
        format: "jsonl",
        text: '{"id":"four","query":"Four?","checks":[{"equals":"4"}]}\n{"query":"Five?","checks":[{"equals":"5"}]}\n',
      }),
    ).toMatchObject({
      status: 201,
      body: { ids: ["four", "case-5"], cases: 5 },
    });
    const listed = await daemon.asOwner("GET", "/v1/evals/greetings/cases?search=four&limit=1");
    expect(listed.body).toMatchObject({ total: 1, cases: [{ id: "four", number: 4 }] });
  });

  test("are created (an existing name is 409), and cases of a JSONL file are edited in that file", async () => {
    const { daemon } = await withEval();
    await using _ = daemon;
    const create = (name: string, agent = "helper") =>
      daemon.asOwner("POST", "/v1/evals", {
        body: { name, agent, description: "For us.", case: { query: "Hi?", checks } },
      });
    expect(await create("fresh")).toMatchObject({
      status: 201,
      body: { name: "fresh", cases: 1, editable: true },
    });
    expect(await create("fresh")).toMatchObject({ status: 409, body: { error: "eval_exists" } });
    expect((await create("greetings")).body.error).toBe("eval_exists");
    expect((await create("../up")).status).toBe(400);
    expect((await create("mean", "a\nspec: 1")).status).toBe(400);
    const rows = writeEval(daemon, "rows.jsonl", '{"id":"a","query":"A?"}\n\n{"id":"b","query":"B?"}\n');
    writeEval(
      daemon,
      "rows.eval.yaml",
      evalText
        .replace(/cases:[\s\S]*/, "checks: [{contains: a}]\n  cases: rows.jsonl\n")
        .replace("greetings", "rows"),
    );
    const { etag } = (await daemon.asOwner("GET", "/v1/evals/rows")).body;
    const put = await daemon.asOwner("PUT", "/v1/evals/rows/cases/b", {
      body: { id: "b", query: "C?" },
      headers: { "if-match": etag },
    });
    expect(put.status).toBe(200);
    expect(readFileSync(rows, "utf8")).toBe('{"id":"a","query":"A?"}\n\n{"id":"b","query":"C?"}\n');
  });

  test("take no case that every answer passes: each way is 422, names it and changes nothing", async () => {
    const { daemon, path } = await withEval();
    await using _ = daemon;
    const { etag } = (await daemon.asOwner("GET", "/v1/evals/greetings")).body;
    const bare = { id: "bare", query: "Hi?", expected: "Hello." };
    const informed = { ...bare, checks: [{ max_latency_ms: 5 }] };
    const ways: [string, string, object][] = [
      ["POST", "/v1/evals", { name: "fresh", agent: "helper", case: bare }],
      ["POST", "/v1/evals/greetings/cases", { case: bare }],
      ["POST", "/v1/evals/greetings/cases", { case: informed }],
      ["POST", "/v1/evals/greetings/cases", { format: "jsonl", text: JSON.stringify(bare) }],
      ["POST", "/v1/evals/greetings/cases", { format: "csv", text: "id,query\nbare,Hi?\n" }],
      ["PUT", "/v1/evals/greetings/cases/hello", bare],
    ];
    for (const [method, way, body] of ways) {
      const refused = await daemon.asOwner(method, way, { body, headers: { "if-match": etag } });
      expect([method, way, refused.status]).toEqual([method, way, 422]);
      expect(refused.body.message).toMatch(/no check that an answer can fail, so the case "bare"/);
    }
    expect(readFileSync(path, "utf8")).toBe(evalText);
  });

  test("in a folder that can't be written stay as they are: 503", async () => {
    const { daemon, path } = await withEval();
    await using _ = daemon;
    // Root may write to any folder, but not where a file is in place of the folder.
    if (process.getuid?.() === 0) {
      rmSync(join(daemon.workspace, "evals"), { recursive: true });
      writeFileSync(join(daemon.workspace, "evals"), "");
    } else chmodSync(join(path, ".."), 0o500);
    const refused = await daemon.asOwner("POST", "/v1/evals", {
      body: { name: "fresh", agent: "helper", case: { query: "Hi?", checks } },
    });
    if (process.getuid?.() !== 0) chmodSync(join(path, ".."), 0o700);
    expect(refused).toMatchObject({ status: 503, body: { error: "evals_not_writable" } });
  });

  test("are 403 for a stranger by every route", async () => {
    const { daemon } = await withEval();
    await using _ = daemon;
    const routes: [string, string, object?][] = [
      ["GET", "/v1/evals"],
      ["POST", "/v1/evals", { name: "a", agent: "helper", case: {} }],
      ["GET", "/v1/evals/drafts/x"],
      ["POST", "/v1/evals/from-trace", { trace_id: "x", eval: "a" }],
      ["GET", "/v1/evals/greetings"],
      ["GET", "/v1/evals/greetings/cases"],
      ["POST", "/v1/evals/greetings/cases", { case: {} }],
      ["PUT", "/v1/evals/greetings/cases/hello", {}],
      ["DELETE", "/v1/evals/greetings/cases/hello"],
      ["POST", "/v1/evals/greetings/plan", {}],
      ["POST", "/v1/evals/greetings/runs", {}],
      ["GET", "/v1/eval-runs"],
      ["POST", "/v1/eval-runs", { file: "/a.eval.yaml" }],
      ["GET", "/v1/eval-runs/x"],
      ["GET", "/v1/eval-runs/x/results"],
      ["GET", "/v1/eval-runs/x/results/1"],
      ["GET", "/v1/eval-runs/x/comparison?before=y"],
      ["GET", "/v1/eval-runs/x/report"],
      ["GET", "/v1/eval-runs/x/events"],
      ["POST", "/v1/eval-runs/x/cancel", {}],
      ["POST", "/v1/eval-runs/x/resume", {}],
    ];
    for (const [method, path, body] of routes) {
      const refused = await daemon.call(method, path, { ...(body && { body }) });
      expect([method, path, refused.status, refused.body.error]).toEqual([method, path, 403, "owner_only"]);
      if (!path.startsWith("/v1/eval-runs/x") && !path.endsWith("/x")) continue;
      const unknown = await daemon.asOwner(method, path, { ...(body && { body }) });
      expect([method, path, unknown.status]).toEqual([method, path, 404]);
    }
  });
});

describe("runs", () => {
  test("are planned, started, followed, read, compared and reported", async () => {
    const { daemon } = await withEval();
    await using _ = daemon;
    const plan = await daemon.asOwner("POST", "/v1/evals/greetings/plan", { body: { repeat: 2 } });
    expect(plan.body).toEqual({
      agent: "helper",
      cases: 2,
      targets: ["agent"],
      repeat: 2,
      runs: 4,
      agent_calls: 4,
      judge_calls: 0,
    });
    const first = await start(daemon);
    expect(first).toMatchObject({ status: 202, body: { status: "running", planned: 2, eval: "greetings" } });
    const run = await endedRun(daemon, first.body.id);
    expect(run).toMatchObject({ status: "complete", finished: 2, failed: 1, pass_rate: 0.5 });
    const detail = (await daemon.asOwner("GET", `/v1/eval-runs/${run.id}`)).body;
    expect(detail).toMatchObject({
      elsewhere: false,
      simulated: false,
      summary: { targets: [{ interval: expect.any(Array) }] },
    });
    const failed = (await daemon.asOwner("GET", `/v1/eval-runs/${run.id}/results?state=failed`)).body;
    expect(failed).toMatchObject({
      total: 1,
      results: [{ case: "way", reason: expect.stringContaining("north") }],
    });
    const one = await daemon.asOwner("GET", `/v1/eval-runs/${run.id}/results/${failed.results[0].number}`);
    expect(one.body.result).toMatchObject({
      case: "way",
      turns: [{ query: "Which way?", response: "Hello there." }],
    });
    expect((await daemon.asOwner("GET", `/v1/eval-runs/${run.id}/results/3`)).status).toBe(404);

    const second = await endedRun(daemon, (await start(daemon, { tags: ["roads"] })).body.id);
    const compared = await daemon.asOwner("GET", `/v1/eval-runs/${second.id}/comparison?before=${run.id}`);
    expect(compared.body).toMatchObject({
      total: 2,
      counts: { failing: 1, removed: 1 },
      test: { note: expect.any(String) },
    });
    for (const [format, part] of [
      ["html", "<!doctype html>"],
      ["junit", "<testsuites"],
      ["json", '"results"'],
    ])
      expect((await daemon.asOwner("GET", `/v1/eval-runs/${run.id}/report?format=${format}`)).text).toContain(
        part ?? "",
      );
    const page = (await daemon.asOwner("GET", "/v1/eval-runs?limit=1")).body;
    const rest = (await daemon.asOwner("GET", `/v1/eval-runs?limit=1&cursor=${page.next_cursor}`)).body;
    expect([...page.runs, ...rest.runs].map(({ id }: { id: string }) => id).sort()).toEqual(
      [run.id, second.id].sort(),
    );
    expect(rest.next_cursor).toBeUndefined();
    const [listed] = (await daemon.asOwner("GET", "/v1/evals")).body.evals;
    expect(listed.runs).toHaveLength(2);
    expect((await daemon.asOwner("POST", `/v1/eval-runs/${run.id}/cancel`, { body: {} })).body.error).toBe(
      "eval_run_ended",
    );
    expect((await daemon.asOwner("POST", `/v1/eval-runs/${run.id}/resume`, { body: {} })).body.error).toBe(
      "eval_run_ended",
    );
  });

  test("refuse before anything runs", async () => {
    const { daemon } = await withEval();
    await using _ = daemon;
    const refused = async (body: object, name?: string) => (await start(daemon, body, name)).body.error;
    expect(await refused({}, "greeting")).toBe("eval_not_found");
    expect(await refused({ agent: "nobody" })).toBe("agent_not_found");
    expect(await refused({ tags: ["nothing"] })).toBe("usage");
    expect(await refused({ mode: "record", repeat: 2 })).toBe("usage");
    expect(await refused({ models: ["nowhere/x"] })).toBe("invalid_override");
    expect(await refused({ repeat: 101 })).toBe("invalid_request");
    writeEval(
      daemon,
      "broken.eval.yaml",
      evalText.replace("Hello? #", "Hello? # \n      querry: x #").replace("greetings", "broken"),
    );
    expect(await refused({}, "broken")).toBe("invalid_manifest");
    await daemon.asOwner("POST", "/v1/agents/helper/pause");
    expect(await refused({})).toBe("agent_paused");
    expect((await daemon.asOwner("GET", "/v1/eval-runs")).body.runs).toEqual([]);
    expect(daemon.models.lab.requests.length).toBe(0);
  });

  /** A model that answers from a request on, its second by default, only when it is let go. */
  function heldModel(from = 1) {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const script: ModelScript = (_, number) => {
      if (number >= from) asked.resolve();
      return { text: "Hello there.", ...(number >= from && { after: held.promise }) };
    };
    return { script, asked: asked.promise, release: held.resolve };
  }

  test("use the agents as they were at the start, also if they are deleted meanwhile", async () => {
    const model = heldModel(0);
    const { daemon } = await withEval({ lab: model.script });
    await using _ = daemon;
    const { body: run } = await start(daemon, { concurrency: 1 });
    await model.asked;
    daemon.writeAgent("helper.agent.yaml", agentFile("other"));
    await daemon.clock.advance(1000);
    expect((await daemon.asOwner("GET", "/v1/agents/helper")).status).toBe(404);
    expect((await daemon.asOwner("GET", `/v1/eval-runs/${run.id}`)).body).toMatchObject({
      status: "running",
      finished: 0,
    });
    // Both cases are answered, the second by an agent that is gone.
    model.release();
    expect(await endedRun(daemon, run.id)).toMatchObject({ status: "complete", finished: 2, failed: 1 });
    expect(daemon.models.lab.requests.length).toBe(2);
  });

  test("of one eval run side by side, are cancelled one by one, and resume without repeating", async () => {
    const model = heldModel();
    const { daemon } = await withEval({ lab: model.script });
    await using _ = daemon;
    const one = (await start(daemon, { concurrency: 1 })).body;
    await model.asked;
    const other = (await start(daemon)).body;
    expect(other.id).not.toBe(one.id);
    const cancelled = (await daemon.asOwner("POST", `/v1/eval-runs/${one.id}/cancel`, { body: {} })).body;
    expect(cancelled).toMatchObject({ status: "cancelled", finished: 1 });
    expect((await daemon.asOwner("POST", `/v1/eval-runs/${other.id}/resume`, { body: {} })).body.error).toBe(
      "eval_run_open",
    );
    model.release();
    expect(await endedRun(daemon, other.id)).toMatchObject({ status: "complete", finished: 2 });
    const asked = daemon.models.lab.requests.length;
    expect((await daemon.asOwner("POST", `/v1/eval-runs/${one.id}/resume`, { body: {} })).status).toBe(202);
    expect(await endedRun(daemon, one.id)).toMatchObject({ id: one.id, status: "complete", finished: 2 });
    expect(daemon.models.lab.requests.length).toBe(asked + 1);
  });

  test("more than four at the same time are 503", async () => {
    const model = heldModel();
    const { daemon } = await withEval({ lab: model.script });
    await using _ = daemon;
    const started = await Promise.all(Array.from({ length: 6 }, () => start(daemon)));
    expect(started.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 503, 503]);
    model.release();
    for (const { status, body } of started) if (status === 202) await endedRun(daemon, body.id);
  });
});

test("a recorded trace becomes a case of a new eval, with its tool results and a check", async () => {
  const { daemon } = await withEval();
  await using _ = daemon;
  const bare = (await daemon.asOwner("POST", "/v1/agents/helper/run", { body: { query: "Why?" } })).body
    .trace_id;
  expect((await daemon.asOwner("GET", `/v1/evals/drafts/${bare}`)).body.error).toBe("trace_without_content");
  const { trace_id: id } = (
    await daemon.asOwner("POST", "/v1/agents/helper/run", { body: { query: "Why?", trace_content: true } })
  ).body;
  const draft = await daemon.asOwner("GET", `/v1/evals/drafts/${id}`);
  expect(draft.body).toMatchObject({ agent: "helper", query: "Why?", expected: "Hello there.", stubs: [] });
  const add = (body: object) =>
    daemon.asOwner("POST", "/v1/evals/from-trace", { body: { trace_id: id, ...body } });
  expect(await add({ eval: "fresh", expected: "Because.", checks: [{ contains: "because" }] })).toMatchObject(
    {
      status: 201,
      body: { eval: "fresh", created: true, case: draft.body.id },
    },
  );
  expect((await add({ eval: "fresh", checks })).body.error).toBe("case_exists");
  expect(await add({ eval: "greetings", id: "bare" })).toMatchObject({
    status: 422,
    body: {
      error: "invalid_manifest",
      message: expect.stringContaining('the case "bare" would always pass'),
    },
  });
  expect(await add({ eval: "greetings", id: "why", checks })).toMatchObject({
    status: 201,
    body: { created: false },
  });
  expect((await add({ eval: "fresh", id: "other", checks: [{ contain: "x" }] })).body.error).toBe(
    "invalid_manifest",
  );
  const run = await endedRun(daemon, (await start(daemon, {}, "fresh")).body.id);
  expect(run).toMatchObject({ status: "complete", failed: 1 });
});

test("an answer that a person judged bad is not offered as the expected one", async () => {
  const { daemon, path } = await withEval();
  await using _ = daemon;
  const asked = { query: "Why?", trace_content: true };
  const { trace_id: id } = (await daemon.asOwner("POST", "/v1/agents/helper/run", { body: asked })).body;
  const verdict = await daemon.asOwner("PUT", `/v1/traces/${id}/feedback`, { body: { rating: "down" } });
  expect(verdict.status).toBe(200);
  expect((await daemon.asOwner("GET", `/v1/evals/drafts/${id}`)).body).not.toHaveProperty("expected");
  const body = { trace_id: id, eval: "greetings", id: "why", checks };
  expect((await daemon.asOwner("POST", "/v1/evals/from-trace", { body })).status).toBe(201);
  expect(readFileSync(path, "utf8")).not.toContain("Hello there.");
});
