import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reachWorkspace } from "../../../src/command/reach-workspace.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { startArgosy } from "../../../src/compose/start.ts";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import { platformClient } from "../../../src/contracts/platform/clients/client.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { outputUnlessKilled } from "../../support/killed-process.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const adminToken = randomBytes(32).toString("hex");

const agent = (name: string, more = "") => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
${more}`;

test("an apply killed at any of its writes, and then an apply, ends like an apply alone; everything has its owner", async () => {
  using folder = temporaryFolder();
  const variables: Record<string, string> = { GATEWAY_ADMIN_TOKEN: adminToken };
  const configOf = () => {
    const config = loadConfig({ workspace: folder.path, port: "0" });
    return {
      ...config,
      models: { autoConfigure: false, rehearse: false },
      gateway: { ...config.gateway, adminToken, emulator: true },
      variable: (name: string) => variables[name],
    };
  };
  const server = await startArgosy(configOf(), { log: silentLogger });
  const address = (name: string) => ({
    baseUrl: server.services.find((service) => service.name === name)?.url ?? "",
    fetch: (request: Request) => fetch(request),
  });
  try {
    const people = platformClient(address("platform"));
    const registration = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
    const { accessToken } = await people.register(registration);
    const ada = platformClient({ ...address("platform"), accessToken });
    const { id } = await ada.createTenant("Ada Ltd");
    const key = (await ada.createKey(id, "desk")).rawKey;
    variables.DESK_KEY = key;
    const tenant = platformClient({ ...address("platform"), apiKey: key });
    const gateway = gatewayAdminClient(address("gateway"), adminToken);
    for (const part of ["agents", "rag"]) mkdirSync(join(folder.path, part));
    const write = (path: string, text: string) => writeFileSync(join(folder.path, path), text);
    const writeAll = () => {
      const other = "  tools: [{name: ask, type: agent, description: Asks., config: {agent: other}}]\n";
      write("agents/helper.agent.yaml", agent("helper", other));
      write("agents/other.agent.yaml", agent("other"));
      write(
        "rag/handbook.rag.yaml",
        "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: handbook}\n",
      );
      write(
        "platform.yaml",
        "channels: [{channel: echo, external_id: desk, entry_agent: helper, platform_api_key_env: DESK_KEY}]\n",
      );
    };
    const removeAll = () => {
      for (const path of [
        "agents/helper.agent.yaml",
        "agents/other.agent.yaml",
        "rag/handbook.rag.yaml",
        "platform.yaml",
      ])
        rmSync(join(folder.path, path));
    };
    const apply = async () => {
      const reached = await reachWorkspace(configOf(), { log: silentLogger });
      const options = { signal: new AbortController().signal, told: () => {} };
      const results = await reached.apply(await reached.plan({ adopt: false }), options);
      expect(results.filter(({ status }) => status !== "done")).toEqual([]);
      const { plan } = await reached.plan({ adopt: false });
      expect([plan.changes, plan.conflicts, (await reached.drift()).changes]).toEqual([[], [], []]);
      await reached.close();
    };
    const held = async () => ({
      agents: (await tenant.listAgents()).agents.map(({ name }) => name).sort(),
      collections: (await tenant.listCollections()).collections.map(({ name }) => name),
      accounts: (await gateway.listAccounts(id)).accounts.map(({ external_id }) => external_id),
      bindings: (await gateway.listBindings(id)).bindings.map(({ entry_agent }) => entry_agent),
    });
    const killed = async (killAt: string) => {
      const command = [join(import.meta.dirname, "killed-apply.ts"), folder.path, killAt];
      const env = {
        ...process.env,
        ...variables,
        PLATFORM_AUTO_CONFIG: "false",
        GATEWAY_EMULATOR: "true",
      };
      return (await outputUnlessKilled(command, env)) === undefined;
    };
    let kills = 0;
    for (let number = 1; ; number++) {
      writeAll();
      if (!(await killed(`${number}-${number % 2 === 0 ? "before" : "after"}`))) break;
      kills++;
      await apply();
      expect(await held()).toEqual({
        agents: ["helper", "other"],
        collections: ["handbook"],
        accounts: ["desk"],
        bindings: ["helper"],
      });
      removeAll();
      await apply();
      // What the killed process created was not left behind without an owner.
      expect(await held()).toEqual({ agents: [], collections: [], accounts: [], bindings: [] });
    }
    // One record before the creates, and two writes for each of the five resources.
    expect(kills).toBe(11);
  } finally {
    await server.stop();
  }
}, 400_000);
