import { afterEach, describe, expect, test } from "bun:test";
import { type Config, loadConfig } from "../../src/compose/config.ts";
import { discoverModels } from "../../src/compose/model-discovery.ts";
import { newId } from "../../src/kit/id.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startModelServer } from "../support/model-server.ts";
import { ollamaWire } from "../support/ollama-wire.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { startVendorServer } from "../support/vendor-server.ts";

const servers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function localFound(localHost: string) {
  using folder = temporaryFolder();
  const loaded = loadConfig({ workspace: folder.path });
  const config: Config = { ...loaded, models: { autoConfigure: true, rehearse: false, localHost } };
  return (await discoverModels({ config, clock: new FakeClock(), newId })).local;
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

  test("that is named counts although nobody answers", async () => {
    const server = await startModelServer([{}]);
    await server.stop();
    expect(await localFound(server.url)).toEqual({ endpoint: server.url, models: [] });
  });
});
