import { expect, test } from "bun:test";
import { agentFile, startDaemon } from "../../../support/daemon.ts";

const withoutModel = agentFile("plain", { model: undefined });

test("an agent that names no model runs on the default, and every list names it", async () => {
  await using daemon = await startDaemon({
    agents: { "plain.agent.yaml": withoutModel, "named.agent.yaml": agentFile("named") },
    runtime: JSON.stringify({ spec: { model_defaults: { provider: "lab", model: "usual" } } }),
  });
  const { agents } = (await daemon.call("GET", "/v1/agents")).body;
  const models = agents.map(({ name, model, status }: Record<string, string>) => [name, model, status]);
  expect(models).toContainEqual(["plain", "lab/usual", "ready"]);
  const detail = (await daemon.call("GET", "/v1/agents/plain")).body;
  expect(detail.model).toMatchObject({ primary: { provider: "lab", model: "usual" }, is_default: true });
  expect((await daemon.call("GET", "/v1/agents/named")).body.model).not.toContainKey("is_default");
  const { body } = await daemon.run("plain", { query: "hi" });
  expect([body.provider, body.model]).toEqual(["lab", "usual"]);
  expect(daemon.models.lab.requests[0]?.body.model).toBe("usual");
});

test("without model_defaults it is the first configured provider with its own default", async () => {
  await using daemon = await startDaemon({
    agents: { "plain.agent.yaml": withoutModel },
    configure: (config) => ({
      ...config,
      providers: {
        ...config.providers,
        providers: { ...config.providers.providers, stand_in: { type: "rehearsal", prices: {} } },
      },
    }),
  });
  const { agents } = (await daemon.call("GET", "/v1/agents")).body;
  expect(agents).toMatchObject([{ name: "plain", model: "rehearsal/rehearsal", status: "ready" }]);
});
