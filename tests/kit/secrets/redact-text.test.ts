import { describe, expect, test } from "bun:test";
import { isSecretName, redactText } from "../../../src/kit/secrets/redact-text.ts";
import { processorMs } from "../../support/processor-time.ts";

describe("names of secrets", () => {
  const secret = [
    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "Set-Cookie",
    "X-API-Key",
    "x-gateway-sender-key",
    "X-Admin-Token",
    "X-Hub-Signature-256",
    "HOSTED_LLM_API_KEY",
    "apiKey",
    "token",
    "refreshToken",
    "access_token",
    "smtp_password",
    "client_secret",
    "credentials",
    "private_key",
    "key",
  ];
  test.each(secret)("%s", (name) => {
    expect(isSecretName(name)).toBeTrue();
  });

  const plain = [
    "tokens",
    "input_tokens",
    "max_tokens",
    "token_count",
    "api_key_env",
    "monkey",
    "idempotency_key",
    "path",
  ];
  test.each(plain)("not %s", (name) => {
    expect(isSecretName(name)).toBeFalse();
  });
});

describe("redactText", () => {
  const cases: [text: string, masked: string][] = [
    ["Authorization: Bearer abc", "Authorization: [redacted]"],
    ["got bearer abc.def from", "got bearer [redacted] from"],
    ["Basic dXNlcjpwYXNz sent", "Basic [redacted] sent"],
    ["Cookie: a=1; session=xyz", "Cookie: [redacted]"],
    ["/stream?token=abc&x=1", "/stream?token=[redacted]&x=1"],
    ["/cb?code=abc&state=def#x", "/cb?code=[redacted]&state=[redacted]#x"],
    ["https://h/v25.0/x?access_token=abc", "https://h/v25.0/x?access_token=[redacted]"],
    ["https://api.telegram.org/botabc/sendMessage", "https://api.telegram.org/bot[redacted]/sendMessage"],
    ["https://api.telegram.org/file/botabc/x", "https://api.telegram.org/file/bot[redacted]/x"],
    ["http://127.0.0.1:9/bot123:abc/getMe", "http://127.0.0.1:9/bot[redacted]/getMe"],
    ["redis://:pw@h:6379", "redis://[redacted]@h:6379"],
    ["//me:pw@h/x", "//[redacted]@h/x"],
    [String.raw`"url":"https:\/\/me:pw@h\/x"`, String.raw`"url":"https:\/\/[redacted]@h\/x"`],
    ["https://h/x?API_KEY=abc&b=1", "https://h/x?API_KEY=[redacted]&b=1"],
    ["https://h/x?a=1;pass=abc#appid=def", "https://h/x?a=1;pass=[redacted]#appid=[redacted]"],
    ["me:pw@proxy.local:8080", "[redacted]@proxy.local:8080"],
    ["https://h/x?token=abc;def&b=1", "https://h/x?token=[redacted]&b=1"],
    ["https://h/x?hmac=abc;def;b=1", "https://h/x?hmac=[redacted];b=1"],
    [String.raw`https://h/x?a=1\u0026sig\u003dabc`, String.raw`https://h/x?a=1\u0026sig\u003d[redacted]`],
    ["https://h/x?next=https://h/y?sig=abc", "https://h/x?next=https://h/y?sig=[redacted]"],
    ["https://h/x?api%5Fkey=abc", "https://h/x?api%5Fkey=[redacted]"],
    ["https://h/x?%74oken=abc&%61=1", "https://h/x?%74oken=[redacted]&%61=1"],
    ["https://h/x?%2574oken=abc", "https://h/x?%2574oken=[redacted]"],
    ["https://h/x?token[]=abc", "https://h/x?token[]=[redacted]"],
    ["https://h/x?auth%5Btoken%5D=abc", "https://h/x?auth%5Btoken%5D=[redacted]"],
    ["next=https%3A%2F%2Fme%3Apw%40h%2Fx", "next=https%3A%2F%2F[redacted]%40h%2Fx"],
    ["https%3A%2F%2Fh%2Fx%3Fsig%3Dabc%26b%3D1", "https%3A%2F%2Fh%2Fx%3Fsig%3D[redacted]%26b%3D1"],
    ["https%253A%252F%252Fh%253Ftoken%253Dabc", "https%253A%252F%252Fh%253Ftoken%253D[redacted]"],
    ["https://x.webhook.office.com/webhookb2/abc@def/y", "https://x.webhook.office.com/webhookb2/[redacted]"],
    [
      "https://maker.ifttt.com/trigger/a/with/key/abc",
      "https://maker.ifttt.com/trigger/a/with/key/[redacted]",
    ],
    ["postgres://me:p@ss@h/db", "postgres://[redacted]@h/db"],
    ["smtp_password: abc", "smtp_password: [redacted]"],
    ['{"password":"two words","a":1}', '{"password":[redacted],"a":1}'],
    ['"{\\"refreshToken\\":\\"abc\\"}"', '"{\\"refreshToken\\":\\[redacted]}"'],
    ["env HOSTED_LLM_API_KEY=abc", "env HOSTED_LLM_API_KEY=[redacted]"],
    ["invalid token f3a9c2d1e8", "invalid token [redacted]"],
    ["key sk-proj-0123456789abcdefghij", "key [redacted]"],
    ["sent apk_0JY5cX1n-3m_pQzR7tUvWxYz0123456789abcdEFGHI now", "sent [redacted] now"],
    ["as ask-0123456789abcdef0123", "as [redacted]"],
    // A run token, a refresh token, a stream ticket, a key of a console session.
    ["saw 0JY5cX1n-3m_pQzR7tUvWxYz0123456789abcdEFGHI here", "saw [redacted] here"],
    [
      "/stream/0JY5cX1n-3m_pQzR7tUvWxYz0123456789abcdEFGHI",
      "/stream/0JY5cX1n-3m_pQzR7tUvWxYz0123456789abcdEFGHI",
    ],
    ['{"rawKey":"short-one"}', '{"rawKey":[redacted]}'],
    ["got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "got [redacted]"],
    ["my card is 4111 1111 1111 1111 12/27", "my card is [card] 12/27"],
    ["redis://:p/w+d==@h:6379", "redis://:[redacted]@h:6379"],
    ["?to=https%3A%2F%2Fh%2F%3Ftoken%3Dabc", "?to=https%3A%2F%2Fh%2F%3Ftoken%3D[redacted]"],
    ["ARGOSY_SEALING_KEYS=k1:abc,k2:def rest", "ARGOSY_SEALING_KEYS=[redacted] rest"],
    ["run --api-key abc --verbose", "run --api-key [redacted] --verbose"],
    ["curl -u me:abc https://h", "curl -u me:[redacted] https://h"],
    ["<password>abc</password>", "<password>[redacted]</password>"],
    ["token => abc", "token => [redacted]"],
    ["MCP child: token CANARY_VALUE", "MCP child: token [redacted]"],
    ["Incorrect API key provided: a1b2c3d4e5", "Incorrect API key provided: [redacted]"],
    ['Authorization: Digest username="a", response="b"', "Authorization: [redacted] [redacted]"],
    ["Sec-WebSocket-Protocol: bearer, abc", "Sec-WebSocket-Protocol: [redacted]"],
    ["https://hooks.slack.com/services/T/B/x", "https://hooks.slack.com/services/[redacted]"],
    ["a whsec_0123456789abcdefghij b", "a [redacted] b"],
    ["a sk_live_0123456789ab b", "a [redacted] b"],
    ["a -----BEGIN PRIVATE KEY-----\nMIIx\n-----END PRIVATE KEY----- b", "a [redacted] b"],
    ["cut -----BEGIN RSA PRIVATE KEY-----\nMIIx", "cut [redacted]"],
    ["25 4111-1111-1111-1111 and 378282246310005", "25 [card] and [card]"],
  ];
  test.each(cases)("%s", (text, masked) => {
    expect(redactText(text)).toBe(masked);
  });

  const untouched = [
    "",
    "The quick brown fox: it jumps over 12 345 678 lazy dogs.",
    "0191f0aa-7a3c-7b10-9d5e-1c2d3e4f5a6b",
    "41111111-1111-4111-1111-11111111111a",
    "card-shaped without check digit 4111 1111 1111 1112",
    "2026-01-01T00:00:00.000Z",
    "1767225600000",
    "token limit exceeded",
    "the key is missing, the token was refused",
    "--max-tokens 100 --key-file x",
    "http://127.0.0.1:8080/a@b",
    "<p>keys and tokens</p>",
    "basic information",
    "tokens=531 max_tokens: 1000",
    "POST /v1/agents/bot-helper/run 200",
    "https://api.example.com/v1/models?limit=20",
    "mail me@example.com at https://example.com/a@b",
    "190: Error validating access token: Session has expired on Friday",
    "Error validating access token: The user has not authorized application 12.",
    "Bearer authentication required",
    "Please send a bearer token.",
    "api key: missing in request",
  ];
  test.each(untouched)("leaves %p", (text) => {
    expect(redactText(text)).toBe(text);
  });
});

test.each([
  "token ",
  "://a:",
  "<a:",
  " --a",
  "-----BEGIN PRIVATE KEY-----",
  "A_",
  "api_key",
  "%3a",
  " -u a",
  "eyJaaaaaaaa.",
  "11 ",
])("a long text of nothing but %p costs no more than its length", (piece) => {
  const text = piece.repeat(Math.ceil(200_000 / piece.length));
  expect(processorMs(() => redactText(text))).toBeLessThan(1500);
});

describe("texts that are names or ids", () => {
  test("stay as they are", () => {
    for (const text of ["", "support", "vllm", "agent.run", "s-12", "0198c0de-1111-7abc-8def-0123456789ab"])
      expect(redactText(text)).toBe(text);
  });

  test("a card number in the shape of an id is masked", () => {
    const masked = redactText("41111111-1111-1111-0000-000000000000");
    expect(masked).toContain("[card]");
    expect(masked).not.toContain("41111111-1111-1111");
  });

  test("the shortest secret of such characters is masked", () => {
    expect(redactText("eyJabcdefgh.i.")).toBe("[redacted]");
  });
});
