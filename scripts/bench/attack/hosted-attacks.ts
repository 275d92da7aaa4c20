/** Requests of an attacker to the cloud, with one account of the free plan, and to the gateway, with one tenant's send key. */
import type { Attack, Sent } from "./attack.ts";
import { fill } from "./hostile-specs.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const post = (path: string, body?: object): Sent => ({
  path,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const agent = (name: string, steps: object) => ({
  name,
  display_name: "A",
  step1: { model: "rehearsal/rehearsal" },
  step2: { system_prompt: "Answer." },
  ...steps,
});

const wrongKeys = Object.fromEntries(times(900, (n) => [`k${n}`, n]));
const guardrails = times(32, (n) => ({
  type: "topic_filter",
  topics: times(60, (m) => `topic ${n} ${m} of words`),
}));
const largest = {
  step2: { system_prompt: fill("words of a prompt ", 200 * KIB) },
  step5: { input_guardrails: guardrails },
};

/** Paths are below the attacker's org. */
export const cloudAttacks = (): Attack[] => {
  const creates = (steps: object) => times(10, (n) => post("/agents", agent(`a${n}`, steps)));
  const long = { query: fill("topic words i g n o r e ", 200 * KIB) };
  return [
    {
      name: "create: 100,000 tools",
      only: "cloud",
      sent: creates({ step3: { tools: times(100_000, (n) => `${n.toString(36)}~`) } }),
    },
    {
      name: "create: 20,000 guardrails with options",
      only: "cloud",
      sent: creates({ step5: { output_guardrails: times(20_000, () => ({ type: "max_length", a: 1 })) } }),
    },
    {
      name: "create: 32 guardrails of 900 wrong keys",
      only: "cloud",
      sent: creates({
        step5: { output_guardrails: times(32, () => ({ type: "content_filter", ...wrongKeys })) },
      }),
    },
    { name: "create: the largest config", only: "cloud", sent: creates(largest) },
    {
      name: "deploy, pause and read the largest configs",
      only: "cloud",
      before: creates(largest),
      sent: times(5, (n) => [
        post(`/agents/a${n}/deploy`),
        { method: "GET", path: `/agents/a${n}` },
        { method: "GET", path: `/agents/a${n}/manifest` },
        post(`/agents/a${n}/pause`),
      ]).flat(),
    },
    {
      name: "test: long input through 32 guardrails",
      only: "cloud",
      before: [post("/agents", agent("victim", largest)), post("/agents/victim/deploy")],
      sent: times(50, () => post("/agents/victim/test", long)),
    },
    {
      name: "test: 500 at once",
      only: "cloud",
      before: [post("/agents", agent("victim", {})), post("/agents/victim/deploy")],
      sent: times(500, () => post("/agents/victim/test", { query: "hi" })),
    },
    {
      name: "changes beyond their limit",
      only: "cloud",
      sent: times(900, (n) => post("/keys", { name: `k${n}` })),
    },
  ];
};

export const gatewayAttacks = (): Attack[] => {
  const message = { channel: "phone_messenger", recipient: "34600000000" };
  return [
    {
      name: "send: 500 long texts",
      only: "gateway",
      sent: times(500, (n) => post("/send", { ...message, recipient: `346${n}`, text: fill("a b ", 4000) })),
    },
    {
      name: "send: wrong bodies of 1 MiB",
      only: "gateway",
      sent: times(20, () => post("/send", { ...message, media: times(100_000, () => ({})) })),
    },
    {
      name: "send: bodies of 1 MiB of numbers",
      only: "gateway",
      sent: times(20, () => ({ path: "/send", body: `{"text":[${fill("1,", MIB - 100)}1]}` })),
    },
    {
      name: "read: 2,000 unknown messages",
      only: "gateway",
      sent: times(2000, (n) => ({ method: "GET", path: `/none-${n}` })),
    },
  ];
};
