import { fill, KIB, record, times } from "../hostile.ts";
import { expectOk, posts, type RouteRow, reads, type World } from "./route-row.ts";

const rehearsed = { display_name: "Desk", step1: { model: "rehearsal/rehearsal" } };
const guardrails = (make: (n: number) => object) => times(32, make);

/** The largest config, with guardrails in both directions. */
const wizard = (salt: number, output: object = guardrails((n) => keywordsOf(n))) => ({
  ...rehearsed,
  step2: { system_prompt: `${salt} ${fill("words of a prompt ", 200 * KIB)}` },
  step3: { tools: ["datetime_now"] },
  step4: { memory_type: "conversational", window_size: 200 },
  step5: {
    input_guardrails: times(32, (n) =>
      n % 2 === 0
        ? { type: "topic_filter", topics: times(60, (m) => `topic ${n} ${m} of words`) }
        : "pii_detection",
    ),
    output_guardrails: output,
  },
});
const keywordsOf = (n: number) => ({
  type: "content_filter",
  keywords: times(60, (m) => `keyword ${n} ${m}`),
});
const costly = guardrails((n) => ({ type: "content_filter", patterns: times(20, () => `\\pL{${900 + n}}`) }));
const long = { query: fill("keyword words i g n o r e ", 200 * KIB) };

/** Requests to the cloud by an owner of an org of the free plan. */
export async function cloudRoutes({ askOf }: World): Promise<RouteRow[]> {
  const open = askOf("cloud");
  const signedIn = await expectOk(
    open("POST", "/api/v1/auth/dev/login", { body: { email: "grace@example.com", name: "Grace" } }),
  );
  const { access_token: token, org_slug: slug } = JSON.parse(signedIn.text);
  const org = askOf("cloud", `/api/v1/orgs/${slug}`, { authorization: `Bearer ${token}` });
  const creates = (name: string, config: unknown): RouteRow =>
    posts(`cloud: create, ${name}`, org, "/agents", config);
  const removed = (name: string) => () => org("DELETE", `/agents/${name}`);
  const inService = (name: string, config: object) => async () => {
    await org("POST", "/agents", { body: { name, ...config } });
    await org("POST", `/agents/${name}/deploy`);
  };
  return [
    {
      ...creates("the largest config", (round: number) => ({ name: "large", ...wizard(round) })),
      prepare: removed("large"),
    },
    {
      ...creates("costly patterns", (round: number) => ({ name: "costly", ...wizard(round, costly) })),
      prepare: removed("costly"),
    },
    {
      name: "cloud: update, the largest config",
      ask: (round) => org("PUT", "/agents/large", { body: wizard(100 + round) }),
    },
    posts("cloud: deploy the largest", org, "/agents/large/deploy", undefined, {
      prepare: () => org("POST", "/agents/large/pause"),
    }),
    posts("cloud: run of the largest", org, "/agents/large/run", long, {
      before: () => org("POST", "/agents/large/deploy"),
    }),
    posts("cloud: 50 tests of the largest at once", org, "/agents/large/test", long, { times: 50 }),
    posts(
      "cloud: 500 tests at once",
      org,
      "/agents/small/test",
      { query: "hi" },
      {
        times: 500,
        before: inService("small", { ...rehearsed, step2: { system_prompt: "Answer." } }),
      },
    ),
    ...reads("cloud", org, [
      ["read the largest", "/agents/large"],
      ["manifest of the largest", "/agents/large/manifest"],
      ["list agents", "/agents"],
      ["catalog", "/catalog"],
      ["usage of 90 days", "/usage?days=90"],
    ]),
    creates("wrong values of 900 KiB", {
      name: "wrong",
      step5: {
        output_guardrails: guardrails(() => ({
          type: "content_filter",
          ...record(900, (n) => [`k${n}`, n]),
        })),
      },
    }),
    creates("100,000 tools", { name: "long", step3: { tools: times(100_000, (n) => `${n.toString(36)}~`) } }),
    creates("20,000 guardrails with options", {
      name: "long",
      step5: { input_guardrails: times(20_000, () => ({ type: "max_length", max_chars: 0 })) },
    }),
    creates("9,000 wrong keys", { name: "wrong", ...record(9000, (n) => [`k${n}`, n]) }),
    creates("a guardrail with a value of 130,000 parts", (round: number) => ({
      name: `parts${round}`,
      display_name: "P",
      step5: { output_guardrails: [{ type: "content_filter", x: times(130_000, () => ({})) }] },
    })),
    ...reads("cloud", open, [["OpenAPI", "/openapi.json"]]),
  ];
}
