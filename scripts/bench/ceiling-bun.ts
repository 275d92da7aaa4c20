/** The physical limit: a bare Bun.serve around the model calls. */
import { doneFrame, run, streamTokens, tokenFrame } from "./ceiling-work.ts";
import { directStream } from "./direct-stream.ts";
import { type AgentName, ports } from "./workload.ts";

interface RunRequest {
  query: string;
}

const server: Bun.Server<{ agent: AgentName }> = Bun.serve({
  port: ports.server,
  hostname: "127.0.0.1",
  idleTimeout: 60,
  routes: {
    "/health": () => new Response("ok"),
    "/v1/agents/:name/run": async (request: Bun.BunRequest<"/v1/agents/:name/run">) => {
      const agent = request.params.name as AgentName;
      const { query } = (await request.json()) as RunRequest;
      if (request.headers.get("accept") !== "text/event-stream")
        return Response.json(await run(agent, query));
      const body = directStream(async (controller) => {
        for await (const tokens of streamTokens(agent, query)) {
          for (const token of tokens) controller.write(`data: ${tokenFrame(token)}\n\n`);
          controller.flush();
        }
        controller.write(`data: ${doneFrame}\n\n`);
        controller.close();
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    "/v1/ws/agent/:name": (request: Bun.BunRequest<"/v1/ws/agent/:name">): Response | undefined => {
      const agent = request.params.name as AgentName;
      return server.upgrade(request, { data: { agent } })
        ? undefined
        : new Response("not a WebSocket", { status: 400 });
    },
  },
  websocket: {
    data: {} as { agent: AgentName },
    async message(socket, message) {
      const { query } = JSON.parse(String(message)) as RunRequest;
      for await (const tokens of streamTokens(socket.data.agent, query))
        for (const token of tokens) socket.send(tokenFrame(token));
      socket.send(doneFrame);
    },
  },
});
