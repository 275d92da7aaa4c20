import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { ToolList } from "../../../../../src/contracts/daemon/tools.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { toolFile } from "../../../../support/own-tools.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";
import { writeFiles } from "../../../../support/write-files.ts";

const workspace = temporaryFolder();
const object = { type: "object" };
const said = "return { success: true, data: { said: context.agent, secrets: context.secrets, input } };";
let daemon: TestDaemon;
let hook: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  hook = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => Response.json({ path: new URL(request.url).pathname }),
  });
  const webhook = (name: string, path: string, more: object = {}) => ({
    name,
    type: "webhook",
    parameters: object,
    config: { url: `http://127.0.0.1:${hook.port}${path}` },
    ...more,
  });
  const own = (name: string, more: object = {}) => ({ name, type: "internal", ...more });
  writeFiles(workspace.path, {
    "tools/stock.ts": toolFile("stock", said),
    "tools/lonely.ts": toolFile("lonely", said, "writes: true,"),
    "tools/shared.ts": toolFile("shared", said),
    "tools/slow.ts": toolFile("slow", `await fetch("http://127.0.0.1:${hook.port}/slow"); for (;;);`),
    "tools/broken.ts": "export default {\n  name: 'broken'\n  x\n};",
    "rag/notes.rag.yaml": "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: notes}\nspec: {}",
  });
  daemon = await startDaemon({
    workspace: workspace.path,
    runtime: "spec: {network: {allow: [127.0.0.0/8]}}",
    models: { lab: [{ text: "Yes." }] },
    configure: (config) => ({
      ...config,
      variable: (name) => (name === "ERP_TOKEN" ? "erp-token-of-the-operator" : undefined),
    }),
    agents: {
      "desk.agent.yaml": agentFile("desk", {
        tools: [
          webhook("order", "/order", { rate_limit: { max_calls: 2, window_seconds: 60 } }),
          webhook("both", "/desk"),
          webhook("proposed", "/never", { mode: "propose" }),
          webhook("careful", "/never", { requires_approval: true }),
          { name: "docs", type: "rag", config: { collection: "notes" } },
          { name: "helper", type: "agent", config: { agent: "helper" } },
          { name: "browser", type: "client", parameters: object },
          own("stock", { config: { secrets: { erp: "ERP_TOKEN" } } }),
          own("shared"),
          own("slow", { timeout_seconds: 5 }),
        ],
      }),
      "helper.agent.yaml": agentFile("helper", {
        tools: [webhook("both", "/helper"), own("shared", { requires_approval: true })],
      }),
      "proposer.agent.yaml": agentFile("proposer", { tools: [own("stock", { mode: "propose" })] }),
      "missing.agent.yaml": agentFile("missing", { tools: [own("nowhere")] }),
      "unset.agent.yaml": agentFile("unset", {
        tools: [own("stock", { config: { secrets: { a: "NOT_SET" } } })],
      }),
    },
  });
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await hook.stop(true);
  workspace[Symbol.dispose]();
});

const execute = async (tool: string, more: object = {}) =>
  await daemon.call("POST", "/v1/tools/execute", { body: { tool, input: {}, ...more } });

test("everything that is listed can be executed, or is refused with the reason", async () => {
  const { body } = await daemon.call("GET", "/v1/tools");
  expect([...Value.Errors(ToolList, body)]).toEqual([]);
  const answers: Record<string, string> = {};
  for (const { name, agents } of body.tools as ToolList["tools"]) {
    if (name === "slow") continue;
    const input = name === "docs" || name === "helper" ? { query: "x" } : {};
    const more = agents.length > 1 ? { agent: agents[0] } : {};
    const { status, body: answer } = await execute(name, { input, ...more });
    answers[name] = status === 200 ? String(answer.output.success) : `${status} ${answer.error}`;
  }
  expect(answers).toEqual({
    both: "true",
    browser: "409 tool_of_caller",
    careful: "409 approval_required",
    docs: "true",
    helper: "true",
    lonely: "true",
    order: "true",
    proposed: "true",
    shared: "true",
    stock: "true",
  });
});

test("a tool that several agents have is 400, and the answer names these agents", async () => {
  const answer = await execute("both");
  expect([answer.status, answer.body.error]).toEqual([400, "agent_required"]);
  expect(answer.body.message).toContain("desk, helper");
  expect((await execute("both", { agent: "helper" })).body.output.data.body).toEqual({ path: "/helper" });
  expect((await execute("both", { agent: "missing" })).status).toBe(503);
  expect((await execute("bth")).body.hint).toBe("Did you mean both?");
});

