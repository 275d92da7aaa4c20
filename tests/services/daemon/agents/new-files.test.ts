import { expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { acceptBoth } from "../../../support/mcp-client.ts";
import { statelessCall } from "../../../support/stateless-mcp.ts";

const rpc = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
const message = { messageId: "m", role: "user", kind: "message", parts: [{ kind: "text", text: "Hi" }] };
const tool = statelessCall("tools/call", { name: "agent_NAME", arguments: { query: "Hi" } });
const streamed = { headers: { accept: "text/event-stream" } };

/** Every door that finds an agent by its name: method, path with `NAME`, and body. */
const doors: readonly [string, string, unknown?, { headers?: Record<string, string> | undefined }?][] = [
  ["POST", "/v1/agents/NAME/run", { query: "Hi" }],
  ["POST", "/v1/agents/NAME/run", { query: "Hi" }, streamed],
  ["POST", "/v1/agents/NAME/stream-ticket"],
  ["POST", "/v1/chat/completions", { model: "agent/NAME", messages: [{ role: "user", content: "Hi" }] }],
  ["POST", "/v1/responses", { model: "agent/NAME", input: "Hi" }],
  ["POST", "/v1/responses", { model: "agent/NAME", input: "Hi", background: true }],
  ["GET", "/v1/models/agent%2FNAME"],
  ["GET", "/a2a/NAME/.well-known/agent-card.json"],
  ["POST", "/a2a/NAME", rpc("message/send", { message })],
  [
    "POST",
    "/mcp",
    tool.body,
    { headers: { "content-type": "application/json", accept: acceptBoth, ...tool.options.headers } },
  ],
  [
    "POST",
    "/v1/agents/NAME/ag-ui",
    { threadId: "t", runId: "r", messages: [{ id: "1", role: "user", content: "Hi" }] },
    streamed,
  ],
  [
    "POST",
    "/v1/agents/NAME/ui-messages",
    { id: "c", messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
  ],
  ["POST", "/v1/tools/execute", { agent: "NAME", tool: "datetime_now", input: {} }],
  ["GET", "/v1/agents/NAME"],
  ["GET", "/v1/agents/NAME/manifest"],
  ["GET", "/v1/agents/NAME/versions"],
  ["POST", "/v1/agents/NAME/pause"],
  ["POST", "/v1/agents/NAME/deploy"],
  ["GET", "/v1/memory/NAME/history/s"],
  ["GET", "/v1/memory/NAME/sessions"],
  ["GET", "/v1/memory/NAME/episodes"],
  ["GET", "/v1/memory/NAME/context/s"],
  ["GET", "/v1/costs/budgets/NAME"],
  ["GET", "/v1/costs/summary?agent=NAME"],
  ["GET", "/v1/triggers/NAME/nightly"],
];

const pipeline = (name: string) =>
  JSON.stringify({ apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec: {} });

const whole = (name: string) =>
  agentFile(name, {
    a2a: { enabled: true },
    tools: [{ name: "datetime_now", type: "builtin" }],
    memory: { episodic: {} },
    triggers: [{ name: "nightly", type: "schedule", cron: "0 3 * * *", query: "Report." }],
  });

/** Status and text of the answer; streams and protocols say in the text that they refuse. */
async function knock(
  daemon: TestDaemon,
  [method, path, body, options]: (typeof doors)[number],
  name: string,
) {
  const named = JSON.parse(JSON.stringify({ body, ...options }).replaceAll("NAME", name));
  const answer = await daemon.asOwner(method, path.replaceAll("NAME", name), named);
  return `${answer.status} ${answer.text}`;
}

const refused = /^[45]|agent_not_found|unknown_tool|agent_failed|"isError":true/i;

test.each(doors.map((door, index) => [`${index}: ${door[0]} ${door[1]}`, door] as const))(
  "door %s refuses an unknown agent, and finds one whose file was written, or corrected, since the last look",
  async (_, door) => {
    // The clock stands still, so nothing but the request itself looks at the folder.
    await using daemon = await startDaemon({
      agents: { "broken.agent.yaml": "kind: Agent\nmetadata: {name: broken}\n" },
    });
    expect(await knock(daemon, door, "absent")).toMatch(refused);
    for (const name of ["fresh", "broken"]) {
      daemon.writeAgent(`${name}.agent.yaml`, whole(name));
      expect(await knock(daemon, door, name)).not.toMatch(refused);
    }
  },
);

const pipelineDoors: readonly (readonly [string, string, unknown?])[] = [
  ["GET", "/v1/rag/pipelines/NAME"],
  ["POST", "/v1/rag/query", { query: "tea", pipeline: "NAME" }],
  ["POST", "/v1/rag/ingest", { collection: "teas", pipeline: "NAME", documents: [{ text: "Tea." }] }],
  ["POST", "/v1/rag/chunk", { pipeline: "NAME", text: "Tea." }],
  ["PUT", "/v1/rag/collections/teas/documents/a?pipeline=NAME", "Tea."],
];

test.each(pipelineDoors.map((door) => [`${door[0]} ${door[1]}`, door] as const))(
  "door %s refuses an unknown pipeline, and finds one whose file was written since the last look",
  async (_, [method, path, body]) => {
    await using daemon = await startDaemon();
    const ask = async (name: string) => {
      const text = JSON.stringify({ body }).replaceAll("NAME", name);
      const headers = typeof body === "string" ? { "content-type": "text/plain" } : {};
      const options = { ...JSON.parse(text), headers };
      return (await daemon.asOwner(method, path.replaceAll("NAME", name), options)).text;
    };
    expect(await ask("absent")).toContain("pipeline_not_found");
    daemon.writeAgent("../rag/fresh.rag.yaml", pipeline("fresh"));
    expect(await ask("fresh")).not.toContain("pipeline_not_found");
  },
);

test("an agent finds the pipeline whose file was written just before its own", async () => {
  await using daemon = await startDaemon();
  daemon.writeAgent("../rag/faq.rag.yaml", pipeline("faq"));
  daemon.writeAgent("desk.agent.yaml", agentFile("desk", { knowledge: { pipeline: "faq" } }));
  expect((await daemon.run("desk", { query: "Hi" })).status).toBe(200);
});
