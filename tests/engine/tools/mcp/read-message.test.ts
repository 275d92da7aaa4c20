import { expect, test } from "bun:test";
import { readMessage } from "../../../../src/engine/tools/mcp/read-message.ts";

const message = (fields: object) => ({ jsonrpc: "2.0", ...fields });

test.each([
  message({ id: 1, result: {} }),
  message({ id: "a", result: { content: [] } }),
  message({ id: 1, error: { code: -32601, message: "no" } }),
  message({ id: 1, method: "ping" }),
  message({ method: "notifications/progress", params: { progress: 1 } }),
])("%j is a message", (given) => {
  expect(readMessage(JSON.stringify(given))).toEqual(given as never);
});

test.each([
  "",
  "{",
  "null",
  "42",
  "[]",
  "[{}]",
  "{}",
  '{"jsonrpc":"1.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","result":{}}',
  '{"jsonrpc":"2.0","id":null,"result":{}}',
  '{"jsonrpc":"2.0","id":{"a":1},"result":{}}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"ping","params":[]}',
  '{"jsonrpc":"2.0","method":7}',
])("%s is none", (given) => {
  expect(readMessage(given)).toBeUndefined();
});

test.each([
  { id: 1, result: {}, error: { code: 1, message: "both" } },
  { id: 1 },
  { id: 1, result: null },
  { id: 1, result: "fine" },
  { id: 1, result: [] },
  { id: 1, error: null },
  { id: 1, error: "bad" },
  { id: 1, error: { code: "x", message: "bad" } },
  { id: 1, error: { code: 1 } },
])("%j becomes an error, so that the call ends", (given) => {
  expect(readMessage(JSON.stringify(message(given)))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: expect.stringContaining("The server answered with") },
  });
});
