import { describe, expect, test } from "bun:test";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import type { ModelSources } from "../../../src/engine/models/model-sources.ts";
import { providerKinds } from "../../../src/engine/models/providers/registry.ts";
import { resolveModels } from "../../../src/engine/models/resolve-models.ts";
import { createRouter } from "../../../src/engine/models/router.ts";
import { configuredPrice, shippedPrices, tablePrice } from "../../../src/engine/spending/price-table.ts";
import type { ModelBlock, ModelSection } from "../../../src/manifest/agent/model.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { startModelServer } from "../../support/model-server.ts";
import { requestOf } from "../../support/scripted-model.ts";

const clock = new FakeClock();
const ports = { fetch, clock, newId: () => "id" };
const bare: ModelSources = { variable: () => undefined };

const block = (provider: string, fields: Partial<ModelBlock> = {}): ModelBlock => ({
  provider,
  model: "m",
  timeout_seconds: 120,
  parameters: {},
  ...fields,
});
const section = (primary: ModelBlock, fields: Partial<ModelSection> = {}): ModelSection => ({
  primary,
  fallbacks: [],
  routing: { health_check_interval: 30 },
  roles: {},
  ...fields,
});
const local = { endpoint: "10.0.0.5:11434", models: ["llama", "gemma"] };
const hosted = { endpoint: "https://api.openai.com/v1", apiKey: "sk-1", models: ["gpt"] };
const file = (providers: NonNullable<ModelSources["file"]>["providers"]): ModelSources => ({
  ...bare,
  file: { providers },
  variable: (name) => ({ FAST_KEY: " sk-fast\n", ODD_KEY: "a\u0000b" })[name],
});
const fast = { type: "openai", endpoint: "https://fast.example/v1", api_key_env: "FAST_KEY", prices: {} };

const resolve = (spec: ModelSection | undefined, sources = bare, rehearse = false) =>
  resolveModels(spec, { sources, ports, rehearse });
const namesOf = (spec: ModelSection | undefined, sources = bare) =>
  resolve(spec, sources).candidates.map(
    ({ provider, model, endpoint }) => `${provider}/${model} at ${endpoint}`,
  );

