import { expect, test } from "bun:test";
import type { ListedInvocation } from "../../../../src/contracts/platform/observability.ts";
import { presentTrace } from "../../../../src/engine/telemetry/present-trace.ts";
import type { RecordedSpan } from "../../../../src/engine/telemetry/trace.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { asOperator } from "../../../support/platform.ts";
import { platformWithAgent } from "../../../support/platform-agent.ts";
import { addInvocation } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const traceId = "01a20510-bdcf-7432-8297-5b0a7a2115dd";
const call = { provider: "lab", model: "m", input_tokens: 3, error: "provider_failed" };
const spans: RecordedSpan[] = [
  ["agent.run", -1, 0, 9, "OK", { agent: "support", input: "Tea?", output: "Yes.", routed_from: "node-a" }],
  ["guardrails.input", 0, 1, 1, "OK", { pii_detection: "redacted" }],
  ["llm.complete", 0, 2, 3, "ERROR", { ...call, cost_usd: 0.5, reason: "org-of-the-operator has no quota" }],
  [
    "llm.complete",
    0,
    5,
    1,
    "OK",
    { model: "m", input: "Tea?", thoughts: "They ask for tea.", output: "Yes." },
  ],
  ["tool.call", 0, 6, 1, "OK", { tool: "clock", ok: true, input: { zone: "UTC" }, entry: 3 }],
];
const recorded = {
  trace_id: traceId,
  agent: "support",
  session_id: "s",
  status: "OK" as const,
  started_at_ms: Date.UTC(2026, 2, 10),
  duration_ms: 9,
  spans,
};

