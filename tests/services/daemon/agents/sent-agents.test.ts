import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSocket } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

const yaml = { "content-type": "application/yaml" };
const json = { "content-type": "application/json" };

const described = (name: string, description: string) => agentFile(name, { identity: { description } });

const start = () => startDaemon({ agents: { "helper.agent.yaml": agentFile("helper") } });

function send(daemon: TestDaemon, method: string, path: string, body: string, headers: object = json) {
  return daemon.call(method, `/v1/agents${path}`, { body, headers: { ...headers } });
}

function sendAsOwner(daemon: TestDaemon, method: string, path: string, body: string) {
  return daemon.asOwner(method, `/v1/agents${path}`, { body, headers: json });
}

const manifest = (name: string) => `# a comment
apiVersion: platform/v1
kind: Agent
metadata:
  name: ${name}
spec:
  model:
    primary: {provider: lab, model: test-model}
  prompts:
    system: You are sent.
`;

describe("POST /v1/agents", () => {
  test.each([
    ["application/json", agentFile("sent")],
    ["application/manifest+json", agentFile("sent")],
    ["application/yaml", manifest("sent")],
    ["text/yaml; charset=utf-8", manifest("sent")],
    ["application/x-yaml", manifest("sent")],
    ["application/x-www-form-urlencoded", manifest("sent")],
    ["text/plain", agentFile("sent")],
  ])("takes %s, and the agent runs", async (type, body) => {
    await using daemon = await start();
    const answer = await send(daemon, "POST", "", body, { "content-type": type });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: "sent", status: "ready", persisted: false });
    expect(answer.body).not.toHaveProperty("file");
    expect((await daemon.run("sent", { query: "hi" })).status).toBe(200);
    expect(
      (await daemon.call("GET", "/v1/agents")).body.agents.map(({ name }: { name: string }) => name),
    ).toEqual(["helper", "sent"]);
    expect((await daemon.call("GET", "/v1/health")).body.agents_loaded).toBe(2);
    await daemon.clock.advance(3000);
    expect((await daemon.call("GET", "/v1/agents/sent")).status).toBe(200);
    expect(existsSync(join(daemon.workspace, "agents/sent.agent.yaml"))).toBe(false);
  });

  test.each([
    ["a name that is taken", agentFile("helper"), json, 409, "agent_exists", {}],
    ["no body", "", yaml, 400, "invalid_request", {}],
    ["an empty document", "# nothing", yaml, 400, "invalid_manifest", { problems: [{ line: 1 }] }],
    ["what is not JSON", "{", json, 400, "invalid_request", {}],
    [
      "what is not YAML",
      "a: [b",
      yaml,
      400,
      "invalid_manifest",
      { problems: [{ line: expect.any(Number) }] },
    ],
    ["a list", "[]", json, 400, "invalid_manifest", {}],
    ["a key given twice", '{"kind": "Agent", "kind": "Agent"}', json, 400, "invalid_request", {}],
    [
      "an unknown key, with its line",
      manifest("sent").replace("prompts", "promts"),
      yaml,
      400,
      "invalid_manifest",
      { problems: [{ path: "spec.promts", line: 9, column: 3 }] },
    ],
    [
      "what can't be built, with its line",
      manifest("sent").replace("You are sent.", "'{{ a'"),
      yaml,
      400,
      "invalid_manifest",
      { problems: [{ path: "spec.prompts.system", line: expect.any(Number) }] },
    ],
    [
      "the same in JSON, without",
      agentFile("sent", { prompts: { system: "{{ a" } }),
      json,
      400,
      "invalid_manifest",
      { problems: [{ path: "spec.prompts.system", message: expect.any(String) }] },
    ],
    [
      "a variable",
      described("sent", `\${HOME}`),
      json,
      400,
      "invalid_manifest",
      {
        problems: [
          {
            path: "spec.identity.description",
            message: expect.stringContaining("only files of the operator"),
          },
        ],
      },
    ],
    ["a name that leads out of the folder", agentFile("../out"), json, 400, "invalid_manifest", {}],
    ["a reserved name", agentFile("by-id"), json, 400, "invalid_manifest", {}],
    [
      "a tool that leads to nobody",
      agentFile("sent", { tools: [{ name: "ask", type: "agent", config: { agent: "nobody" } }] }),
      json,
      400,
      "invalid_manifest",
      { problems: [{ path: "spec.tools[0].config.agent", message: expect.stringContaining("nobody") }] },
    ],
    [
      "a key of this machine for an endpoint of the sender's",
      agentFile("sent", {
        model: {
          primary: { provider: "lab", model: "m" },
          fallbacks: [
            { provider: "vllm", model: "m", endpoint: "https://x.example/v1", api_key_env: "PATH" },
          ],
        },
      }),
      json,
      400,
      "invalid_manifest",
      { problems: [{ path: "spec.model.fallbacks[0].api_key_env" }] },
    ],
    [
      "a page that sends plain text",
      manifest("sent"),
      { "content-type": "text/plain", "sec-fetch-site": "same-origin" },
      415,
      "unsupported_media_type",
      {},
    ],
    [
      "an encoded body",
      agentFile("sent"),
      { ...json, "content-encoding": "gzip" },
      415,
      "unsupported_media_type",
      {},
    ],
    ["a body over 1 MiB", `# ${"x".repeat(1_048_576)}`, yaml, 413, "body_too_large", {}],
  ])("refuses %s", async (_what, body, headers, status, error, has) => {
    await using daemon = await start();
    const answer = await send(daemon, "POST", "", body, headers);
    expect(answer.body).toMatchObject({ error, message: expect.any(String), ...has });
    expect(answer.status).toBe(status);
    const { agents } = (await daemon.call("GET", "/v1/agents")).body;
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(["helper"]);
  });

  test("refuses bytes that are not UTF-8", async () => {
    await using daemon = await start();
    const body = Uint8Array.of(0x61, 0x3a, 0x20, 0xe9);
    expect((await daemon.call("POST", "/v1/agents", { body, headers: yaml })).body.error).toBe(
      "invalid_request",
    );
  });
});

