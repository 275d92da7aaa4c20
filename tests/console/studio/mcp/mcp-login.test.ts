import { describe, expect, test } from "bun:test";
import { connectSnippets } from "../../../../src/console/studio/mcp/connect-snippets.ts";
import { asksForLogin, readLoginAnswer } from "../../../../src/console/studio/mcp/mcp-login.ts";
import { describeFault } from "../../../../src/engine/tools/mcp/describe-fault.ts";

describe("what a sign-in comes back with", () => {
  const rows: readonly [string, ReturnType<typeof readLoginAnswer>][] = [
    ["", undefined],
    ["code=c", undefined],
    ["state=s", undefined],
    ["state=s&code=c", { state: "s", code: "c" }],
    ["state=s&code=c&iss=https%3A%2F%2Fa", { state: "s", code: "c", iss: "https://a" }],
    ["state=s&error=access_denied", { state: "s", refusal: "access_denied" }],
    ["state=s&error=x&error_description=Not+today", { state: "s", refusal: "Not today" }],
  ];
  for (const [query, answer] of rows) {
    test(query || "nothing", () => expect(readLoginAnswer(new URLSearchParams(query))).toEqual(answer));
  }
});

test("a server that answers 401 is one to sign in to; others that are down are not", () => {
  const refused = Object.assign(new Error("Streamable HTTP error: Who are you?"), { code: 401 });
  const broken = Object.assign(new Error("Streamable HTTP error: Oh"), { code: 500 });
  expect(asksForLogin({ status: "down", message: describeFault(refused) })).toBe(true);
  expect(asksForLogin({ status: "down", message: describeFault(broken) })).toBe(false);
  expect(asksForLogin({ status: "ready" })).toBe(false);
});

test("what is copied names the address, and the token where one is asked for", () => {
  const open = connectSnippets("http://127.0.0.1:8000", false);
  expect(open.address).toBe("http://127.0.0.1:8000/mcp");
  expect(JSON.stringify(open)).not.toContain("Bearer");
  const closed = connectSnippets(undefined, true);
  expect(closed.config.mcpServers.argosy).toMatchObject({
    url: "http://<daemon>/mcp",
    headers: { Authorization: "Bearer <token>" },
  });
  expect(closed.inspect).toContain("Bearer <token>");
});
