import { systemClock } from "../../../src/kit/clock.ts";
import { MessageSigner } from "../../../src/mesh/message-signature.ts";
import { expectOk, fill, MIB, type RouteRow, times, type World } from "./route-row.ts";
import { agentOf } from "./wide-specs.ts";

/** Secret and name of the node that is measured. */
export const meshSecret = "mesh-secret-of-the-bench-with-32-bytes";
export const nodeName = "measured";

/** Requests of other nodes, and of strangers who forge them. */
export async function meshRoutes({ askOf }: World): Promise<RouteRow[]> {
  const daemon = askOf("daemon");
  const signers = {
    genuine: new MessageSigner(meshSecret, systemClock),
    forged: new MessageSigner(`${meshSecret}-of-another-mesh`, systemClock),
  };
  const send = (by: keyof typeof signers, path: string, body: string) => {
    const signature = signers[by].sign({ nodeId: "peer", incarnation: 1 }, path, body);
    return daemon("POST", path, { body, headers: { "argosy-mesh": signature } });
  };
  const entry = (n: number, agents: number) => ({
    node_id: `node-${n}`,
    address: `127.0.0.1:${20_000 + n}`,
    state: "dead",
    heartbeat: 1,
    incarnation: 1,
    agents: times(agents, (at) => `agent-${at}`),
    active_requests: 0,
  });
  const gossip = (nodes: number, agents: number) =>
    JSON.stringify({ sender: "peer", state: times(nodes, (n) => entry(n, agents)) });
  const run = (query: string, more: object = {}) =>
    JSON.stringify({
      from: "peer",
      to: nodeName,
      agent: "hopped",
      sender: "stranger",
      session_id: "s",
      query,
      context: {},
      stream: false,
      ...more,
    });
  const image = { mediaType: "image/png", data: fill("iVBORw0KGgoAAAANSUhEUg", 5 * MIB - 1000) };
  const numbers = { context: { a: times(500_000, (n) => n) } };
  return [
    {
      name: "mesh: state",
      before: () => expectOk(daemon("POST", "/v1/agents", { body: agentOf("hopped", {}) })),
      ask: () => daemon("GET", "/v1/mesh/state"),
    },
    ...(["forged", "genuine"] as const).flatMap((by): RouteRow[] => [
      {
        name: `mesh: ${by} gossip of 512 nodes with 500 agents`,
        ask: () => send(by, "/v1/mesh/gossip", gossip(512, 500)),
      },
      {
        name: `mesh: ${by} gossip of 4 MiB of numbers`,
        ask: () => send(by, "/v1/mesh/gossip", `{"state":[${fill("1,", 4 * MIB - 99)}1]}`),
      },
      {
        name: `mesh: ${by} election of 4 MiB of small objects`,
        ask: () => send(by, "/v1/mesh/election", `{"a":[${'{"a":1},'.repeat(MIB / 2 - 99)}1]}`),
      },
      {
        name: `mesh: ${by} run with a long query`,
        ask: () => send(by, "/v1/mesh/run", run(fill("a b ", 256 * 1024))),
      },
      {
        name: `mesh: ${by} run with 15 MiB of images`,
        ask: () => send(by, "/v1/mesh/run", run("hi", { images: times(3, () => image) })),
      },
      {
        name: `mesh: ${by} run with a context of 500,000 numbers`,
        ask: () => send(by, "/v1/mesh/run", run("hi", numbers)),
      },
      {
        name: `mesh: ${by} completion with 15 MiB of images`,
        ask: () =>
          send(
            by,
            "/v1/mesh/completion",
            JSON.stringify({
              model: "rehearsal/rehearsal",
              messages: times(3, () => ({
                role: "user",
                content: [
                  { type: "text", text: "hi" },
                  { type: "image_url", image_url: { url: `data:image/png;base64,${image.data}` } },
                ],
              })),
            }),
          ),
      },
    ]),
  ];
}