describe("PUT /v1/agents/{name}", () => {
  test("creates, replaces, and keeps what the agent remembers", async () => {
    await using daemon = await start();
    expect((await send(daemon, "PUT", "/sent", described("sent", "one"))).status).toBe(201);
    await daemon.run("sent", { query: "hi", session_id: "s" });
    const answer = await send(daemon, "PUT", "/sent", described("sent", "two"));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ description: "two", persisted: false });
    expect((await daemon.call("GET", "/v1/memory/sent/history/s")).body.messages).toHaveLength(2);
  });

  test.each([
    ["another name than the path's", "/other", agentFile("sent"), 400, "invalid_manifest"],
    ["a path that can't be a name", "/..%2Fother", agentFile("sent"), 400, "invalid_manifest"],
    ["an agent of a file", "/helper", agentFile("helper"), 403, "owner_only"],
    ["what is broken", "/sent", agentFile("sent", { promts: {} }), 400, "invalid_manifest"],
  ])("refuses %s", async (_what, path, body, status, error) => {
    await using daemon = await start();
    const answer = await send(daemon, "PUT", path, body);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect((await daemon.call("GET", "/v1/agents")).body.agents).toHaveLength(1);
  });

  test("an agent of a file that the API may not write is 409 for the owner", async () => {
    await using daemon = await start();
    const { status, body } = await sendAsOwner(daemon, "PUT", "/helper", agentFile("helper"));
    expect([status, body.error]).toEqual([409, "agent_in_file"]);
  });

  test("refuses a broken version and continues with the last", async () => {
    await using daemon = await start();
    await send(daemon, "PUT", "/sent", described("sent", "good"));
    await send(daemon, "PUT", "/sent", agentFile("sent", { promts: {} }));
    expect((await daemon.call("GET", "/v1/agents/sent")).body).toMatchObject({
      description: "good",
      status: "ready",
    });
  });

  test("of many at once the last wins, whole", async () => {
    await using daemon = await start();
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.map((number) => send(daemon, "PUT", "/sent", described("sent", `number ${number}`))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...numbers.slice(1).map(() => 200), 201]);
    const { description } = (await daemon.call("GET", "/v1/agents/sent")).body;
    expect(answers.map(({ body }) => body.description)).toContain(description);
  });
});

