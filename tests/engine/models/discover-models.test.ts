import { afterEach, describe, expect, test } from "bun:test";
import { discoverySettings } from "../../../src/compose/daemon/discovery-settings.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { createProviderFetch } from "../../../src/compose/provider-fetch.ts";
import type { Config } from "../../../src/compose/settings/config.ts";
import { discoverModels } from "../../../src/engine/models/discover-models.ts";
import { newId } from "../../../src/kit/id.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { startModelServer } from "../../support/model-server.ts";
import { ollamaWire } from "../../support/ollama-wire.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { startVendorServer } from "../../support/vendor-server.ts";

const servers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const discovered = (config: Config, clock: FakeClock) =>
  discoverModels(discoverySettings(config), { fetch: createProviderFetch(clock), clock, newId });

async function localFound(localHost: string) {
  using folder = temporaryFolder();
  const loaded = loadConfig({ workspace: folder.path });
  const config: Config = { ...loaded, models: { autoConfigure: true, rehearse: false, localHost } };
  return (await discovered(config, new FakeClock())).local;
}

describe("the local server", () => {
  test("is Ollama's own API, with or without a scheme", async () => {
    const server = await startVendorServer(ollamaWire, [{}]);
    servers.push(server);
    const models = ["llama3.2:latest"];
    expect(await localFound(server.url)).toEqual({ endpoint: server.url, models });
    expect(await localFound(server.url.replace("http://", ""))).toEqual({ endpoint: server.url, models });
  });

  test("is the compatible route where it is named, or where nothing else answers", async () => {
    const server = await startModelServer([{}]);
    servers.push(server);
    const found = { endpoint: server.url, models: ["test-model"] };
    expect(await localFound(server.url)).toEqual(found);
    expect(await localFound(server.url.replace(/v1$/, ""))).toEqual(found);
  });

  test("a named server counts although it does not answer", async () => {
    const server = await startModelServer([{}]);
    await server.stop();
    expect(await localFound(server.url)).toEqual({ endpoint: server.url, models: [] });
  });
});

describe("the hosted server", () => {
  async function hostedFound(models: Partial<Config["models"]>) {
    using folder = temporaryFolder();
    const loaded = loadConfig({ workspace: folder.path });
    const clock = new FakeClock();
    const config: Config = { ...loaded, models: { autoConfigure: true, rehearse: false, ...models } };
    return (await discovered(config, clock)).hosted;
  }
  const openAi = "https://api.openai.com/v1";

  test("of another vendor is asked for its models, with its key", async () => {
    const server = await startModelServer([{}], ["its-model"]);
    servers.push(server);
    expect(await hostedFound({ hostedEndpoint: server.url, hostedKey: "sk-1" })).toEqual({
      endpoint: server.url,
      apiKey: "sk-1",
      keyVariable: "HOSTED_LLM_API_KEY",
      models: ["its-model"],
    });
  });

  test("that does not answer counts all the same", async () => {
    const server = await startModelServer([{}]);
    await server.stop();
    expect(await hostedFound({ hostedEndpoint: server.url })).toEqual({ endpoint: server.url, models: [] });
  });

  test("is OpenAI by a key alone, without a request", async () => {
    expect(await hostedFound({ hostedKey: "sk-1" })).toEqual({
      endpoint: openAi,
      apiKey: "sk-1",
      keyVariable: "HOSTED_LLM_API_KEY",
      models: [],
    });
    expect(await hostedFound({ openAiKey: "sk-2" })).toEqual({
      endpoint: openAi,
      apiKey: "sk-2",
      keyVariable: "OPENAI_API_KEY",
      models: [],
      isFound: true,
    });
  });

  test("never gets OpenAI's key when it is another's", async () => {
    const found = await hostedFound({ hostedEndpoint: "http://127.0.0.1:1/v1", openAiKey: "sk-2" });
    expect(found).toEqual({ endpoint: "http://127.0.0.1:1/v1", models: [] });
  });
});
