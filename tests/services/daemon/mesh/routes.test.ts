import { describe, expect, test } from "bun:test";
import type { MeshEntry } from "../../../../src/contracts/daemon/mesh.ts";
import { answerHeader, MessageSigner, signatureHeader } from "../../../../src/mesh/message-signature.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";

const secret = "mesh-secret-of-at-least-32-bytes-!";
const sender = { nodeId: "n2", incarnation: 3 };

const startMesh = (address = "127.0.0.1:8000") =>
  startDaemon({
    configure: (config) => ({
      ...config,
      mesh: {
        nodeName: "n1",
        address,
        seeds: [],
        secret,
        tickMs: 1_000,
        gossipMs: 1_000,
        suspectMs: 5_000,
        deadMs: 15_000,
      },
    }),
  });

/** Sends messages to a daemon as a node of its mesh. */
function nodeOf(daemon: TestDaemon, as = sender, withSecret = secret) {
  const signer = new MessageSigner(withSecret, daemon.clock);
  const post = (name: string, body: unknown) => {
    const path = `/v1/mesh/${name}`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const header = signer.sign(as, path, text);
    return daemon.call("POST", path, { body: text, headers: { [signatureHeader]: header } });
  };
  return { signer, post };
}

const entry = (over: Partial<MeshEntry> = {}): MeshEntry => ({
  node_id: "n2",
  address: "127.0.0.1:8002",
  state: "alive",
  heartbeat: 4,
  incarnation: 3,
  agents: ["helper"],
  active_requests: 0,
  ...over,
});

const joining = { node_id: "n2", address: "127.0.0.1:8002", agents: [], meta: { version: "9.9.9" } };
const gossip = (...state: unknown[]) => ({ sender: "n2", state });

test("a node joins, gossips, beats and leaves", async () => {
  await using daemon = await startMesh();
  const { post } = nodeOf(daemon);
  expect((await post("join", joining)).body).toEqual({ status: "joined", leader: "n1", cluster_size: 2 });
  const told = await post("gossip", gossip(entry()));
  expect(told.body).toMatchObject({
    sender: "n1",
    state: [{ node_id: "n1" }, { node_id: "n2", heartbeat: 4 }],
  });
  expect((await post("heartbeat", { node_id: "n2", heartbeat: 9, active_requests: 2 })).body).toEqual({
    ack: true,
  });
  expect((await post("election", { type: "election", sender: "n2" })).body).toMatchObject({
    type: "ok",
    sender: "n1",
  });
  const state = await daemon.call("GET", "/v1/mesh/state");
  expect(state.body).toMatchObject({
    this_node: "n1",
    leader: "n1",
    nodes: [
      { node_id: "n1", agents: ["helper"], state: "alive" },
      { node_id: "n2", heartbeat: 9, active_requests: 2, state: "alive" },
    ],
  });
  expect((await post("leave", { node_id: "n2" })).body).toEqual({ status: "left", drained_requests: 0 });
  expect((await daemon.call("GET", "/v1/mesh/state")).body.nodes[1]).toMatchObject({
    state: "dead",
    has_left: true,
  });
  expect((await daemon.call("GET", "/v1/system/status")).body).toMatchObject({ mode: "mesh" });
});

test("the answer is signed for the message it answers", async () => {
  await using daemon = await startMesh();
  const { signer } = nodeOf(daemon);
  const body = JSON.stringify(gossip());
  const header = signer.sign(sender, "/v1/mesh/gossip", body);
  const answer = await daemon.call("POST", "/v1/mesh/gossip", {
    body,
    headers: { [signatureHeader]: header },
  });
  signer.verifyAnswer(header, answer.headers.get(answerHeader), answer.text);
});

