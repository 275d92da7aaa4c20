import { systemClock } from "../../../src/kit/clock.ts";
import { MessageSigner } from "../../../src/mesh/message-signature.ts";
import { agentOf, fill, MIB, times } from "../hostile.ts";
import { expectOk, type RouteRow, type World } from "./route-row.ts";

/** Secret and name of the node that is measured. */
export const meshSecret = "mesh-secret-of-the-bench-with-32-bytes";
export const nodeName = "measured";

/** Requests of other nodes, and of strangers who forge them. */
export async function meshRoutes({ askOf }: World): Promise<RouteRow[]> {
  const daemon = askOf("daemon");
  const image = { mediaType: "image/png", data: fill("iVBORw0KGgoAAAANSUhEUg", 5 * MIB - 1000) };
  const imageUrl = { type: "image_url", image_url: { url: `data:image/png;base64,${image.data}` } };
  const gossip = {
    sender: "peer",
    state: times(512, (n) => ({
      node_id: `node-${n}`,
      address: `127.0.0.1:${20_000 + n}`,
      state: "dead",
      heartbeat: 1,
      incarnation: 1,
      agents: times(500, (at) => `agent-${at}`),
      active_requests: 0,
    })),
  };
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
  const completion = {
    model: "rehearsal/rehearsal",
    messages: times(3, () => ({ role: "user", content: [{ type: "text", text: "hi" }, imageUrl] })),
  };
  const bodies: [name: string, path: string, body: string][] = [
    ["gossip of 512 nodes with 500 agents", "gossip", JSON.stringify(gossip)],
    ["gossip of 4 MiB of numbers", "gossip", `{"state":[${fill("1,", 4 * MIB - 99)}1]}`],
    ["election of 4 MiB of small objects", "election", `{"a":[${'{"a":1},'.repeat(MIB / 2 - 99)}1]}`],
    ["run with a long query", "run", run(fill("a b ", 256 * 1024))],
    ["run with 15 MiB of images", "run", run("hi", { images: times(3, () => image) })],
    ["run with a context of 500,000 numbers", "run", run("hi", { context: { a: times(500_000, (n) => n) } })],
    ["completion with 15 MiB of images", "completion", JSON.stringify(completion)],
  ];
  return Object.entries({ forged: `${meshSecret}-of-another-mesh`, genuine: meshSecret }).flatMap(
    ([by, secret]) => {
      const signer = new MessageSigner(secret, systemClock);
      return bodies.map(
        ([name, at, body], index): RouteRow => ({
          name: `mesh: ${by} ${name}`,
          before: async () => {
            if (by === "forged" && index === 0)
              await expectOk(daemon("POST", "/v1/agents", { body: agentOf("hopped", {}) }));
          },
          ask: () => {
            const path = `/v1/mesh/${at}`;
            const signature = signer.sign({ nodeId: "peer", incarnation: 1 }, path, body);
            return daemon("POST", path, { body, headers: { "argosy-mesh": signature } });
          },
        }),
      );
    },
  );
}
