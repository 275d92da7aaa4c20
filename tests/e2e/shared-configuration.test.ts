import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../support/daemon.ts";
import { executableTest } from "../support/executable.ts";
import { agentFiles, patientMesh, startMeshNodes } from "../support/mesh-nodes.ts";
import { ownPostgresServer, postgresMissing } from "../support/postgres.ts";
import { untilTrue } from "../support/until-true.ts";

const names = ["a", "b", "c"] as const;
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;

executableTest(
  "agents that a node creates, pauses and deletes are the same on all nodes, also after a kill",
  async () => {
    const url = await (await ownPostgresServer()).createDatabase();
    await using mesh = await startMeshNodes({
      agents: Object.fromEntries(names.map((name) => [name, agentFiles("helper")])),
      models: [{ text: "Hello." }],
      spec: () => patientMesh,
      env: () => ({ DATABASE_URL: url, ARGOSY_SEALING_KEYS: ring(1), ARGOSY_JWT_KEYS: ring(2) }),
    });
    const [a, b, c] = names.map((name) => mesh.get(name));
    if (!a || !b || !c) throw new Error("A node is missing.");
    expect((await a.call("POST", "/v1/agents", { body: JSON.parse(agentFile("shop")) })).status).toBe(201);
    for (const node of [b, c])
      await untilTrue(async () => (await node.call("GET", "/v1/agents/shop")).status === 200);
    expect((await b.call("POST", "/v1/agents/shop/pause")).status).toBe(200);
    for (const node of [a, c])
      await untilTrue(async () => (await node.run("shop", "Hello?", "s1")).body.error === "agent_paused");
    expect((await c.call("POST", "/v1/agents/shop/deploy")).status).toBe(200);
    // A file of one node, saved by an editor.
    writeFileSync(join(mesh.folder("c"), "agents/file.agent.yaml"), agentFile("file"));
    for (const node of [a, b])
      await untilTrue(async () => (await node.call("GET", "/v1/agents/file")).status === 200);
    b.kill("SIGKILL");
    await b.exited;
    expect((await a.call("DELETE", "/v1/agents/shop")).status).toBe(200);
    const again = await mesh.restart("b");
    expect((await again.call("GET", "/v1/agents/shop")).status).toBe(404);
    expect(readFileSync(join(mesh.folder("b"), "agents/file.agent.yaml"), "utf8")).toBe(agentFile("file"));
  },
  postgresMissing,
);