describe("DELETE /v1/agents/{name}", () => {
  test("takes the agent and its memory; its name is 404, and starts empty when it is sent again", async () => {
    await using daemon = await start();
    await send(daemon, "POST", "", agentFile("sent"));
    for (const session_id of ["s", "t"]) await daemon.run("sent", { query: "hi", session_id });
    await daemon.run("helper", { query: "hi", session_id: "s" });
    const answer = await daemon.call("DELETE", "/v1/agents/sent");
    expect([answer.status, answer.body]).toEqual([200, { status: "deleted", name: "sent" }]);
    expect((await daemon.run("sent", { query: "hi" })).status).toBe(404);
    expect((await daemon.call("DELETE", "/v1/agents/sent")).body.error).toBe("agent_not_found");
    await send(daemon, "POST", "", agentFile("sent"));
    for (const session of ["s", "t"]) {
      expect((await daemon.call("GET", `/v1/memory/sent/history/${session}`)).body.messages).toEqual([]);
    }
    expect((await daemon.call("GET", "/v1/memory/helper/history/s")).body.messages).toHaveLength(2);
  });

  test("lets a run in flight end, which leaves nothing to the next of its name", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await using daemon = await startDaemon({
      models: {
        lab: () => {
          asked.resolve();
          return { text: "Late.", after: answer.promise };
        },
      },
    });
    await send(daemon, "POST", "", agentFile("sent"));
    const running = daemon.run("sent", { query: "hi", session_id: "s" });
    await asked.promise;
    await daemon.call("DELETE", "/v1/agents/sent");
    await send(daemon, "POST", "", agentFile("sent"));
    answer.resolve();
    expect((await running).body.response).toBe("Late.");
    expect((await daemon.call("GET", "/v1/memory/sent/history/s")).body.messages).toEqual([]);
  });

  test("an agent of a file is 409 for the owner, and 403 for a stranger", async () => {
    await using daemon = await start();
    const stranger = await daemon.call("DELETE", "/v1/agents/helper");
    expect([stranger.status, stranger.body.error]).toEqual([403, "owner_only"]);
    const { status, body } = await daemon.asOwner("DELETE", "/v1/agents/helper");
    expect([status, body.error]).toEqual([409, "agent_in_file"]);
    expect(body.hint).toContain("PLATFORM_PERSIST_AGENTS");
  });

  test("makes those that lead to it fail, until it is back", async () => {
    await using daemon = await start();
    await send(daemon, "POST", "", agentFile("sent"));
    const tools = [{ name: "ask", type: "agent", config: { agent: "sent" } }];
    await send(daemon, "POST", "", agentFile("front", { tools }));
    await daemon.call("DELETE", "/v1/agents/sent");
    expect((await daemon.call("GET", "/v1/agents/front")).body.status).toBe("failed");
    await send(daemon, "POST", "", agentFile("sent"));
    expect((await daemon.call("GET", "/v1/agents/front")).body.status).toBe("ready");
  });
});

test("a file with the name of an agent that a stranger sent takes its place", async () => {
  await using daemon = await start();
  await send(daemon, "POST", "", described("sent", "sent"));
  daemon.writeAgent("sent.agent.yaml", described("sent", "of the file"));
  await daemon.clock.advance(1000);
  const { body } = await daemon.call("GET", "/v1/agents/sent");
  expect(body).toMatchObject({ description: "of the file", file: "agents/sent.agent.yaml" });
  expect((await send(daemon, "PUT", "/sent", described("sent", "again"))).body.error).toBe("owner_only");
});

test("a file with the name of an agent that the owner sent waits until that one is deleted, and says so", async () => {
  await using daemon = await start();
  await sendAsOwner(daemon, "POST", "", described("sent", "sent"));
  daemon.writeAgent("sent.agent.yaml", described("sent", "of the file"));
  await daemon.clock.advance(1000);
  const { body } = await daemon.call("GET", "/v1/agents/sent");
  expect(body).toMatchObject({
    description: "sent",
    error: expect.stringContaining("agents/sent.agent.yaml"),
  });
  expect((await daemon.asOwner("DELETE", "/v1/agents/sent")).body.error).toBe("agent_ambiguous");
});

