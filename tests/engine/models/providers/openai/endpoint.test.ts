import { expect, test } from "bun:test";
import { chatRoute, parseEndpoint } from "../../../../../src/engine/models/providers/openai/endpoint.ts";
import { routeOf } from "../../../../../src/engine/models/providers/wire/address.ts";

const addressOf = (endpoint: string) => {
  const { base, fault } = parseEndpoint(endpoint);
  return base ? routeOf(base, chatRoute) : fault;
};

test.each([
  ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"],
  ["http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1/chat/completions"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"],
  ["http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/chat/completions"],
  [" https://api.openai.com/v1 ", "https://api.openai.com/v1/chat/completions"],
  ["https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1/chat/completions"],
  ["https://models.example/v1beta/openai/", "https://models.example/v1beta/openai/chat/completions"],
  ["http://gateway.example/ollama", "http://gateway.example/ollama/v1/chat/completions"],
  ["https://models.example/inference/chat/completions", "https://models.example/inference/chat/completions"],
  ["https://x.example/openai/v1?api-version=2", "https://x.example/openai/v1/chat/completions?api-version=2"],
  ["ftp://x.example", "is not an http or https address"],
  ["localhost:11434", "is not an http or https address"],
  ["", "is not an http or https address"],
  ["http://user:secret@x.example", "holds a user name or password; give the key by api_key_env"],
])("%p", (endpoint, expected) => {
  expect(addressOf(endpoint)).toBe(expected);
});
