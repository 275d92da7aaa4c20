import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import { type Provider, ProviderList } from "../../../../src/contracts/daemon/models/providers.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

async function providers(daemon: TestDaemon<string>): Promise<Record<string, Provider>> {
  const { status, body, text } = await daemon.call("GET", "/v1/system/providers");
  expect([status, [...Value.Errors(ProviderList, body)]]).toEqual([200, []]);
  expect(text).not.toContain("secret");
  const read = await daemonClient({ fetch, baseUrl: daemon.url }).listProviders();
  expect(read.providers.map(({ name }) => name)).toEqual(body.providers.map(({ name }: Provider) => name));
  return Object.fromEntries(body.providers.map((one: Provider) => [one.name, one]));
}

test("each provider says where it is configured, which models it has, who may call them and at what price", async () => {
  await using daemon = await startDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper"),
      "other.agent.yaml": agentFile("other", {
        model: {
          primary: { provider: "lab", model: "test-model" },
          fallbacks: [{ provider: "rehearsal", model: "any" }],
        },
      }),
    },
    configure: (config) => {
      const { lab } = config.providers.providers;
      if (lab === undefined) throw new Error("no lab");
      const kept = {
        ...lab,
        type: "openai",
        endpoint: lab.endpoint?.replace("http://", "http://user:secret@") ?? "",
        models: ["test-model", "idle-model"],
        prices: { "test-model": { in: 250, out: 1250 } },
        context_window: 4096,
      };
      return { ...config, providers: { ...config.providers, providers: { lab, kept } } };
    },
  });
  const { lab, kept, rehearsal } = await providers(daemon);
  expect(lab).toMatchObject({
    type: "vllm",
    configured: "file",
    local: true,
    status: "healthy",
    models: [
      {
        model: "test-model",
        agents: ["helper", "other"],
        listed: false,
        context_window: 8192,
        price: { input_usd: 0, output_usd: 0 },
      },
    ],
    circuits: [{ address: new URL(daemon.models.lab.url).origin, state: "closed", failures: 0 }],
  });
  expect(kept).toEqual({
    name: "kept",
    type: "openai",
    configured: "file",
    local: false,
    status: "unused",
    models: [
      { model: "idle-model", agents: [], listed: true },
      {
        model: "test-model",
        agents: [],
        listed: true,
        price: { input_usd: 0.25, output_usd: 1.25 },
      },
    ],
    circuits: [],
  });
  expect(rehearsal).toMatchObject({ configured: "agent", models: [{ model: "any", agents: ["other"] }] });
});

test("a circuit says what opened it and when it tries again, and closes", async () => {
  let isDown = true;
  await using daemon = await startDaemon({
    models: { lab: () => (isDown ? { status: 500, body: "{}" } : { text: "Hello." }) },
  });
  const ask = () => daemon.run("helper", { query: "hi" });
  await ask();
  expect((await providers(daemon)).lab).toMatchObject({
    status: "degraded",
    reason: expect.stringMatching(/^The last call failed: .*lab/),
    circuits: [{ state: "closed", failures: 1, last_failure: { code: "unreachable" } }],
  });
  await ask();
  await ask();
  const openedAt = daemon.clock.now();
  const retryAt = new Date(openedAt.getTime() + 60_000).toISOString();
  await daemon.clock.advance(1500);
  expect((await providers(daemon)).lab).toMatchObject({
    status: "unavailable",
    reason: expect.stringMatching(/^Paused after repeated failures: .*lab/),
    circuits: [
      {
        state: "open",
        health: "unavailable",
        failures: 0,
        opened_at: openedAt.toISOString(),
        retry_at: retryAt,
        last_failure: { at: openedAt.toISOString() },
      },
    ],
  });
  isDown = false;
  await daemon.clock.advance(60_000);
  expect((await ask()).status).toBe(200);
  const { lab } = await providers(daemon);
  expect(lab).toMatchObject({ status: "healthy", circuits: [{ state: "closed", failures: 0 }] });
  expect(lab).not.toHaveProperty("reason");
  expect(lab?.circuits[0]).not.toHaveProperty("opened_at");
});

test("a daemon that rehearses every model reports it", async () => {
  await using daemon = await startDaemon({
    configure: (config) => ({ ...config, models: { ...config.models, rehearse: true } }),
  });
  const { body } = await daemon.call("GET", "/v1/system/providers");
  expect(body.rehearsing).toBe(true);
  expect(body.providers.map(({ name }: Provider) => name)).toEqual(["lab", "rehearsal"]);
});