describe("POST /v1/agents/validate", () => {
  test.each([
    ["a good one", agentFile("sent"), { valid: true, name: "sent", problems: [] }],
    ["one in place of another", agentFile("helper"), { valid: true, name: "helper", problems: [] }],
    [
      "a broken one",
      agentFile("sent", { promts: {} }),
      { valid: false, problems: [{ path: "spec.promts", message: expect.any(String) }] },
    ],
    [
      "one that leads to nobody",
      agentFile("sent", { tools: [{ name: "ask", type: "agent", config: { agent: "nobody" } }] }),
      { valid: false, problems: [{ path: "spec.tools[0].config.agent", message: expect.any(String) }] },
    ],
  ])("says of %s what would become of it, and changes nothing", async (_what, body, expected) => {
    await using daemon = await start();
    const before = (await daemon.call("GET", "/v1/agents")).text;
    const answer = await send(daemon, "POST", "/validate", body);
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect((await daemon.call("GET", "/v1/agents")).text).toBe(before);
  });
});

describe("GET /v1/agents/{name}/manifest", () => {
  test("is the text as it was written, or what it says", async () => {
    await using daemon = await startDaemon({
      agents: { "one.agent.yaml": `# kept\n${agentFile("one", { identity: { description: `\${PLACE}` } })}` },
      configure: (config) => ({ ...config, variable: (name) => (name === "PLACE" ? "secret" : undefined) }),
    });
    expect((await daemon.call("GET", "/v1/agents/one")).body.description).toBe("secret");
    const text = await daemon.call("GET", "/v1/agents/one/manifest");
    expect(text.headers.get("content-type")).toStartWith("application/yaml");
    expect(text.text).toStartWith("# kept\n");
    expect(text.text).not.toContain("secret");
    const value = await daemon.call("GET", "/v1/agents/one/manifest?format=json");
    expect(value.headers.get("content-type")).toContain("application/json");
    expect(value.body.spec.identity).toEqual({ description: `\${PLACE}` });
    expect((await daemon.call("GET", "/v1/agents/one/manifest?format=toml")).status).toBe(400);
    expect((await daemon.call("GET", "/v1/agents/nobody/manifest")).body.error).toBe("agent_not_found");
  });

  test("is the newest text, also when that was refused", async () => {
    await using daemon = await start();
    daemon.writeAgent("helper.agent.yaml", "a: [b");
    await daemon.clock.advance(1000);
    expect((await daemon.call("GET", "/v1/agents/helper/manifest")).text).toBe("a: [b");
    expect((await daemon.call("GET", "/v1/agents/helper/manifest?format=json")).body.error).toBe(
      "invalid_manifest",
    );
  });

  test("of what was sent in JSON is YAML that says the same", async () => {
    await using daemon = await start();
    const sent = JSON.parse(
      agentFile("sent", { identity: { description: "yes", role: "0755: #x\n  - 'y'" } }),
    );
    await sendAsOwner(daemon, "POST", "", JSON.stringify(sent));
    expect((await daemon.call("GET", "/v1/agents/sent/manifest")).text).toStartWith(
      "apiVersion: platform/v1\n",
    );
    expect((await daemon.call("GET", "/v1/agents/sent/manifest?format=json")).body).toEqual(sent);
  });
});

