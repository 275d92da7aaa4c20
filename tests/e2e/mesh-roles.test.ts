import { expect } from "bun:test";
import { agentFile } from "../support/daemon.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { agentFiles, startMeshNodes } from "../support/mesh-nodes.ts";
import { meshSecret } from "../support/mesh-secret.ts";
import { startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { untilTrue } from "../support/until-true.ts";
import { writeFiles } from "../support/write-files.ts";

const hello = [{ text: "Hello from afar." }] as const;
/** An agent whose model only inference nodes have. */
const distant = agentFile("distant", { model: { primary: { provider: "mesh", model: "lab/test-model" } } });

executableTest(
  "a gateway, a worker and an inference node answer together, and each says what it lacks",
  async () => {
    await using mesh = await startMeshNodes({
      agents: {
        // All nodes have the same workspace, as with a shared volume.
        gateway: { ...agentFiles("helper"), "distant.agent.yaml": distant },
        worker: { ...agentFiles("helper"), "distant.agent.yaml": distant },
        inference: { ...agentFiles("helper"), "distant.agent.yaml": distant },
      },
      models: hello,
      providers: (node, url) =>
        node === "inference" ? { lab: { type: "vllm", endpoint: url, models: ["test-model"] } } : {},
      services: [],
      env: (node) => ({ PLATFORM_ROLE: `mesh-${node}`, PLATFORM_MESH_ENABLED: "" }),
    });
    const [gateway, worker, inference] = ["gateway", "worker", "inference"].map((name) => mesh.get(name));
    if (!gateway || !worker || !inference) throw new Error("A node is missing.");
    const state = (await gateway.call("GET", "/v1/mesh/state")).body;
    const agentsOf = (id: string) => state.nodes.find((node: { node_id: string }) => node.node_id === id);
    expect(agentsOf("gateway")).toMatchObject({ role: "gateway", agents: [] });
    expect(agentsOf("worker").agents).toContain("distant");
    expect(agentsOf("inference")).toMatchObject({
      role: "inference",
      agents: [],
      models: ["lab/test-model"],
    });

    const answer = await gateway.run("distant", "Hello?", "s1");
    expect(answer).toMatchObject({ status: 200, body: { response: "Hello from afar.", provider: "mesh" } });
    const stream = await gateway.call("POST", "/v1/agents/distant/run", {
      body: { query: "Hello?" },
      headers: { accept: "text/event-stream" },
    });
    expect(stream.text).toContain('"type":"done"');
    const direct = await inference.call("POST", "/v1/chat/completions", {
      body: { model: "lab/test-model", messages: [{ role: "user", content: "Hello?" }] },
    });
    expect(direct.status).toBe(200);

    const refusals: [typeof gateway, string, string][] = [
      [gateway, "POST", "/v1/agents"],
      [gateway, "POST", "/v1/rag/query"],
      [gateway, "GET", "/v1/memory/helper/history/s1"],
      [worker, "POST", "/v1/channels/phone_messenger/webhook"],
      [inference, "GET", "/v1/agents"],
      [inference, "POST", "/v1/agents/distant/run"],
      [inference, "POST", "/mcp"],
    ];
    for (const [node, method, path] of refusals) {
      const refused = await node.call(method, path, method === "POST" ? { body: {} } : {});
      expect([path, refused.status, refused.body.error]).toEqual([path, 421, "not_in_role"]);
      expect(refused.body.hint).toContain("Send the request to a node with the role");
    }
    // Without an inference node, the agent's run fails as it does without its provider.
    inference.kill("SIGKILL");
    const failed = await gateway.run("distant", "Hello?", "s1");
    expect([502, 503]).toContain(failed.status);
  },
);

executableTest("spec.peers names the workers of a gateway without a mesh", async () => {
  using front = temporaryFolder();
  using back = temporaryFolder();
  const models = await startModelServer(hello);
  const port = freePort();
  writeFiles(back.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: models.url } } }),
    "agents/helper.agent.yaml": agentFile("helper"),
  });
  const url = `http://127.0.0.1:${port}`;
  writeFiles(front.path, {
    "runtime.yaml": JSON.stringify({ spec: { peers: [{ name: "worker-1", url, services: ["daemon"] }] } }),
  });
  const env = { PLATFORM_MESH_SECRET: meshSecret };
  const gatewayEnv = { ...env, PLATFORM_ROLE: "gateway" };
  await using gateway = await startServer(front.path, { env: gatewayEnv });
  expect((await gateway.run("helper", "Hello?")).body.error).toBe("agent_not_found");
  const doctor = async () => (await argosy(front.path, ["doctor"], { env: gatewayEnv })).stdout;
  expect(await doctor()).toContain("worker-1");
  {
    await using worker = await startServer(back.path, {
      env: { ...env, PLATFORM_ROLE: "worker", PLATFORM_PORT: String(port) },
    });
    await untilTrue(async () => (await gateway.run("helper", "Hello?", "s1")).status === 200);
    expect(await worker.history("helper", "s1")).toHaveLength(2);
    expect(await doctor()).toContain("1 peers answer");
  }
  const gone = await gateway.run("helper", "Hello?", "s1");
  expect([gone.status, gone.body.error]).toEqual([503, "node_unreachable"]);
  await models.stop();
});

executableTest("settings that contradict a role are refused by name", async () => {
  using folder = temporaryFolder();
  const fault = async (env: Record<string, string>, runtime = "spec: {}") => {
    writeFiles(folder.path, { "runtime.yaml": runtime });
    const { code, stderr, stdout } = await argosy(folder.path, ["config"], { env });
    return { code, text: stderr + stdout };
  };
  const lonely = await fault({ PLATFORM_ROLE: "gateway" });
  expect(lonely.code).not.toBe(0);
  expect(lonely.text).toContain("gateway needs nodes that run agents");
  const peers = 'spec: {peers: [{name: p, url: "http://127.0.0.1:1", services: [cloud]}]}';
  expect((await fault({}, peers)).text).toContain("spec.peers[0].services");
  const meshed = 'spec: {peers: [{name: p, url: "http://127.0.0.1:1", services: [daemon]}]}';
  expect((await fault({ PLATFORM_MESH_ENABLED: "true" }, meshed)).text).toContain("can't be used in a mesh");
  const far = 'spec: {peers: [{name: p, url: "http://10.0.0.9:8000", services: [daemon]}]}';
  expect((await fault({}, far)).text).toContain("PLATFORM_MESH_SECRET");
});