describe("candidates", () => {
  test("come in declared order", () => {
    const spec = section(block("ollama"), {
      fallback: block("vllm", { endpoint: "http://gpu:8000" }),
      fallbacks: [block("llamacpp", { endpoint: "http://cpp:8080/v1" })],
    });
    expect(namesOf(spec)).toEqual([
      "ollama/m at http://127.0.0.1:11434/",
      "vllm/m at http://gpu:8000/v1",
      "llamacpp/m at http://cpp:8080/v1",
    ]);
  });

  test("take address and key of an entry of providers.yaml, or of the environment", () => {
    expect(namesOf(section(block("fast")), file({ fast }))).toEqual(["fast/m at https://fast.example/v1"]);
    expect(namesOf(section(block("ollama")), { ...bare, local })).toEqual([
      "ollama/m at http://10.0.0.5:11434/",
    ]);
    expect(namesOf(section(block("openai_compat")), { ...bare, hosted })).toEqual([
      "openai/m at https://api.openai.com/v1",
    ]);
  });

  test("of an agent that names none are the defaults of providers.yaml, else what the servers list first", () => {
    const withDefault = file({ fast });
    const defaults = { candidates: [block("fast", { model: "d" })], strategy: "round_robin" as const };
    const resolved = resolve(undefined, { ...withDefault, file: { providers: { fast }, default: defaults } });
    expect(resolved.candidates.map(({ model }) => model)).toEqual(["d"]);
    expect(resolved.strategy).toBe("round_robin");
    expect(namesOf(undefined, { ...bare, local, hosted })).toEqual([
      "ollama/llama at http://10.0.0.5:11434/",
      "openai/gpt at https://api.openai.com/v1",
    ]);
  });

  describe("of an agent that names none are", () => {
    const keyless = { ...fast, api_key_env: "UNSET_KEY" };
    const openAi = { endpoint: "https://api.openai.com/v1", apiKey: "sk-1", models: [] };
    const table: [name: string, sources: ModelSources, models: string[]][] = [
      ["the hosted server's built-in model", { ...bare, hosted: openAi }, ["openai/gpt-4o-mini"]],
      [
        "what a server of another vendor lists first",
        { ...bare, hosted: { ...openAi, models: ["x", "y"] } },
        ["openai/x"],
      ],
      [
        "the built-in model where it is listed",
        { ...bare, hosted: { ...openAi, models: ["x", "gpt-4o-mini"] } },
        ["openai/gpt-4o-mini"],
      ],
      ["Ollama's, though it lists none", { ...bare, local: { ...local, models: [] } }, ["ollama/llama3.2"]],
      [
        "the hosted one's alone, when the local server has no model",
        { ...bare, local: { ...local, models: [] }, hosted: openAi },
        ["openai/gpt-4o-mini"],
      ],
      ["the first provider of the file", { ...file({ fast }), local, hosted }, ["fast/gpt-4o-mini"]],
      ["the first model that its entry lists", file({ fast: { ...fast, models: ["b", "a"] } }), ["fast/b"]],
      ["of the first provider whose key is there", file({ keyless, fast }), ["fast/gpt-4o-mini"]],
      [
        "of the first provider that has a model",
        file({ gpu: { type: "vllm", endpoint: "http://gpu:8000", prices: {} }, fast }),
        ["fast/gpt-4o-mini"],
      ],
      [
        "model_defaults before all else",
        {
          ...bare,
          file: { providers: { fast }, default: { candidates: [block("fast")], strategy: "quality_first" } },
          variable: file({}).variable,
          hosted,
          defaults: { provider: "fast", model: "d" },
        },
        ["fast/d"],
      ],
      [
        "the built-in model of the provider that model_defaults names",
        { ...file({ fast }), defaults: { provider: "fast" } },
        ["fast/gpt-4o-mini"],
      ],
    ];
    test.each(table)("%s", (_name, sources, models) => {
      const { candidates, problems } = resolve(undefined, sources);
      expect(problems).toEqual([]);
      expect(candidates.map(({ provider, model }) => `${provider}/${model}`)).toEqual(models);
    });

    const faults: [name: string, sources: ModelSources, path: string, says: RegExp][] = [
      ["nothing configured", bare, "spec.model", /model_defaults.*HOSTED_LLM_API_KEY/],
      ["a key that is not set", file({ keyless }), "spec.model", /set UNSET_KEY/],
      [
        "a provider without a default model",
        {
          ...file({ gpu: { type: "vllm", endpoint: "http://gpu:8000", prices: {} } }),
          defaults: { provider: "gpu" },
        },
        "runtime.yaml spec.model_defaults",
        /gpu.*add `model`/,
      ],
      [
        "a provider that there is not",
        { ...bare, defaults: { provider: "opnai", model: "m" } },
        "runtime.yaml spec.model_defaults.provider",
        /did you mean openai/,
      ],
    ];
    test.each(faults)("a problem: %s", (_name, sources, path, says) => {
      const { problems } = resolve(undefined, sources);
      expect(problems).toEqual([{ path, message: expect.stringMatching(says) }]);
    });

    test("priced, where they are hosted", () => {
      const unpriced = providerKinds.filter(
        ({ local: isLocal, defaultModel, defaultEndpoint: endpoint = "" }) =>
          !isLocal &&
          tablePrice(shippedPrices, {
            model: defaultModel ?? "",
            endpoint,
            contextWindow: 8000,
          }) === undefined,
      );
      expect(unpriced.map(({ name }) => name)).toEqual([]);
    });
  });

  test("of roles are resolved like the others", () => {
    const spec = section(block("ollama"), {
      roles: { planner: { candidates: [block("fast")], strategy: "round_robin" } },
    });
    const planner = resolve(spec, file({ fast })).roles.get("planner");
    expect(planner?.candidates.map(({ provider }) => provider)).toEqual(["fast"]);
    expect(planner?.strategy).toBe("round_robin");
  });

  test("have their own window, the entry's, or their kind's", () => {
    const windows = [
      section(block("ollama", { context_window: 1000 })),
      section(block("fast")),
      section(block("ollama")),
    ].map(
      (spec) => resolve(spec, file({ fast: { ...fast, context_window: 2000 } })).candidates[0]?.contextWindow,
    );
    expect(windows).toEqual([1000, 2000, 4096]);
  });

  test("of local kinds are local, and none is simulated but the rehearsal", () => {
    const made = providerKinds.flatMap(({ name }) =>
      resolve(section(block(name, { endpoint: "http://x.example/v1" }))).candidates.map(
        ({ local: isLocal, simulated }) => `${name} ${isLocal} ${simulated}`,
      ),
    );
    expect(made).toEqual([
      "openai false false",
      "ollama true false",
      "vllm true false",
      "llamacpp true false",
      "hf_tgi true false",
      "groq false false",
      "mistral false false",
      "anthropic false false",
      "cohere false false",
      "rehearsal true true",
    ]);
  });
});

