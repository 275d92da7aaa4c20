/** The same model calls behind Elysia with schemas at the door. */
import { Elysia, sse, t } from "elysia";
import { doneFrame, run, streamTokens, tokenFrame } from "./ceiling-work.ts";
import { type AgentName, ports } from "./workload.ts";

const RunRequest = t.Object({
  query: t.String({ minLength: 1, maxLength: 32_000 }),
  session_id: t.Optional(t.String({ maxLength: 200 })),
});

new Elysia()
  .get("/health", "ok")
  .post(
    "/v1/agents/:name/run",
    ({ params, body, headers }) => {
      const agent = params.name as AgentName;
      return headers.accept === "text/event-stream" ? stream(agent, body.query) : run(agent, body.query);
    },
    { body: RunRequest },
  )
  .ws("/v1/ws/agent/:name", {
    body: RunRequest,
    async message(socket, { query }) {
      for await (const tokens of streamTokens(socket.data.params.name as AgentName, query))
        for (const token of tokens) socket.raw.send(tokenFrame(token));
      socket.raw.send(doneFrame);
    },
  })
  .listen({ port: ports.server, hostname: "127.0.0.1", idleTimeout: 60 });

async function* stream(agent: AgentName, query: string) {
  for await (const tokens of streamTokens(agent, query))
    for (const token of tokens) yield sse({ data: tokenFrame(token) });
  yield sse({ data: doneFrame });
}
