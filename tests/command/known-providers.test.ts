import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openKnownProviders } from "../../src/command/known-providers.ts";
import { validateWorkspace } from "../../src/command/validate.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { agentFile, startDaemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const key = "sk-a-key-nobody-may-see";
const agent = (provider: string) => agentFile(provider, { model: { primary: { provider, model: "big" } } });

test("a provider that was set up through the API is valid in an agent, beside a server and without one", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  const problems = async (data: string) =>
    (await validateWorkspace({ workspace, data }, [])).flatMap((file) => file.problems);
  let data = "";
  {
    await using daemon = await startDaemon({
      workspace,
      agents: { "acme.agent.yaml": agent("acme"), "anthropic.agent.yaml": agent("anthropic") },
    });
    data = daemon.config.dataFolder;
    expect((await problems(data)).map(({ message }) => message).join()).toMatch(/acme/);
    const acme = { type: "openai", endpoint: "http://127.0.0.1:9/v1" };
    expect((await daemon.asOwner("PUT", "/v1/system/providers/acme", { body: acme })).status).toBe(200);
    const anthropic = { type: "anthropic", api_key: key };
    expect((await daemon.asOwner("PUT", "/v1/system/providers/anthropic", { body: anthropic })).status).toBe(
      200,
    );
    expect(await problems(data)).toEqual([]);
  }
  expect(await problems(data)).toEqual([]);
});

test("the list of settings has every provider with its source, and no key", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  await using daemon = await startDaemon({ workspace });
  for (const name of ["acme", "mine"]) {
    const body = { type: "openai", endpoint: "http://127.0.0.1:9/v1", api_key: key };
    await daemon.asOwner("PUT", `/v1/system/providers/${name}`, { body });
  }
  writeFileSync(
    join(workspace, "providers.yaml"),
    "providers: {lab: {type: ollama}, mine: {type: ollama}}\n",
  );
  const config = loadConfig({ workspace, data: daemon.config.dataFolder });
  const rows = (await openKnownProviders(config)).rows(config);
  expect(rows).toEqual([
    {
      key: "providers.acme",
      value: "openai http://127.0.0.1:9/v1",
      source: "stored",
      name: "PUT /v1/system/providers/acme",
    },
    { key: "providers.lab", value: "ollama", source: "providers.yaml", name: "providers.lab" },
    {
      key: "providers.mine",
      value: "openai http://127.0.0.1:9/v1",
      source: "stored",
      name: "PUT /v1/system/providers/mine",
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain(key);
});

test("a data folder without a database has none", async () => {
  using folder = temporaryFolder();
  const config = loadConfig({ workspace: folder.path, data: join(folder.path, "nothing") });
  expect((await openKnownProviders(config)).rows(config)).toEqual([]);
});