describe("the strategy", () => {
  test("is the declared one, else quality_first, else cost_optimized with a local and a hosted server", () => {
    const spec = section(block("ollama"));
    expect(resolve(spec).strategy).toBe("quality_first");
    expect(resolve(spec, { ...bare, local }).strategy).toBe("quality_first");
    expect(resolve(spec, { ...bare, local, hosted }).strategy).toBe("cost_optimized");
    const declared = section(block("ollama"), {
      routing: { strategy: "round_robin", health_check_interval: 30 },
    });
    expect(resolve(declared, { ...bare, local, hosted }).strategy).toBe("round_robin");
  });

  test("prefers the local model when both come from the environment", async () => {
    const servers = [
      await startModelServer([{ text: "local" }]),
      await startModelServer([{ text: "hosted" }]),
    ];
    const [home, away] = servers.map(({ url }) => ({ endpoint: url, models: ["m"], apiKey: "k" }));
    if (!home || !away) throw new Error("two servers");
    const { candidates, strategy } = resolve(section(block("openai"), { fallback: block("ollama") }), {
      ...bare,
      local: home,
      hosted: away,
    });
    const router = createRouter({ candidates, strategy, clock, breakers: createBreakers(clock) });
    for await (const event of router.call(requestOf("hi"), new AbortController().signal)) {
      if (event.type === "chosen") expect(event.provider).toBe("ollama");
    }
    await Promise.all(servers.map((server) => server.stop()));
  });
});

describe("a key", () => {
  async function keySentTo(spec: (url: string) => ModelBlock, sources: (url: string) => ModelSources) {
    const server = await startModelServer([{ text: "ok" }]);
    const { candidates, problems } = resolve(section(spec(server.url)), sources(server.url));
    expect(problems).toEqual([]);
    for await (const _event of candidates[0]?.call(requestOf("hi"), new AbortController().signal) ?? []);
    await server.stop();
    return server.requests[0]?.headers.get("authorization") ?? null;
  }
  const fastAt = (endpoint: string) => file({ fast: { ...fast, endpoint } });

  test("goes to the endpoint it was configured with, trimmed", async () => {
    expect(await keySentTo(() => block("fast"), fastAt)).toBe("Bearer sk-fast");
    expect(await keySentTo((url) => block("fast", { endpoint: `${url}/` }), fastAt)).toBe("Bearer sk-fast");
    expect(
      await keySentTo(
        () => block("openai"),
        (url) => ({ ...bare, hosted: { ...hosted, endpoint: url } }),
      ),
    ).toBe("Bearer sk-1");
    expect(
      await keySentTo((url) => block("openai", { endpoint: url, api_key_env: "FAST_KEY" }), fastAt),
    ).toBe("Bearer sk-fast");
  });

  test("never goes to an endpoint of the agent's own", async () => {
    expect(
      await keySentTo(
        (url) => block("fast", { endpoint: url }),
        () => file({ fast }),
      ),
    ).toBeNull();
    expect(
      await keySentTo(
        (url) => block("openai", { endpoint: url }),
        () => ({ ...bare, hosted }),
      ),
    ).toBeNull();
  });

  test("of one's own separates the breaker", () => {
    const account = (spec: ModelBlock) => resolve(section(spec), file({ fast })).candidates[0]?.account;
    expect(account(block("fast"))).toBeUndefined();
    expect(account(block("fast", { api_key_env: "FAST_KEY" }))).toBe("FAST_KEY");
  });
});