describe("refusals", () => {
  const many = Array.from({ length: 513 }, (_, at) => entry({ node_id: `m${at}` }));
  test.each<[string, string, unknown, number, string]>([
    ["a heartbeat that is negative", "gossip", gossip(entry({ heartbeat: -1 })), 400, "invalid_request"],
    ["a heartbeat that is a text", "gossip", gossip({ ...entry(), heartbeat: "9" }), 400, "invalid_request"],
    [
      "a heartbeat that is not a number",
      "gossip",
      '{"sender":"n2","state":[{"heartbeat":NaN}]}',
      400,
      "invalid_request",
    ],
    ["a heartbeat that is too high", "gossip", gossip(entry({ heartbeat: 2 ** 60 })), 400, "invalid_request"],
    ["more nodes than a mesh has", "gossip", gossip(...many), 400, "invalid_request"],
    ["a name with a line break", "gossip", gossip(entry({ node_id: "a\nb" })), 400, "invalid_request"],
    ["a name of a megabyte", "join", { ...joining, node_id: "a".repeat(1_000_000) }, 400, "invalid_request"],
    [
      "a metadata service",
      "gossip",
      gossip(entry({ address: "169.254.169.254:80" })),
      422,
      "node_address_refused",
    ],
    [
      "a metadata service that joins",
      "join",
      { ...joining, address: "[fe80::1]:80" },
      422,
      "node_address_refused",
    ],
    [
      "a node that speaks for another",
      "heartbeat",
      { node_id: "n3", heartbeat: 1, active_requests: 0 },
      403,
      "not_own_name",
    ],
    [
      "a heartbeat of a stranger",
      "heartbeat",
      { node_id: "n2", heartbeat: 1, active_requests: 0 },
      404,
      "node_not_found",
    ],
    ["a farewell of a stranger", "leave", { node_id: "n9" }, 404, "node_not_found"],
    [
      "a leader of an old term",
      "election",
      { type: "coordinator", sender: "n2", term: 0 },
      409,
      "stale_term",
    ],
    ["no JSON", "gossip", "{", 400, "invalid_request"],
    ["nothing", "gossip", "", 400, "invalid_request"],
  ])("%s", async (_, name, body, status, code) => {
    await using daemon = await startMesh();
    const answer = await nodeOf(daemon).post(name, body);
    expect([answer.status, answer.body.error]).toEqual([status, code]);
    expect((await daemon.call("GET", "/v1/mesh/state")).body.nodes).toHaveLength(1);
  });

  test("a wrong key, a missing signature and a repeated message are 401", async () => {
    await using daemon = await startMesh();
    const stranger = await nodeOf(daemon, sender, "x".repeat(32)).post("gossip", gossip());
    expect([stranger.status, stranger.body.error]).toEqual([401, "mesh_signature_invalid"]);
    const unsigned = await daemon.call("POST", "/v1/mesh/leave", { body: { node_id: "n1" } });
    expect([unsigned.status, unsigned.body.error]).toEqual([401, "mesh_signature_missing"]);
    const body = JSON.stringify(gossip(entry()));
    const headers = { [signatureHeader]: nodeOf(daemon).signer.sign(sender, "/v1/mesh/gossip", body) };
    expect((await daemon.call("POST", "/v1/mesh/gossip", { body, headers })).status).toBe(200);
    const again = await daemon.call("POST", "/v1/mesh/gossip", { body, headers });
    expect([again.status, again.body.error]).toEqual([401, "mesh_message_repeated"]);
  });

  test("the name of a living node is 409", async () => {
    await using daemon = await startMesh();
    const { post } = nodeOf(daemon);
    await post("gossip", gossip(entry()));
    const answer = await post("join", { ...joining, address: "127.0.0.1:9999" });
    expect([answer.status, answer.body.error]).toEqual([409, "node_name_taken"]);
    const own = await nodeOf(daemon, { nodeId: "n1", incarnation: 1 }).post("join", {
      ...joining,
      node_id: "n1",
    });
    expect([own.status, own.body.error]).toEqual([409, "node_name_taken"]);
  });

  test("more than fifty nodes that join in a second", async () => {
    await using daemon = await startMesh();
    const { post } = nodeOf(daemon);
    const answers = await Promise.all(Array.from({ length: 60 }, () => post("join", joining)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toBe("too_many_joins");
    expect(refused?.headers.get("retry-after")).toBe("1");
  });

  test("this machine's address, when the node itself is on the network", async () => {
    await using daemon = await startMesh("10.1.2.3:8000");
    const { post } = nodeOf(daemon);
    expect((await post("gossip", gossip(entry({ address: "127.0.0.1:22" })))).body.error).toBe(
      "node_address_refused",
    );
    expect((await post("gossip", gossip(entry({ address: "10.1.2.4:8000" })))).status).toBe(200);
  });
});

test("the owner lets this node leave without a signature", async () => {
  await using daemon = await startMesh();
  const answer = await daemon.asOwner("POST", "/v1/mesh/leave", { body: { node_id: "n1" } });
  expect(answer.body).toEqual({ status: "left", drained_requests: 0 });
  expect((await daemon.call("GET", "/v1/mesh/state")).body.nodes[0]).toMatchObject({
    state: "dead",
    has_left: true,
  });
});

describe("a node whose name another living node has", () => {
  test("is not ready (503) until no other node claims the name", async () => {
    const message = "The node n1 is alive at 10.0.0.7:8000. Give this node another name.";
    using seed = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ error: "node_name_taken", message }, { status: 409 }),
    });
    await using daemon = await startMesh();
    const body = { node_id: "n1", address: `127.0.0.1:${seed.port}`, agents: [] };
    const refused = await daemon.asOwner("POST", "/v1/mesh/join", { body });
    expect([refused.status, refused.body.error]).toEqual([409, "node_name_taken"]);
    const readiness = await daemon.call("GET", "/readyz");
    expect(readiness.status).toBe(503);
    expect(readiness.body.checks).toContainEqual({ name: "mesh", ok: false, message });
    const { body: doctor } = await daemon.call("GET", "/v1/system/doctor");
    const check = doctor.checks.find(({ name }: { name: string }) => name === "mesh");
    expect([check.status, check.mend]).toEqual(["failing", "Give this node another PLATFORM_NODE_NAME."]);
    expect(check.message).toContain(message);
    await daemon.clock.advance(15_000);
    expect((await daemon.call("GET", "/readyz")).status).toBe(200);
  });
});
