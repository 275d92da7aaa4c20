import agUi from "./ag-ui.html";
import useChat from "./use-chat.html";

/* Serves the pages and passes their calls on to Argosy, with the token that browsers must not have. */

const argosy = process.env.ARGOSY_URL ?? "http://127.0.0.1:8000";
const token = process.env.ARGOSY_TOKEN;

export const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 3000),
  // A run may think for minutes between two pieces of its answer.
  idleTimeout: 0,
  routes: {
    "/": useChat,
    "/ag-ui": agUi,
    "/v1/agents/:name/:door": (request) => {
      const { name, door } = request.params;
      if (request.method !== "POST" || !["ui-messages", "ag-ui"].includes(door))
        return new Response("Not found", { status: 404 });
      return fetch(`${argosy}/v1/agents/${encodeURIComponent(name)}/${door}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: request.body,
        signal: request.signal,
      });
    },
  },
});

console.log(`Open ${server.url}?agent=assistant and ${server.url}ag-ui?agent=assistant`);
