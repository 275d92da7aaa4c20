import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { validateWorkspace } from "../../../src/command/validate.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { announceOpenedNetworks } from "../../../src/compose/settings/network-settings.ts";
import { toolSecrets } from "../../../src/compose/settings/secrets/tool-secrets.ts";
import { SecretRegistry } from "../../../src/kit/secrets/secret-registry.ts";
import { agentFile, startDaemon } from "../../support/daemon.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { refusal } from "../../support/refusal.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const runtimeWith = (allow: unknown) => JSON.stringify({ spec: { network: { allow } } });

/** Creates a workspace with a runtime.yaml. */
function workspaceWith(text: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "runtime.yaml"), text);
  return folder;
}

describe("spec.network.allow", () => {
  test("is a setting that says where it comes from, and is announced", () => {
    using folder = workspaceWith(runtimeWith(["10.1.0.0/16", "erp.corp.example"]));
    const config = loadConfig({ workspace: folder.path });
    expect([...config.network.hosts]).toEqual(["erp.corp.example"]);
    expect(config.network.ranges).toHaveLength(1);
    expect(config.settings).toContainEqual({
      key: "network.allow",
      value: "10.1.0.0/16,erp.corp.example",
      source: "runtime.yaml",
      name: "spec.network.allow",
    });
    const { log, logged } = recordingLogger();
    announceOpenedNetworks(config.runtime, log);
    expect(logged).toMatchObject([
      { level: "warn", event: "network.opened", fields: { allow: ["10.1.0.0/16", "erp.corp.example"] } },
    ]);
  });

  test.each(["spec: {}", "spec: {network: {}}", "spec: {network: {allow: []}}"])(
    "opens nothing: %s",
    (text) => {
      using folder = workspaceWith(text);
      const config = loadConfig({ workspace: folder.path });
      expect([config.network.hosts.size, config.network.ranges.length]).toEqual([0, 0]);
      const { log, logged } = recordingLogger();
      announceOpenedNetworks(config.runtime, log);
      expect(logged).toEqual([]);
    },
  );

  test("with an entry that can't be honoured refuses the start, and is found by validate", async () => {
    using folder = workspaceWith(runtimeWith(["10.1.0.0/16", "169.254.0.0/16", "0.0.0.0/0"]));
    const error = await refusal(() => loadConfig({ workspace: folder.path }));
    expect(error.details.problems).toEqual([
      { path: "runtime.yaml spec.network.allow[1]", message: expect.stringContaining("can't be opened") },
      { path: "runtime.yaml spec.network.allow[2]", message: "is too wide: at least /8" },
    ]);
    const [file] = await validateWorkspace({ workspace: folder.path }, [join(folder.path, "runtime.yaml")]);
    expect(file?.problems).toMatchObject([
      { path: "spec.network.allow[1]", line: 1 },
      { path: "spec.network.allow[2]", line: 1 },
    ]);
  });
});

describe("a daemon's tools", () => {
  const inner = () =>
    Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ data: { inside: true } }) });
  const closed = "This host is not on the public internet and may not be reached from here.";

  test("reach nothing private unless the operator opened it, no matter who names it", async () => {
    const server = inner();
    const url = `http://127.0.0.1:${server.port}/`;
    const hook = { name: "hook", type: "webhook", parameters: { type: "object" }, config: { url } };
    const agents = { "helper.agent.yaml": agentFile("helper", { tools: [hook] }) };
    const calls = [
      { tool: "http_request", input: { method: "GET", url } },
      { tool: "graphql_query", input: { endpoint: url, query: "{ a }" } },
      { tool: "send_webhook", input: { url, payload: 1 } },
      { tool: "hook", input: {}, agent: "helper" },
    ];
    for (const runtime of [undefined, runtimeWith(["127.0.0.0/8"])]) {
      await using daemon = await startDaemon({ agents, ...(runtime !== undefined && { runtime }) });
      for (const body of calls) {
        const { body: answer } = await daemon.call("POST", "/v1/tools/execute", { body });
        expect([body.tool, answer.output.success]).toEqual([body.tool, runtime !== undefined]);
        if (runtime === undefined) expect(answer.output.error).toBe(closed);
      }
      const said = daemon.logLines().filter((line) => line.includes("network.opened"));
      expect(said).toHaveLength(runtime === undefined ? 0 : 1);
    }
    server.stop(true);
  });

  test("find the chat in the environment, and nothing shows it", async () => {
    const posted: unknown[] = [];
    const chat = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        posted.push(await request.json());
        return new Response(null, { status: 500 });
      },
    });
    const webhook = `http://localhost:${chat.port}/services/TOPSECRET0001`;
    await using daemon = await startDaemon({
      runtime: runtimeWith(["localhost"]),
      configure: (config) => ({
        ...config,
        variable: (name) => (name === "CHAT_WEBHOOK_URL" ? webhook : undefined),
      }),
    });
    const { text } = await daemon.call("POST", "/v1/tools/execute", {
      body: { tool: "send_chat", input: { message: "hi" } },
    });
    expect(posted).toEqual([{ text: "hi" }]);
    expect(text).toContain("The chat answered with status 500");
    expect(text + daemon.logLines().join()).not.toContain("TOPSECRET0001");
    chat.stop(true);
  });
});

test("a secret that a tool has read is masked from then on, also as the path of its URL", () => {
  const knownSecrets = new SecretRegistry();
  const values: Record<string, string> = { HOOK: "https://chat.test/services/T0/abc?x=1", EMPTY: "" };
  const secret = toolSecrets({
    variable: (name) => values[name],
    knownSecrets,
    programs: { refusal: () => undefined, withholding: () => undefined },
  });
  expect([secret("NONE"), secret("EMPTY"), secret("HOOK")]).toEqual([undefined, undefined, values.HOOK]);
  expect(knownSecrets.mask("POST /services/T0/abc?x=1 to chat.test")).toBe("POST [redacted] to chat.test");
});
