import { expect, test } from "bun:test";
import { learnNamed, learnSecret, learnSecretsIn } from "../../../src/kit/secrets/learn-secret.ts";
import { SecretRegistry } from "../../../src/kit/secrets/secret-registry.ts";

function maskedBy(learn: (secrets: SecretRegistry) => void, text: string): string {
  const secrets = new SecretRegistry();
  learn(secrets);
  return secrets.mask(text);
}

test.each([
  ["a name", { smtp_password: "x7Qz9!kL" }, "x7Qz9!kL"],
  ["a name above", { credentials: { user: { deep: ["x7Qz9!kL"] } } }, "x7Qz9!kL"],
  ["a number", { pwd: 73_919_288 }, "73919288"],
  ["a scheme", { headers: { Authorization: "Bearer x7Qz9kLm" } }, "x7Qz9kLm"],
  ["basic credentials", { headers: { Authorization: `Basic ${btoa("ann:x7Qz9kLm")}` } }, "x7Qz9kLm"],
  ["a cookie", { headers: { Cookie: "theme=dark; sid=x7Qz9kLm" } }, "x7Qz9kLm"],
  ["an address", { connection_string: "postgres://ann:x7%2FQz9kLm@db/x" }, "x7/Qz9kLm"],
  ["an address without a user", { url: "redis://:x7Qz9kLm@db" }, "x7Qz9kLm"],
  ["a connection string", { connection_string: "Server=db;Password=x7Qz9kLm;" }, "x7Qz9kLm"],
  ["a query", { url: "https://h/x?access_token=x7%2BQz9kLm&y=1" }, "x7+Qz9kLm"],
  ["an option", { args: ["--verbose", "--api-key", "x7Qz9kLm"] }, "x7Qz9kLm"],
  ["an option with its value", { args: ["--api-key=x7Qz9kLm"] }, "x7Qz9kLm"],
  ["a bot's path", { url: "https://api.telegram.org/botx7Qz9kLm/send" }, "x7Qz9kLm"],
  ["a chat's address", { webhook_url: "https://chat.example.com/hooks/a/x7Qz9kLm" }, "/hooks/a/x7Qz9kLm"],
  ["looks alone", { note: "use sk-proj-x7Qz9kLmx7Qz9kLm" }, "sk-proj-x7Qz9kLmx7Qz9kLm"],
  [
    "a key of lines",
    { private_key: `-----BEGIN KEY-----\n${"aB3/".repeat(16)}\n-----END KEY-----` },
    "aB3/".repeat(16),
  ],
])("a secret by %s is masked from then on", (_, document, secret) => {
  expect(maskedBy((secrets) => learnSecretsIn(document, secrets), `said ${secret} there`)).toBe(
    "said [redacted] there",
  );
});

test.each([
  ["a word", { password: "password" }, "password"],
  ["a template", { token: "{{ context.token }}" }, "{{ context.token }}"],
  ["a variable's name", { api_key_env: "MY_MODEL_KEY" }, "MY_MODEL_KEY"],
  [
    "the description of a field",
    { parameters: { properties: { token: { description: "The caller's token 12345678." } } } },
    "The caller's token 12345678.",
  ],
  [
    "a plain address",
    { url: "https://api.example.com/v1/models?limit=20" },
    "https://api.example.com/v1/models?limit=20",
  ],
  ["a count", { max_tokens: 128_000, tokens: 531_000 }, "128000 531000"],
])("%s is no secret", (_, document, text) => {
  expect(maskedBy((secrets) => learnSecretsIn(document, secrets), text)).toBe(text);
});

test("a variable is one by its own name", () => {
  expect(maskedBy((secrets) => learnNamed("SMTP_PASS_TOKEN", "x7Qz9kLm", secrets), "x7Qz9kLm")).toBe(
    "[redacted]",
  );
  expect(maskedBy((secrets) => learnNamed("REGION", "eu-central-1", secrets), "eu-central-1")).toBe(
    "eu-central-1",
  );
});

test("a key is a secret without its blanks, unless it is a word for none", () => {
  expect(maskedBy((secrets) => learnSecret(" x7Qz9kLm\n", secrets), "x7Qz9kLm")).toBe("[redacted]");
  expect(maskedBy((secrets) => learnSecret("ollama", secrets), "ollama/llama3")).toBe("ollama/llama3");
});

test("a long document costs no more than its length", () => {
  const secrets = new SecretRegistry();
  learnSecretsIn({ a: "a=".repeat(200_000), password: "a=;".repeat(20_000) }, secrets);
  expect(secrets.mask("plain")).toBe("plain");
});
