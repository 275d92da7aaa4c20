import { expect } from "bun:test";
import { executableTest } from "../support/executable.ts";
import { agentFiles, startMeshNodes } from "../support/mesh-nodes.ts";
import type { ModelStep } from "../support/model-server.ts";
import { untilTrue } from "../support/until-true.ts";

const hello: ModelStep = { text: "Hello from afar." };

executableTest("a run of an agent that only another node has looks as if it had been here", async () => {
  await using mesh = await startMeshNodes({
    agents: { a: {}, b: agentFiles("helper") },
    models: (_, number) => (number === 0 ? { status: 400, body: "{}" } : hello),
  });
  const [a, b] = [mesh.get("a"), mesh.get("b")];
  // An error of the run itself has the same status and body.
  const failedThere = await a.run("helper", "Hello?", "s0");
  expect(failedThere.status).toBe(502);
  expect(failedThere.body.error).toBe("provider_failed");
  expect(failedThere.body.trace_id).toBeString();

  const answer = await a.run("helper", "Hello?", "s1");
  expect(answer).toMatchObject({ status: 200, body: { agent: "helper", response: "Hello from afar." } });
  expect(answer.body.session_id).toBe("s1");
  // The conversation is where the run was; the trace is found on both.
  expect(await b.history("helper", "s1")).toEqual(["user: Hello?", "assistant: Hello from afar."]);
  for (const node of [a, b]) {
    const trace = await node.call("GET", `/v1/traces/${answer.body.trace_id}`);
    expect(trace.body.spans[0].attributes).toMatchObject({ routed_from: "a", session: "s1" });
  }

  const stream = await a.call("POST", "/v1/agents/helper/run", {
    body: { query: "Hello?", session_id: "s2" },
    headers: { accept: "text/event-stream" },
  });
  const frames = stream.text.split("\n\n").filter((line) => line.startsWith("data: "));
  const events = frames.map((line) => JSON.parse(line.slice("data: ".length)));
  const tokens = events.filter(({ type }) => type === "token").map(({ content }) => content);
  expect(tokens.join("")).toBe("Hello from afar.");
  expect(events.at(-1)).toMatchObject({ type: "done", response: "Hello from afar.", session_id: "s2" });

  const socket = new WebSocket(`${a.url.replace("http", "ws")}/v1/ws/agent/helper`);
  const done = Promise.withResolvers<unknown>();
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data));
    if (frame.type === "done" || frame.type === "error") done.resolve(frame);
  };
  socket.onopen = () => socket.send(JSON.stringify({ query: "Hello?", session_id: "s3" }));
  expect(await done.promise).toMatchObject({ type: "done", response: "Hello from afar." });
  socket.close();

  const completion = await a.call("POST", "/v1/chat/completions", {
    body: { model: "agent/helper", messages: [{ role: "user", content: "Hello?" }] },
  });
  expect(completion.body.choices[0].message.content).toBe("Hello from afar.");
  expect((await a.call("GET", "/v1/models")).text).toContain("agent/helper");

  const rpc = (method: string, params: object, session?: string) =>
    a.call("POST", "/mcp", {
      body: { jsonrpc: "2.0", id: 1, method, params },
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
    });
  const clientInfo = { name: "test", version: "1" };
  const opened = await rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  const session = opened.headers.get("mcp-session-id") ?? "";
  const called = await rpc("tools/call", { name: "agent_helper", arguments: { query: "Hello?" } }, session);
  expect(called.text).toContain("Hello from afar.");
  expect((await rpc("tools/list", {}, session)).text).toContain("agent_helper");

  expect((await a.run("nobody", "Hello?")).body.error).toBe("agent_not_found");
  expect((await a.call("GET", "/metrics")).text).toContain('platform_mesh_runs_sent_total{outcome="ok"}');
  expect((await b.call("GET", "/metrics")).text).toContain("platform_mesh_runs_received_total");
});

executableTest(
  "a node killed before its first byte: another one answers, and the provider is called twice",
  async () => {
    const release = Promise.withResolvers<void>();
    await using mesh = await startMeshNodes({
      agents: { a: {}, b: agentFiles("helper"), c: agentFiles("helper") },
      models: (_, number) => (number === 0 ? { ...hello, after: release.promise } : hello),
    });
    const answer = mesh.get("a").run("helper", "Hello?", "s1");
    await untilTrue(() => mesh.models.requests.length === 1);
    const metrics = async (name: string) => (await mesh.get(name).call("GET", "/metrics")).text;
    const isBusy = async (name: string) => (await metrics(name)).includes("platform_runs_in_flight 1");
    const first = (await isBusy("b")) ? "b" : "c";
    mesh.get(first).kill("SIGKILL");
    expect(await answer).toMatchObject({ status: 200, body: { response: "Hello from afar." } });
    expect(mesh.models.requests).toHaveLength(2);
    expect(await metrics("a")).toContain("platform_mesh_runs_moved_total 1");
    release.resolve();
  },
);

executableTest("a node killed after its first byte: a clear error, and nothing is repeated", async () => {
  const release = Promise.withResolvers<void>();
  await using mesh = await startMeshNodes({
    agents: { a: {}, b: agentFiles("helper"), c: agentFiles("helper") },
    models: [{ text: ["One ", "two ", "three."], hold: { afterEvents: 2, until: release.promise } }],
  });
  const response = await fetch(`${mesh.get("a").url}/v1/agents/helper/run`, {
    method: "POST",
    body: JSON.stringify({ query: "Count.", session_id: "s1" }),
    headers: { accept: "text/event-stream" },
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const isFirst = text === "";
    text += decoder.decode(chunk, { stream: true });
    if (!isFirst || !text.includes("One")) continue;
    for (const name of ["b", "c"]) {
      const { text: page } = await mesh.get(name).call("GET", "/metrics");
      if (page.includes("platform_runs_in_flight 1")) mesh.get(name).kill("SIGKILL");
    }
  }
  expect(text).toContain('"error":"node_lost"');
  expect(mesh.models.requests).toHaveLength(1);
  release.resolve();
});

executableTest("a paused node: another one answers, and the run that waited there never starts", async () => {
  await using mesh = await startMeshNodes({
    agents: { a: {}, b: agentFiles("helper"), c: agentFiles("helper") },
    models: [hello],
  });
  const a = mesh.get("a");
  // Of twenty sessions, some belong to the paused node.
  const sessions = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const b = mesh.get("b");
  b.kill("SIGSTOP");
  const answers = await Promise.all(sessions.map((session) => a.run("helper", "Hello?", session)));
  expect(answers.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  b.kill("SIGCONT");
  await mesh.converged("a", "b", "c");
  expect(mesh.models.requests).toHaveLength(sessions.length);
  const { text } = await b.call("GET", "/metrics");
  expect(text).not.toContain("platform_mesh_runs_received_total{");
});

executableTest("closing the stream cancels the run on the other node", async () => {
  const release = Promise.withResolvers<void>();
  await using mesh = await startMeshNodes({
    agents: { a: {}, b: agentFiles("helper") },
    models: [{ text: ["One ", "two."], hold: { afterEvents: 1, until: release.promise } }],
  });
  const left = new AbortController();
  const response = await fetch(`${mesh.get("a").url}/v1/agents/helper/run`, {
    method: "POST",
    body: JSON.stringify({ query: "Count." }),
    headers: { accept: "text/event-stream" },
    signal: left.signal,
  });
  await untilTrue(() => mesh.models.requests.length === 1);
  left.abort();
  await response.text().catch(() => undefined);
  await mesh.models.requests[0]?.cut;
  release.resolve();
});