describe("a paused agent", () => {
  test("takes no runs, on any surface, until it is deployed", async () => {
    await using daemon = await startDaemon({
      agents: {
        "one.agent.yaml": agentFile("one"),
        "front.agent.yaml": agentFile("front", {
          tools: [{ name: "ask", type: "agent", config: { agent: "one" } }],
        }),
      },
      models: {
        lab: ({ body }) =>
          body.tools !== undefined && body.messages.at(-1)?.role !== "tool"
            ? { toolCalls: [{ name: "ask", arguments: { query: "hi" } }] }
            : { text: "Hello there." },
      },
    });
    const socket = await openSocket(daemon.url, "one");
    await daemon.run("one", { query: "hi", session_id: "s" });
    const paused = await daemon.call("POST", "/v1/agents/one/pause");
    expect([paused.status, paused.body.status]).toEqual([200, "paused"]);
    expect((await daemon.call("POST", "/v1/agents/one/pause")).body.status).toBe("paused");

    const refused = { error: "agent_paused", hint: expect.stringContaining("/deploy") };
    const run = await daemon.run("one", { query: "hi" });
    expect([run.status, run.body]).toEqual([409, expect.objectContaining(refused)]);
    const events = await daemon.run("one", { query: "hi" }, { headers: { accept: "text/event-stream" } });
    expect([events.status, events.body.error]).toEqual([409, "agent_paused"]);
    socket.send({ query: "hi" });
    expect(await socket.answer()).toMatchObject([{ type: "error", error: "agent_paused" }]);
    socket.leave();
    await expect(openSocket(daemon.url, "one")).rejects.toThrow();
    expect((await daemon.call("POST", "/v1/agents/one/stream-ticket")).body.error).toBe("agent_paused");
    const completion = await daemon.call("POST", "/v1/chat/completions", {
      body: { model: "agent/one", messages: [{ role: "user", content: "hi" }] },
    });
    expect([completion.status, completion.body.error.code]).toEqual([409, "agent_paused"]);
    const models = (await daemon.call("GET", "/v1/models")).body.data.map(({ id }: { id: string }) => id);
    expect(models).toEqual(["agent/front"]);
    const front = await daemon.run("front", { query: "hi" });
    expect(front.body.tool_calls).toMatchObject([
      { tool: "ask", output: { success: false, error: expect.stringContaining("paused") } },
    ]);
    expect((await daemon.call("GET", "/v1/memory/one/history/s")).body.messages).toHaveLength(2);
    expect((await daemon.call("GET", "/v1/health")).body.agents_loaded).toBe(2);
    expect((await daemon.call("GET", "/v1/system/status")).body.status).toBe("healthy");

    const deployed = await daemon.call("POST", "/v1/agents/one/deploy");
    expect([deployed.status, deployed.body.status]).toEqual([200, "ready"]);
    expect((await daemon.call("POST", "/v1/agents/one/deploy")).status).toBe(200);
    expect((await daemon.run("one", { query: "hi" })).status).toBe(200);
  });

  test("ends the runs it has, and stays paused when its file changes or it is replaced", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await using daemon = await startDaemon({
      models: {
        lab: () => {
          asked.resolve();
          return { text: "Late.", after: answer.promise };
        },
      },
    });
    await send(daemon, "POST", "", agentFile("sent"));
    const running = daemon.run("helper", { query: "hi" });
    await asked.promise;
    for (const name of ["helper", "sent"]) await daemon.call("POST", `/v1/agents/${name}/pause`);
    answer.resolve();
    expect((await running).body.response).toBe("Late.");
    daemon.writeAgent("helper.agent.yaml", described("helper", "changed"));
    await daemon.clock.advance(1000);
    await send(daemon, "PUT", "/sent", described("sent", "changed"));
    for (const name of ["helper", "sent"]) {
      const { body } = await daemon.call("GET", `/v1/agents/${name}`);
      expect(body).toMatchObject({ status: "paused", description: "changed" });
    }
  });

  test("that is deleted leaves no pause to the next of its name", async () => {
    await using daemon = await start();
    await send(daemon, "POST", "", agentFile("sent"));
    await daemon.call("POST", "/v1/agents/sent/pause");
    await daemon.call("DELETE", "/v1/agents/sent");
    await send(daemon, "POST", "", agentFile("sent"));
    expect((await daemon.call("GET", "/v1/agents/sent")).body.status).toBe("ready");
  });

  test("that failed is 503 when deployed; an unknown one can't be paused or deployed", async () => {
    await using daemon = await startDaemon({ agents: { "torn.agent.yaml": "a: [b" } });
    expect((await daemon.call("POST", "/v1/agents/torn/pause")).body.status).toBe("paused");
    const deployed = await daemon.call("POST", "/v1/agents/torn/deploy");
    expect([deployed.status, deployed.body.error]).toEqual([503, "agent_failed"]);
    for (const verb of ["pause", "deploy"]) {
      expect((await daemon.call("POST", `/v1/agents/nobody/${verb}`)).body.error).toBe("agent_not_found");
    }
  });
});
