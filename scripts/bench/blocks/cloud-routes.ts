import { expectOk, fill, KIB, type RouteRow, record, times, type World } from "./route-row.ts";

/** Requests to the cloud by an owner of an org of the free plan. */
export async function cloudRoutes({ askOf }: World): Promise<RouteRow[]> {
  const open = askOf("cloud");
  const signedIn = await expectOk(
    open("POST", "/api/v1/auth/dev/login", { body: { email: "grace@example.com", name: "Grace" } }),
  );
  const { access_token: token, org_slug: slug } = JSON.parse(signedIn.text);
  const org = askOf("cloud", `/api/v1/orgs/${slug}`, { authorization: `Bearer ${token}` });
  const guardrails = times(32, (n) =>
    n % 2 === 0
      ? { type: "topic_filter", topics: times(60, (m) => `topic ${n} ${m} of words`) }
      : "pii_detection",
  );
  const output = times(32, (n) => ({
    type: "content_filter",
    keywords: times(60, (m) => `keyword ${n} ${m}`),
  }));
  const patterns = times(32, (n) => ({
    type: "content_filter",
    patterns: times(20, () => `\\pL{${900 + n}}`),
  }));
  const wizard = (salt: number, extra: object = {}) => ({
    step1: { model: "rehearsal/rehearsal" },
    step2: { system_prompt: `${salt} ${fill("words of a prompt ", 200 * KIB)}` },
    step3: { tools: ["datetime_now"] },
    step4: { memory_type: "conversational", window_size: 200 },
    step5: { input_guardrails: guardrails, output_guardrails: output, ...extra },
  });
  const small = { step1: { model: "rehearsal/rehearsal" }, step2: { system_prompt: "Answer." } };
  const removed = async (name: string) => void (await org("DELETE", `/agents/${name}`));
  return [
    {
      name: "cloud: create, the largest config",
      prepare: () => removed("large"),
      ask: (round) =>
        org("POST", "/agents", { body: { name: "large", display_name: "Large", ...wizard(round) } }),
    },
    {
      name: "cloud: create, costly patterns",
      prepare: () => removed("costly"),
      ask: (round) =>
        org("POST", "/agents", {
          body: { name: "costly", display_name: "C", ...wizard(round, { output_guardrails: patterns }) },
        }),
    },
    { name: "cloud: deploy, costly patterns", ask: () => org("POST", "/agents/costly/deploy") },
    {
      name: "cloud: update, the largest config",
      ask: (round) => org("PUT", "/agents/large", { body: wizard(100 + round) }),
    },
    {
      name: "cloud: deploy the largest",
      prepare: async () => void (await org("POST", "/agents/large/pause")),
      ask: () => org("POST", "/agents/large/deploy"),
    },
    {
      name: "cloud: run of the largest",
      before: () => org("POST", "/agents/large/deploy"),
      ask: () => org("POST", "/agents/large/run", { body: { query: fill("keyword words ", 200 * KIB) } }),
    },
    {
      name: "cloud: test of the largest",
      ask: () => org("POST", "/agents/large/test", { body: { query: fill("keyword words ", 200 * KIB) } }),
    },
    {
      name: "cloud: 500 tests at once",
      before: async () => {
        await org("POST", "/agents", { body: { name: "small", display_name: "S", ...small } });
        await org("POST", "/agents/small/deploy");
      },
      ask: () => org("POST", "/agents/small/test", { body: { query: "hi" }, times: 500 }),
    },
    { name: "cloud: read the largest", ask: () => org("GET", "/agents/large") },
    { name: "cloud: manifest of the largest", ask: () => org("GET", "/agents/large/manifest") },
    { name: "cloud: list agents", ask: () => org("GET", "/agents") },
    { name: "cloud: catalog", ask: () => org("GET", "/catalog") },
    { name: "cloud: usage of 90 days", ask: () => org("GET", "/usage?days=90") },
    {
      name: "cloud: create, wrong values of 900 KiB",
      ask: () =>
        org("POST", "/agents", {
          body: {
            name: "wrong",
            step5: {
              output_guardrails: times(32, () => ({
                type: "content_filter",
                ...record(900, (n) => [`k${n}`, n]),
              })),
            },
          },
        }),
    },
    ...(
      [
        ["100,000 tools", { step3: { tools: times(100_000, (n) => `${n.toString(36)}~`) } }],
        ["100,000 guardrails", { step5: { output_guardrails: times(100_000, (n) => `${n.toString(36)}~`) } }],
        [
          "20,000 guardrails with options",
          {
            step5: {
              input_guardrails: times(20_000, () => ({ type: "max_length", max_chars: 0 })),
            },
          },
        ],
      ] as const
    ).map(
      ([name, steps]): RouteRow => ({
        name: `cloud: create, ${name}`,
        ask: () => org("POST", "/agents", { body: { name: "long", display_name: "L", ...steps } }),
      }),
    ),
    {
      name: "cloud: create, 9,000 wrong keys",
      ask: () => org("POST", "/agents", { body: { name: "wrong", ...record(9000, (n) => [`k${n}`, n]) } }),
    },
    {
      name: "cloud: a guardrail with a value of 130,000 parts",
      ask: (round) =>
        org("POST", "/agents", {
          body: {
            name: `parts${round}`,
            display_name: "P",
            step5: { output_guardrails: [{ type: "content_filter", x: times(130_000, () => ({})) }] },
          },
        }),
    },
    { name: "cloud: OpenAPI", ask: () => open("GET", "/openapi.json") },
  ];
}
