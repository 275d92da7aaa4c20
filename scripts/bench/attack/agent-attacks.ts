import { type Attack, atOnce, type Sent } from "./attack.ts";
import { fields, fill, hostileSpecs } from "./hostile-specs.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

export const agentOf = (name: string, spec: object, model: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: model }, ...spec },
});

/** The operator's model. */
const house = { provider: "house", model: "ok" };
const json = (value: object) => JSON.stringify(value);

function creates(spec: object, count = atOnce): Sent[] {
  return Array.from({ length: count }, (_, n) => ({
    path: "/agents",
    body: json(agentOf(`a${n}`, spec, house)),
  }));
}

const runs = (agent: string, query: string, count = atOnce): Sent[] =>
  Array.from({ length: count }, () => ({ path: `/agents/${agent}/run`, body: json({ query }) }));

/** Attacks by the agents that a tenant or a stranger makes; `evil` is the address of a server that the attacker runs. */
export function agentAttacks(evil: string): Attack[] {
  let addresses = 0;
  const model = (name: string) => ({ provider: "vllm", model: name, endpoint: `${evil}/a${addresses++}/v1` });
  const made = (spec: object, of: object = house): Sent[] => [
    { path: "/agents", body: json(agentOf("victim", spec, of)) },
  ];
  const tool = {
    name: "t0",
    type: "webhook",
    description: "d",
    config: { url: `${evil}/tool`, method: "POST" },
  };
  const manyInjections = {
    guardrails: {
      input: [
        ...Array(16).fill({ type: "prompt_injection", action: "warn" }),
        ...Array(16).fill({ type: "pii_detection", action: "warn" }),
      ],
    },
  };
  const format = (schema: object) => ({
    type: "json_schema",
    json_schema: { name: "x", schema },
  });
  const completion = (name: string, schema: object): Attack => ({
    name: `completions, response_format: ${name}`,
    only: "daemon",
    before: made({}, model("fields")),
    sent: Array.from({ length: atOnce }, () => ({
      path: "/chat/completions",
      body: json({
        model: "agent/victim",
        messages: [{ role: "user", content: "hi" }],
        response_format: format(schema),
      }),
    })),
  });
  const forced = (schema: object): Attack => ({
    name: "completions, a forced call of 299 fields",
    only: "daemon",
    before: made({}, model("fields")),
    sent: Array.from({ length: atOnce }, () => ({
      path: "/chat/completions",
      body: json({
        model: "agent/victim",
        messages: [{ role: "user", content: "hi" }],
        tool_choice: "required",
        tools: [{ type: "function", function: { name: "f", parameters: schema } }],
      }),
    })),
  });
  const large = made({ prompts: { system: fill("words of a prompt ", 250 * KIB) } });
  return [
    ...hostileSpecs(evil).map(({ name, spec, yaml }) => ({
      name: `create: ${name}`,
      sent:
        yaml === undefined
          ? creates(spec)
          : Array.from({ length: atOnce }, () => ({ path: "/agents", type: "application/yaml", body: yaml })),
    })),
    {
      name: "versions of a large spec, and their lists",
      before: large,
      sent: [
        ...Array.from({ length: 30 }, (_, n) => ({
          method: "PUT",
          path: "/agents/victim",
          body: json(agentOf("victim", { prompts: { system: `${n} ${fill("words ", 250 * KIB)}` } }, house)),
        })),
        ...Array.from({ length: 30 }, () => ({ method: "GET", path: "/agents" })),
        ...Array.from({ length: 10 }, () => ({ method: "GET", path: "/agents/victim/versions" })),
      ],
    },
    {
      name: "run: long input through 32 guardrails",
      before: made(manyInjections),
      sent: runs("victim", fill("i g n o r e <img ", 100 * KIB)),
    },
    {
      name: "run: long input through 20 patterns",
      before: made({
        guardrails: {
          input: [{ type: "pii_detection", action: "warn" }],
          output: [{ type: "content_filter", patterns: Array(20).fill("(?:a|b|c|d|e){1000}") }],
        },
      }),
      sent: runs("victim", fill("abcde", 150 * KIB)),
    },
    {
      name: "run: a template that loops",
      before: made({
        prompts: { system: "{% for a in range(9999) %}{{ range(9999)|list|sum }}{% endfor %}" },
      }),
      sent: runs("victim", "hi"),
    },
    { name: "run: bodies of 1 MiB of JSON", before: made({}), sent: bodies() },
    ...["fields", "lists", "objects", "fences"].map((name) => ({
      name: `run: output_schema on an answer of ${name}`,
      before: made({ output_schema: fields(299, { type: "string", minLength: 1 }) }, model(name)),
      sent: runs("victim", "hi"),
    })),
    ...["junk", "long"].map((name) => ({
      name: `run: a provider's answer of ${name}`,
      before: made({ guardrails: { output: [{ type: "pii_detection", action: "redact" }] } }, model(name)),
      sent: runs("victim", "hi"),
    })),
    ...["tool-lists", "tool-objects"].map((name) => ({
      name: `run: a provider's call of ${name}, and 5 MiB from the tool`,
      before: made({ tools: [{ ...tool, parameters: { type: "object" } }] }, model(name)),
      sent: runs("victim", "hi"),
    })),
    {
      name: "sessions of long histories",
      before: [
        ...made({
          memory: { conversational: { backend: "sqlite", strategy: "sliding_window", max_turns: 200 } },
        }),
        ...Array.from({ length: 40 }, () => ({
          path: "/agents/victim/run",
          body: json({ query: fill("a b c d ", 80 * KIB), session_id: "long" }),
        })),
      ],
      sent: Array.from({ length: atOnce }, () => ({
        path: "/agents/victim/run",
        body: json({ query: "hi", session_id: "long" }),
      })),
    },
    completion("299 fields", fields(299, { type: "string", minLength: 1 })),
    completion(
      "166 fields of five rules",
      fields(166, { type: ["string", "number"], minLength: 1, maxLength: 9, minimum: 1, enum: ["a", 1] }),
    ),
    forced(fields(299, { type: "string", minLength: 1 })),
  ];
}

function bodies(): Sent[] {
  return ["1,", '{"a":1},', '"\\n",', "[],"].flatMap((unit) =>
    Array.from({ length: 5 }, () => ({
      path: "/agents/victim/run",
      body: `{"query":"hi","context":{"a":[${unit.repeat((MIB - 100) / unit.length)}1]}}`,
    })),
  );
}
