import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedSchema } from "../../src/command/published-schema.ts";
import { validateWorkspace } from "../../src/command/validate.ts";
import { childCommand } from "../../src/compose/child-command.ts";
import { openOnnx } from "../../src/compose/daemon/onnx.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { resolveModels } from "../../src/engine/models/resolve-models.ts";
import { shippedPrices } from "../../src/engine/spending/price-table.ts";
import { memoryPins } from "../../src/engine/tools/mcp/tool-pins.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { createOperatorParts, type OperatorPorts } from "../../src/services/daemon/agents/operator-parts.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const own = {
  vendors: {
    me: {
      source: "a bill",
      taken: "2026-01",
      hosts: ["api.openai.com"],
      models: { "gpt-4o": { in: 1, out: 2 } },
    },
  },
};

/** Returns the price of a model in a workspace with these files. */
function priceIn(
  files: Record<string, object>,
  block: { provider: string; model: string; endpoint?: string },
) {
  using folder = temporaryFolder();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder.path, name), JSON.stringify(content));
  const config = loadConfig({ workspace: folder.path });
  const clock = new FakeClock();
  const sources = {
    file: config.providers,
    hosted: { endpoint: "https://api.openai.com/v1", apiKey: "k", models: [] },
    variable: () => "key",
  };
  const ports: OperatorPorts = {
    clock,
    newId,
    sources,
    conversationsOf: () => ({ recent: async () => [], append: async () => {}, clear: async () => 0 }),
    modelCalled: () => {},
    log: silentLogger,
    toolPins: memoryPins(),
    fetch: () => Promise.reject(new Error("nothing is called here")),
    helperCommand: childCommand,
    secret: () => undefined,
    onnx: openOnnx(config.dataFolder, silentLogger, clock),
    sealed: true,
  };
  const parts = createOperatorParts(config, ports);
  const primary = { timeout_seconds: 1, parameters: {}, ...block };
  const section = { primary, fallbacks: [], routing: { health_check_interval: 30 }, roles: {} };
  const { candidates, problems } = resolveModels(section, parts.models);
  expect(problems).toEqual([]);
  const [model] = candidates;
  return model && parts.priceOf(model);
}

describe("a model's price", () => {
  const gpt = shippedPrices.vendors.openai?.models["gpt-4o"];
  const entry = (more: object) => ({
    "providers.yaml": { providers: { fast: { type: "openai", api_key_env: "KEY", ...more } } },
  });
  const fast = { provider: "fast", model: "gpt-4o" };

  test("is the shipped table's for the vendor's own server", () => {
    expect(priceIn({}, { provider: "openai", model: "gpt-4o" })).toEqual(gpt as never);
    expect(priceIn(entry({}), fast)).toEqual(gpt as never);
    expect(priceIn(entry({ endpoint: "https://api.openai.com/v1/" }), fast)).toEqual(gpt as never);
  });
  test("is not the vendor's at another server that speaks its protocol", () => {
    expect(priceIn(entry({ endpoint: "https://proxy.example/v1" }), fast)).toBeUndefined();
    const block = { ...fast, provider: "openai", endpoint: "http://127.0.0.1:1/v1" };
    expect(priceIn({}, block)).toBeUndefined();
  });
  test("is the entry's own where it has one", () => {
    const prices = { "gpt-4o": { in: 7, out: 9 } };
    expect(priceIn(entry({ prices }), fast)).toEqual({ in: 7, out: 9 });
    expect(priceIn({ ...entry({ prices }), "prices.yaml": own }, fast)).toEqual({ in: 7, out: 9 });
  });
  test("is that of prices.yaml, which replaces the shipped table as a whole", () => {
    expect(priceIn({ "prices.yaml": own }, { provider: "openai", model: "gpt-4o" })).toEqual({
      in: 1,
      out: 2,
    });
    expect(priceIn({ "prices.yaml": own }, { provider: "openai", model: "gpt-4o-mini" })).toBeUndefined();
    expect(
      priceIn({ "prices.yaml": { vendors: {} } }, { provider: "openai", model: "gpt-4o" }),
    ).toBeUndefined();
  });
});

test("a prices.yaml with a fault refuses the start and is found by validate", async () => {
  using folder = temporaryFolder();
  writeFileSync(
    join(folder.path, "prices.yaml"),
    "vendors:\n  me: {source: x, taken: 2026-01, hosts: [h], modells: {}}\n",
  );
  expect(() => loadConfig({ workspace: folder.path })).toThrow(AppError);
  expect(() => loadConfig({ workspace: folder.path })).toThrow(/prices\.yaml:2:/);
  const [file] = await validateWorkspace({ workspace: folder.path }, []);
  expect(file).toMatchObject({ file: "prices.yaml", kind: "prices" });
  expect(file?.problems.some(({ message }) => message.includes("models"))).toBe(true);
});

test("an empty prices.yaml is a fault, not the shipped table", () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "prices.yaml"), "");
  expect(() => loadConfig({ workspace: folder.path })).toThrow(/prices\.yaml/);
});

test("its JSON Schema is published", () => {
  expect(publishedSchema("prices")).toMatchObject({ title: "prices.yaml", type: "object" });
});
