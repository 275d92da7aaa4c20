/**
 * A bare `Bun.serve` that hands each run to another one and passes its answer on: the least that any hop costs. Texts have the lengths of a
 * short run's, and nothing else is done. `capacity.ts --part hop` starts it:
 *
 *   bun scripts/bench/bare-hop.ts local|request|link [port of the other one]
 */

/** How a run reaches the other server: not at all, as a request of its own, or in one WebSocket for all. */
export type BareWay = "local" | "request" | "link";

const answer = JSON.stringify({ response: "x".repeat(560) });
const hopAnswer = `${"m".repeat(43)}\n${answer}\n${"t".repeat(800)}`;
const signature = "s".repeat(120);
const message = (body: string) => `${body}${"f".repeat(150)}`;
const json = { headers: { "content-type": "application/json" } };

/** Time that the model of each run takes; set by a request to `/model`. */
let modelMs = 0;

const [way, peer] = process.argv.slice(2);
const ask = way === "link" ? await openLink() : way === "request" ? post : undefined;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request, server) {
    const body = await request.text();
    if (request.url.endsWith("/link")) return server.upgrade(request) ? undefined : new Response("", json);
    if (request.url.endsWith("/model")) {
      modelMs = Number(body);
      return new Response();
    }
    if (ask === undefined && modelMs > 0) await Bun.sleep(modelMs);
    if (request.url.endsWith("/hop")) return new Response(hopAnswer, json);
    if (ask === undefined) return new Response(answer, json);
    const [, text] = (await ask(message(body))).split("\n");
    return new Response(text, json);
  },
  websocket: {
    async message(socket, frame) {
      if (modelMs > 0) await Bun.sleep(modelMs);
      const text = String(frame);
      socket.send(`${text.slice(0, text.indexOf("\n"))}\n${hopAnswer}`);
    },
  },
});
console.info(server.port);

async function post(body: string): Promise<string> {
  const headers = { "content-type": "application/json", "argosy-mesh": signature };
  return (await fetch(`http://127.0.0.1:${peer}/hop`, { method: "POST", body, headers })).text();
}

async function openLink(): Promise<(body: string) => Promise<string>> {
  const socket = new WebSocket(`ws://127.0.0.1:${peer}/link`);
  const asked = new Map<string, (answer: string) => void>();
  let number = 0;
  socket.onmessage = ({ data }) => {
    const text = String(data);
    const end = text.indexOf("\n");
    asked.get(text.slice(0, end))?.(text.slice(end + 1));
    asked.delete(text.slice(0, end));
  };
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  return (body) =>
    new Promise((resolve) => {
      number++;
      asked.set(String(number), resolve);
      socket.send(`${number}\n${signature}\n${body}`);
    });
}
