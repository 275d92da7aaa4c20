import { describe, expect, test } from "bun:test";
import { SecretRegistry } from "../../../../src/kit/secrets/secret-registry.ts";
import { recorded, replayed } from "../../../support/cassettes.ts";
import { asks, type StageOptions, says, stage } from "../../../support/staged-run.ts";

const known = 'k"n0wn/secret+value=';
const registry = new SecretRegistry();
registry.add(known);
const maskKnown = (text: string) => registry.mask(text);

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Returns every encoding of a secret. */
function spellings(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    encodeURIComponent(secret),
    base64(secret).replace(/=+$/, "").slice(0, -1),
    Buffer.from(secret).toString("base64url").slice(0, -1),
  ];
}

const tool = (name: string, data: unknown) => ({
  name,
  execute: async () => ({ success: true as const, data }),
});

test.each<[string, StageOptions, object]>([
  ["in the query", {}, { query: `My key is ${known}, keep it.` }],
  [
    "in the context, and shown by the prompt",
    { spec: { prompts: { system: "Use {{ token_of_user }}." } } },
    { context: { token_of_user: known } },
  ],
  ["in the prompt itself", { spec: { prompts: { system: `The pass phrase is ${known}.` } } }, {}],
  [
    "in pieces of an answer",
    { calls: [says("It is ", known.slice(0, 4), known.slice(4, 9), known.slice(9), " indeed.")] },
    {},
  ],
  [
    "in what a tool was asked and answered",
    {
      calls: [
        asks("", { name: "fetch_it", input: { url: `https://x.test/?q=${encodeURIComponent(known)}` } }),
        "Got it.",
      ],
      tools: [
        tool("fetch_it", {
          page: `<b>${known}</b>`,
          headers: { authorization: `Basic ${base64(`me:${known}`)}` },
        }),
      ],
    },
    {},
  ],
  [
    "in a history that the caller brought",
    {},
    {
      history: [
        { role: "user", content: `I say ${known}` },
        { role: "assistant", content: base64(known) },
      ],
    },
  ],
  [
    "in an agent's tools",
    {
      spec: {
        tools: [{ name: "ask", type: "agent", config: { agent: "helper" }, description: `Knows ${known}` }],
      },
      agents: { helper: {} },
    },
    {},
  ],
])(
  "a known secret %s is nowhere in the recording, and the replay is identical",
  async (_, options, request) => {
    const { cassette, text } = await recorded(stage(options), request, { maskKnown });
    for (const spelling of spellings(known)) expect(text).not.toContain(spelling);
    expect(text).toContain("[redacted]");
    expect(cassette.summary.redactions).toBeGreaterThan(0);
    const report = await replayed(cassette);
    expect(report.divergence).toBeUndefined();
    expect(report.warnings).toEqual([]);
  },
);

describe("secrets that no setting names", () => {
  const secret = "q7-Xy.unheard/9";

  test.each<[string, StageOptions, object]>([
    ["under a secret's name in the context", {}, { context: { api_key: secret } }],
    [
      "there, and shown by the prompt",
      { spec: { prompts: { system: "Send {{ context.credentials.pass }} along: {{ context }}." } } },
      { context: { credentials: { user: "bob-7", pass: secret } } },
    ],
    ["said like one", {}, { query: `The password: ${secret} is mine.` }],
    ["in a header that the model writes", { calls: [says("Authorization: Bearer ", secret)] }, {}],
    [
      "in a tool's input, its answer and what the model makes of it",
      {
        calls: [asks("", { name: "sign_in", input: { password: secret } }), `I signed in with ${secret}.`],
        tools: [tool("sign_in", { session_token: secret, note: `signed in by ${secret}` })],
      },
      {},
    ],
    [
      "in an answer that is JSON and has a shape",
      {
        calls: [JSON.stringify({ token: secret, colour: "blue" })],
        spec: { output_schema: { token: "string", colour: "string" } },
      },
      {},
    ],
    ["in an address", {}, { query: `Read https://me:${encodeURIComponent(secret)}@x.test/a?b=1` }],
  ])("%s", async (_, options, request) => {
    const { cassette, text } = await recorded(stage(options), request);
    for (const spelling of spellings(secret)) expect(text).not.toContain(spelling);
    const report = await replayed(cassette);
    expect(report.divergence).toBeUndefined();
    expect(report.warnings).toEqual([]);
  });
});

test("ordinary words stay, also under a secret's name where others use them, and so do counts and descriptions", async () => {
  const parameters = { type: "object", properties: { token: { type: "string", description: "The page." } } };
  const staged = stage({
    spec: {
      tools: [{ name: "ask", type: "agent", config: { agent: "helper" }, parameters }],
      prompts: { system: "Tokens are {{ context.token }}." },
    },
    agents: { helper: {} },
  });
  const { cassette, text } = await recorded(staged, {
    query: "customer of the year, card 4111 1111 1111 1111, ann@example.com",
    context: { page_token: "customer", max_token: 12 },
  });
  expect(cassette.request.query).toBe("customer of the year, card 4111 1111 1111 1111, ann@example.com");
  expect(cassette.request.context).toEqual({ page_token: "[redacted]", max_token: 12 });
  expect(text).toContain('"description":"The page."');
  expect(await replayed(cassette)).toMatchObject({ identical: true });
});

test("where a divergence may come of a masked secret, it says so", async () => {
  const { cassette } = await recorded(stage(), { context: { password: "some-s3cret" } });
  for (const entry of cassette.entries) if (entry.kind === "model") entry.answer.events.splice(1, 1);
  const report = await replayed(cassette);
  expect(report.divergence?.message).toEndWith(
    "The recording hides secrets; what depends on them may differ.",
  );
});