describe("a problem", () => {
  const table: [
    name: string,
    spec: ModelSection | undefined,
    sources: ModelSources,
    path: string,
    message: RegExp,
  ][] = [
    ["no model at all", undefined, bare, "spec.model", /providers.yaml/],
    [
      "an unknown provider",
      section(block("olama")),
      bare,
      "spec.model.primary.provider",
      /did you mean ollama/,
    ],
    [
      "a model of local files where none can be run",
      section(block("onnx")),
      bare,
      "spec.model.primary.model",
      /can't be run here/,
    ],
    [
      "a self-hosted one without an address",
      section(block("vllm")),
      bare,
      "spec.model.primary.endpoint",
      /address/,
    ],
    [
      "an address that is none",
      section(block("vllm", { endpoint: "gpu:8000" })),
      bare,
      "spec.model.primary.endpoint",
      /not an http/,
    ],
    [
      "a hosted one without a key",
      section(block("groq")),
      bare,
      "spec.model.primary.api_key_env",
      /api_key_env/,
    ],
    [
      "anthropic without a key",
      section(block("anthropic")),
      bare,
      "spec.model.primary.api_key_env",
      /anthropic takes no call without a key/,
    ],
    [
      "openai without a key",
      section(block("openai")),
      bare,
      "spec.model.primary.api_key_env",
      /HOSTED_LLM_API_KEY/,
    ],
    [
      "a variable that is not set",
      section(block("openai", { api_key_env: "NO_KEY" })),
      bare,
      "spec.model.primary.api_key_env",
      /NO_KEY/,
    ],
    [
      "a key that no header can carry",
      section(block("openai", { api_key_env: "ODD_KEY" })),
      file({}),
      "spec.model.primary.api_key_env",
      /characters/,
    ],
    [
      "a parameter the provider does not know",
      section(block("hf_tgi", { endpoint: "http://x.example", parameters: { top_k: 5 } })),
      bare,
      "spec.model.primary.parameters.top_k",
      /hf_tgi/,
    ],
    [
      "a parameter that only Ollama's own API knows, at its compatible route",
      section(block("ollama", { endpoint: "http://x.example/v1", parameters: { top_k: 5 } })),
      bare,
      "spec.model.primary.parameters.top_k",
      /ollama/,
    ],
    [
      "a model that the entry does not list",
      section(block("fast")),
      file({ fast: { ...fast, models: ["a", "b"] } }),
      "spec.model.primary.model",
      /a, b/,
    ],
    [
      "a fallback's fault",
      section(block("ollama"), { fallback: block("vllm") }),
      bare,
      "spec.model.fallback.endpoint",
      /address/,
    ],
    [
      "a further fallback's",
      section(block("ollama"), { fallbacks: [block("vllm")] }),
      bare,
      "spec.model.fallbacks[0].endpoint",
      /address/,
    ],
    [
      "a role's",
      section(block("ollama"), { roles: { planner: { candidates: [block("vllm")] } } }),
      bare,
      "spec.model.roles.planner.candidates[0].endpoint",
      /address/,
    ],
  ];
  test.each(table)("%s", (_name, spec, sources, path, message) => {
    const { problems } = resolve(spec, sources);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.message).toMatch(message);
  });
});

describe("the rehearsal", () => {
  test("takes every candidate's place when asked for, with any part of the spec missing", () => {
    for (const spec of [
      undefined,
      section(block("groq"), { roles: { planner: { candidates: [block("vllm")] } } }),
    ]) {
      const { candidates, problems, roles } = resolve(spec, bare, true);
      expect(candidates.map(({ provider, simulated }) => [provider, simulated])).toEqual([
        ["rehearsal", true],
      ]);
      expect(problems).toEqual([]);
      for (const role of roles.values()) expect(role.candidates[0]?.simulated).toBe(true);
    }
  });
  test("never comes in by itself", () => {
    expect(resolve(section(block("groq"))).candidates).toEqual([]);
    expect(resolve(undefined).candidates).toEqual([]);
  });
});

test("prices are those of providers.yaml, and unknown where it gives none", () => {
  const priced = { fast: { ...fast, prices: { m: { in: 150, out: 600 } } } };
  expect(configuredPrice(priced, "fast", "m")).toEqual({ in: 150, out: 600 });
  expect(configuredPrice(priced, "fast", "other")).toBeUndefined();
  expect(configuredPrice(priced, "constructor", "m")).toBeUndefined();
  expect(configuredPrice({}, "fast", "m")).toBeUndefined();
});
