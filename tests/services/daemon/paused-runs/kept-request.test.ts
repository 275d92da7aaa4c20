import { describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelScript } from "../../../support/model-server.ts";
import { readRun, startTenantRuntime, tenantA, transports } from "../../../support/tenant-runtime.ts";

const notes = { name: "cache_store", type: "builtin", requires_approval: true };
const locate = {
  name: "locate",
  type: "client",
  description: "Where the user is.",
  parameters: { type: "object", properties: {} },
};
const agents = {
  "keeper.agent.yaml": agentFile("keeper", { tools: [notes] }),
  "guide.agent.yaml": agentFile("guide", { tools: [locate] }),
};

/** Calls the only tool twice, once per turn, and then answers. */
const twice: ModelScript = ({ body }) => {
  const results = body.messages.filter(({ role }) => role === "tool").length;
  if (results === 2) return { text: "Done." };
  const name = body.tools?.[0]?.function.name ?? "";
  const input = name === "locate" ? {} : { action: "set", key: `k${results}`, value: "v" };
  return { toolCalls: [{ id: `call-${results}`, name, arguments: input }] };
};

const history = async (daemon: TestDaemon, agent: string) =>
  (await daemon.call("GET", `/v1/memory/${agent}/history/s`)).body.messages;

describe("a run that stores nothing", () => {
  test("stores nothing after two approvals either", async () => {
    await using daemon = await startDaemon({ agents, models: { lab: twice } });
    const run = { query: "Keep it.", session_id: "s", remember: "nothing" };
    let waiting = (await daemon.run("keeper", run)).body;
    for (let decided = 0; decided < 2; decided++)
      waiting = (await daemon.call("POST", `/v1/approvals/${waiting.approval_id}/approve`, { body: {} }))
        .body;
    expect(waiting.response).toBe("Done.");
    expect(await history(daemon, "keeper")).toEqual([]);
  });

  test("stores nothing after results of a client tool either", async () => {
    await using daemon = await startDaemon({ agents, models: { lab: twice } });
    let waiting = (await daemon.run("guide", { query: "Where?", session_id: "s", remember: "nothing" })).body;
    for (let answered = 0; answered < 2; answered++)
      waiting = (
        await daemon.call("POST", `/v1/tool-calls/${waiting.call_id}/result`, { body: { output: "here" } })
      ).body;
    expect(waiting.response).toBe("Done.");
    expect(await history(daemon, "guide")).toEqual([]);
  });
});

describe("a query with an image", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const question = {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url } },
    ],
  };
  const complete = (daemon: TestDaemon, model: string, messages: object[], more: object = {}) =>
    daemon.call("POST", "/v1/chat/completions", { body: { model, messages, ...more } });
  const imagesAtModel = (daemon: TestDaemon) =>
    daemon.models.lab.requests.map(({ body }) => JSON.stringify(body.messages).includes(url));

  test.each([{}, { user: "s" }])("goes on with results of a client tool, with %j", async (more) => {
    await using daemon = await startDaemon({ agents, models: { lab: twice } });
    const messages: object[] = [question];
    let answer = await complete(daemon, "agent/guide", messages, more);
    for (let answered = 0; answered < 2; answered++) {
      const { message } = answer.body.choices[0];
      messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "here" });
      answer = await complete(daemon, "agent/guide", messages, more);
      expect(answer.status).toBe(200);
    }
    expect(answer.body.choices[0].message.content).toBe("Done.");
    expect(imagesAtModel(daemon)).toEqual([true, true, true]);
  });

  test("continues after an approval, and its images do not stay in the session", async () => {
    await using daemon = await startDaemon({ agents, models: { lab: twice } });
    const { status, body } = await complete(daemon, "agent/keeper", [question], { user: "s" });
    expect([status, body.error.code]).toEqual([409, "approval_required"]);
    const [first] = (await daemon.call("GET", "/v1/approvals")).body.approvals;
    let waiting = first.id;
    for (let decided = 0; decided < 2; decided++) {
      const answer = await daemon.call("POST", `/v1/approvals/${waiting}/approve`, { body: {} });
      expect(answer.status).toBe(decided === 0 ? 202 : 200);
      waiting = answer.body.approval_id;
    }
    expect(imagesAtModel(daemon)).toEqual([true, true, true]);
    expect(JSON.stringify(await history(daemon, "keeper"))).not.toContain("iVBOR");
  });
});

test.each(transports)(
  "a tenant's run keeps its images, its memory terms and its trace, %s",
  async (transport) => {
    await using runtime = await startTenantRuntime({
      transport,
      script: ({ body }) => {
        const results = body.messages.filter(({ role }) => role === "tool").length;
        return results === 0 ? { toolCalls: [{ name: "datetime_now", arguments: {} }] } : { text: "Noon." };
      },
    });
    const name = await runtime.register({
      model: { primary: { provider: "lab", model: "gpt-4o" } },
      tools: [{ name: "datetime_now", type: "builtin", requires_approval: true }],
    });
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const { ended } = await runtime.run(name, {
      images: [{ media_type: "image/png", data: "iVBORw0KGgo=" }],
      remember: "nothing",
      session_id: "quiet",
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    });
    const after = await readRun(
      runtime.client.decide(ended.approval_id ?? "", {
        run_id: "r2",
        verdict: "approved",
        stream: false,
        limits: { timeout_ms: 60_000 },
      }),
    );
    expect(after.response).toBe("Noon.");
    const trace = await runtime.client.trace(
      tenantA,
      String(after.ended.result && Reflect.get(after.ended.result, "trace_id")),
    );
    expect(JSON.stringify(trace)).toContain(traceId);
    await runtime.run(name, { session_id: "quiet", query: "And now?" });
    const seen = runtime.lab.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(seen.map((text) => text.includes("iVBOR"))).toEqual([true, true, false]);
    expect(seen.at(-1)).not.toContain("Noon.");
  },
);