test("it runs with the limits and the mode of the agent's entry", async () => {
  const proposed = await execute("proposed");
  expect(proposed.body.propuestas).toMatchObject([{ tool: "proposed", tipo: "webhook" }]);
  const answers = [await execute("order"), await execute("order", { agent: "desk" })];
  expect(answers.at(-1)?.body.output.error).toContain("called too often");
  expect((await execute("shared", { agent: "helper" })).body.error).toBe("approval_required");
});

describe("a custom tool", () => {
  test("is listed with its agents and its file, and broken files beside it", async () => {
    const { body } = await daemon.call("GET", "/v1/tools?parameters=true");
    const found = body.tools.find(({ name }: { name: string }) => name === "lonely");
    expect(found).toEqual({
      name: "lonely",
      type: "internal",
      description: "Does lonely.",
      agents: [],
      file: "tools/lonely.ts",
      writes: true,
      parameters: object,
    });
    expect(body.broken_files).toMatchObject([{ file: "tools/broken.ts", line: 3 }]);
    const doctor = await daemon.call("GET", "/v1/system/doctor");
    const check = doctor.body.checks.find(({ name }: { name: string }) => name === "tools");
    expect(check).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("tools/broken.ts:3"),
    });
  });

  test("gets the secrets of the agent's entry, and no answer repeats them", async () => {
    const { body, text } = await execute("stock", { agent: "desk" });
    expect(body.output.data).toMatchObject({ said: "desk", secrets: { erp: "[redacted]" } });
    expect(text).not.toContain("erp-token-of-the-operator");
    expect((await execute("lonely")).body.output.data).toMatchObject({ said: "", secrets: {} });
  });

  test("is recorded where it only proposes", async () => {
    const { body } = await execute("stock", { agent: "proposer" });
    expect(body.propuestas).toMatchObject([{ tool: "stock", tipo: "internal", destino: "tools/stock.ts" }]);
  });

  test("that is not there, or lacks a secret, keeps the agent from loading", async () => {
    const { body } = await daemon.call("GET", "/v1/agents/missing");
    expect(body.error).toContain("is not a tool of a file in tools/ that could be loaded: nowhere");
    const unset = await daemon.call("GET", "/v1/agents/unset");
    expect(unset.body.error).toContain("NOT_SET, which is not set");
  });

  test("is 400 in an agent that a stranger sends", async () => {
    const manifest = { tools: [{ name: "lonely", type: "internal" }] };
    const sent = await daemon.call("POST", "/v1/agents", { body: agentFile("stranger", manifest) });
    expect([sent.status, sent.body.error]).toEqual([400, "invalid_manifest"]);
    expect(sent.text).toContain("runs code of this installation");
    const owners = await daemon.asOwner("POST", "/v1/agents", { body: agentFile("mine", manifest) });
    expect(owners.status).toBe(201);
  });

  test("is ended by the time limit of its entry", async () => {
    const executed = execute("slow");
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    hook.reload({
      fetch: () => {
        resolve();
        return new Response();
      },
    });
    await asked;
    await daemon.clock.advance(5000);
    expect((await executed).body.output).toEqual({
      success: false,
      error: "slow took longer than 5 seconds and was stopped.",
    });
    await daemon.clock.advance(1000);
  });

  test("appears and disappears with its file, and so do the agents that need it", async () => {
    writeFiles(workspace.path, { "tools/nowhere.ts": toolFile("nowhere", said) });
    const names = async () =>
      (await daemon.call("GET", "/v1/tools")).body.tools.map(({ name }: { name: string }) => name);
    // A check of the tools starts a real process, which takes an unknown time; the agents are checked afterwards.
    const looked = async (isThere: boolean) => {
      for (let asked = 0; (await names()).includes("nowhere") !== isThere; asked++) {
        if (asked % 300 === 0) await daemon.clock.advance(1000);
      }
      await daemon.clock.advance(1000);
      return (await daemon.call("GET", "/v1/agents/missing")).body.status;
    };
    expect(await looked(true)).toBe("ready");
    expect((await execute("nowhere")).body.output.data.said).toBe("missing");
    rmSync(join(workspace.path, "tools/nowhere.ts"));
    expect(await looked(false)).toBe("failed");
  });
});
