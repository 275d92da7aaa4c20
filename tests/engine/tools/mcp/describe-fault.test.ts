import { expect, test } from "bun:test";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { describeFault } from "../../../../src/engine/tools/mcp/describe-fault.ts";

const ours = "and Argosy speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05";

test.each([
  [
    "an answer in another revision",
    new Error("Server's protocol version is not supported: 2099-01-01"),
    `it speaks MCP 2099-01-01, ${ours}`,
  ],
  [
    "a refusal that lists revisions",
    new McpError(-32_022, "Unsupported protocol version", {
      supported: ["2099-07-28", "2099-01-01"],
      requested: "2025-11-25",
    }),
    `it speaks MCP 2099-07-28, 2099-01-01, ${ours}`,
  ],
  [
    "words in place of a revision",
    new Error("Server's protocol version is not supported: <b>x</b>"),
    "it speaks a version of MCP that is not known here",
  ],
  ["a refusal without any", new McpError(-32_000, "No"), "it refused to begin"],
])("%s is named with the server's own revisions", (_name, thrown, fault) => {
  expect(describeFault(thrown)).toBe(fault);
});
