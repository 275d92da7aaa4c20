import { expect, test } from "bun:test";
import { callLanguages, callSnippet } from "../../../../src/console/studio/agents/agent-call.tsx";

const origin = "http://127.0.0.1:8000";

test("every snippet calls the agent at the daemon's address", () => {
  for (const language of callLanguages) {
    const code = callSnippet(language, { agent: "desk", origin, needsToken: false });
    expect(code).toContain(origin);
    expect(code).toContain(language === "openai" ? 'model="agent/desk"' : "/v1/agents/desk/run");
    expect(code).not.toContain("<");
  }
});

test("where a token is needed every snippet says where it goes", () => {
  for (const language of callLanguages) {
    expect(callSnippet(language, { agent: "desk", origin, needsToken: true })).toContain("<token>");
  }
});

test("a daemon at another address is left to the reader", () => {
  for (const language of callLanguages) {
    const code = callSnippet(language, { agent: "desk", origin: undefined, needsToken: false });
    expect(code).toContain("http://<daemon>/v1");
  }
});

test("the TypeScript runs, and asks for the agent's answer", async () => {
  const asked: Request[] = [];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      asked.push(request.clone());
      expect(await request.json()).toEqual({ query: "Hello" });
      return Response.json({ response: "Good day" });
    },
  });
  const code = callSnippet("typescript", { agent: "desk", origin: server.url.origin, needsToken: true });
  const printed: unknown[] = [];
  const run = new Function("console", `return (async () => { ${code} })();`);
  await run({ log: (text: unknown) => printed.push(text) });
  expect(printed).toEqual(["Good day"]);
  expect(new URL(asked[0]?.url ?? "").pathname).toBe("/v1/agents/desk/run");
  expect(asked[0]?.headers.get("authorization")).toBe("Bearer <token>");
});