onEachEngine("the steps of a run", (engine) => {
  test("leave out what is the operator's, and are 404 for another tenant", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call: ask } = platform;
    const [agent] = await platform.deps.storage.read.select().from(platform.deps.storage.tables.agents);
    const run = { tenantId: owner.id, agentId: agent?.id ?? "", traceId };
    const { id } = await addInvocation(platform, run);
    runtime.traces.set(`${owner.id} ${traceId}`, presentTrace(recorded));
    const path = `/api/v1/agents/support/invocations/${id}/trace`;
    const answer = await ask("GET", path, { headers: owner.asProgram });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ trace_id: traceId, agent: "support", status: "OK" });
    expect(answer.body.spans.map((span: { attributes: object }) => span.attributes)).toEqual([
      { agent: "support", input: "Tea?", output: "Yes." },
      { pii_detection: "redacted" },
      call,
      { model: "m", input: "Tea?", output: "Yes." },
      { tool: "clock", ok: true, input: { zone: "UTC" } },
    ]);
    const stranger = await platform.tenant();
    expect((await ask("GET", path, { headers: stranger.asProgram })).status).toBe(404);
  });

  test("are 404 for a run without a trace, and for one whose trace was deleted", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, call: ask } = platform;
    const [agent] = await platform.deps.storage.read.select().from(platform.deps.storage.tables.agents);
    for (const kept of [null, traceId]) {
      const run = { tenantId: owner.id, agentId: agent?.id ?? "", traceId: kept };
      const { id } = await addInvocation(platform, run);
      const path = `/api/v1/agents/support/invocations/${id}/trace`;
      expect(await ask("GET", path, { headers: owner.asProgram })).toMatchObject({
        status: 404,
        body: { error: "trace_not_found" },
      });
    }
    const unknown = await ask("GET", "/api/v1/agents/support/invocations/x/trace", {
      headers: owner.asProgram,
    });
    expect(unknown).toMatchObject({ status: 404, body: { error: "invocation_not_found" } });
  });

  test("contain texts if the request asks for them, over HTTP and a ticket alike; another value is 400", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call: ask } = platform;
    const send = (path: string, body: object) =>
      ask("POST", `/api/v1/agents/support/${path}`, { headers: owner.asProgram, body });
    await send("run", { query: "hi", trace_content: true });
    await send("run", { query: "hi" });
    await send("run", { query: "hi", trace_content: false });
    expect(runtime.runs.map(({ run }) => run.trace_content)).toEqual([true, undefined, false]);
    expect((await send("run", { query: "hi", trace_content: "yes" })).status).toBe(400);
    expect((await send("stream-ticket", { query: "hi", trace_content: 1 })).status).toBe(400);
    expect((await send("stream-ticket", { query: "hi", trace_content: true })).status).toBe(200);
  });

  test("begin the rows of a list that asks for texts, each tenant's its own", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call: ask } = platform;
    const [agent] = await platform.deps.storage.read.select().from(platform.deps.storage.tables.agents);
    const run = { tenantId: owner.id, agentId: agent?.id ?? "" };
    for (const kept of [traceId, "gone", null]) await addInvocation(platform, { ...run, traceId: kept });
    const stranger = await platform.tenant();
    runtime.traces.set(`${owner.id} ${traceId}`, presentTrace(recorded));
    runtime.traces.set(`${stranger.id} gone`, presentTrace(recorded));
    const paths = ["agents/support/status", "agents/support/logs", "invocations"];
    const listed = async (path: string, query: string) => {
      const answer = await ask("GET", `/api/v1/${path}${query}`, { headers: owner.asProgram });
      expect(answer.status).toBe(200);
      return answer.body.invocations.map(({ question, answer }: ListedInvocation) => [question, answer]);
    };
    const none = [undefined, undefined];
    for (const path of paths) {
      expect(await listed(path, "?texts=true")).toEqual([none, none, ["Tea?", "Yes."]]);
      for (const query of ["", "?texts=false"]) expect(await listed(path, query)).toEqual([none, none, none]);
      expect((await ask("GET", `/api/v1/${path}?texts=1`, { headers: owner.asProgram })).status).toBe(400);
    }
    // The texts are a courtesy: a list is complete without them.
    runtime.traceTexts = async () => {
      throw new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.");
    };
    expect(await listed("invocations", "?texts=true")).toEqual([none, none, none]);
  });

  test("of any tenant are for operators: with texts for a person, without for the token", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call: ask } = platform;
    const person = await platform.tenant({ role: "operator" });
    const { id } = await addInvocation(platform, { tenantId: owner.id, agentId: "a", traceId });
    runtime.traces.set(`${owner.id} ${traceId}`, presentTrace(recorded));
    const path = `/api/v1/admin/invocations/${id}/trace`;
    const seen = async (headers: Record<string, string>) => {
      const { status, body } = await ask("GET", path, { headers });
      expect(status).toBe(200);
      return body.spans.map((span: { attributes: object }) => span.attributes);
    };
    const all = spans.map(([, , , , , attributes]) => attributes);
    expect(await seen(person.asPerson)).toEqual(all);
    expect(await seen(asOperator)).toEqual(
      all.map(({ input: _, output: __, thoughts: ___, ...rest }) => rest),
    );
    const texts = ["Tea?", "They ask for tea.", "Yes.", "UTC"];
    const untold = JSON.stringify(await seen(asOperator));
    for (const text of texts) expect(untold).not.toContain(text);
    expect((await ask("GET", path, { headers: owner.asPerson })).status).toBe(401);
  });

  test("of any tenant are 404 for an unknown run, without a trace, and of a deleted tenant", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call: ask } = platform;
    const gone = await platform.tenant();
    runtime.traces.set(`${gone.id} ${traceId}`, presentTrace(recorded));
    const traceless = await addInvocation(platform, { tenantId: owner.id, agentId: "a", traceId: null });
    const deleted = await addInvocation(platform, { tenantId: gone.id, agentId: "a", traceId });
    expect((await ask("DELETE", `/api/v1/tenants/${gone.id}`, { headers: gone.asPerson })).status).toBe(204);
    const refusal = async (id: string) => {
      const { status, body } = await ask("GET", `/api/v1/admin/invocations/${id}/trace`, {
        headers: asOperator,
      });
      return [status, body.error];
    };
    expect(await refusal("x")).toEqual([404, "invocation_not_found"]);
    for (const { id } of [traceless, deleted]) expect(await refusal(id)).toEqual([404, "trace_not_found"]);
  });

  test("begin the rows of operators who are people, where they reach the tenant", async () => {
    await using platform = await platformWithAgent(engine);
    const { owner, runtime, call: ask } = platform;
    const gone = await platform.tenant();
    const person = await platform.tenant({ role: "operator" });
    for (const { id: tenantId } of [owner, gone]) {
      await addInvocation(platform, { tenantId, agentId: "a", traceId });
      runtime.traces.set(`${tenantId} ${traceId}`, presentTrace(recorded));
    }
    expect((await ask("DELETE", `/api/v1/tenants/${gone.id}`, { headers: gone.asPerson })).status).toBe(204);
    const listed = async (query: string, headers: Record<string, string>) => {
      const answer = await ask("GET", `/api/v1/admin/invocations${query}`, { headers });
      expect(answer.status).toBe(200);
      return answer.body.invocations.map(({ question, answer }: ListedInvocation) => [question, answer]);
    };
    const none = [undefined, undefined];
    // Newest first: the run of the deleted tenant, then the one of the tenant that is there.
    expect(await listed("?texts=true", person.asPerson)).toEqual([none, ["Tea?", "Yes."]]);
    expect(await listed("?texts=true", asOperator)).toEqual([none, none]);
    for (const query of ["", "?texts=false"]) {
      expect(await listed(query, person.asPerson)).toEqual([none, none]);
    }
    runtime.traceTexts = async () => {
      throw new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.");
    };
    expect(await listed("?texts=true", person.asPerson)).toEqual([none, none]);
  });
});
