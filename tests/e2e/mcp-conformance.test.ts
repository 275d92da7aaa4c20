import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon } from "../support/daemon.ts";
import { readToEnd } from "../support/read-to-end.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const suite = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = join(import.meta.dir, "../support/mcp-conformance-client.ts");

/** Runs the official conformance suite; 0 is a pass. */
async function conform(...args: readonly string[]): Promise<{ code: number; said: string }> {
  using folder = temporaryFolder();
  const child = Bun.spawn([process.execPath, suite, ...args], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", HOME: folder.path, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr, code } = await readToEnd(child);
  return { code: code ?? -1, said: code === 0 ? "" : `${stdout}\n${stderr}` };
}

/** All that revision 2026-07-28 requires of a client. */
const clientScenarios = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  ...[
    "metadata-default",
    "metadata-var1",
    "metadata-var2",
    "metadata-var3",
    "basic-cimd",
    "scope-from-www-authenticate",
    "scope-from-scopes-supported",
    "scope-omitted-when-undefined",
    "scope-step-up",
    "scope-retry-limit",
    "token-endpoint-auth-basic",
    "token-endpoint-auth-post",
    "token-endpoint-auth-none",
    "pre-registration",
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "authorization-server-migration",
    "iss-supported",
    "iss-not-advertised",
    "iss-supported-missing",
    "iss-wrong-issuer",
    "iss-unexpected",
    "iss-normalized",
    "metadata-issuer-mismatch",
  ].map((name) => `auth/${name}`),
];

describe("our client, by the suite's servers", () => {
  test.each(clientScenarios)("2026-07-28 %s", async (scenario) => {
    const command = `${process.execPath} ${client}`;
    const args = ["--command", command, "--scenario", scenario, "--spec-version", "2026-07-28"];
    expect(await conform("client", ...args)).toEqual({ code: 0, said: "" });
  });

  test.each(["initialize", "tools_call"])("2025-11-25 %s", async (scenario) => {
    const command = `${process.execPath} ${client}`;
    const args = ["--command", command, "--scenario", scenario, "--spec-version", "2025-11-25"];
    expect(await conform("client", ...args)).toEqual({ code: 0, said: "" });
  });
});

/**
 * Scenarios of servers that need no tool, prompt or resource of a given name: our tools are agents. Where one check of many needs such a
 * tool, it alone is expected to fail, and the suite fails if it passes.
 */
const serverScenarios: [string, string][] = [
  ...[
    "server-stateless",
    "tools-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "input-required-result-unsupported-methods",
    "http-header-validation",
  ].map((name): [string, string] => ["2026-07-28", name]),
  ...["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"].map(
    (name): [string, string] => ["2025-11-25", name],
  ),
];
const untestable = [
  "server-stateless:sep-2575-server-rejects-undeclared-capability",
  "server-stateless:sep-2575-missing-capability-http-400",
  "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
  "server-stateless:sep-2575-server-no-log-without-loglevel",
  // The suite has no way to change our tools; see `stateless.test.ts`.
  "server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription",
  // There are no prompts.
  "caching:sep-2549-prompts-list-caching-hints",
];

describe("our server, by the suite's client", () => {
  test.each(serverScenarios)("%s %s", async (revision, scenario) => {
    await using daemon = await startDaemon({
      agents: { "helper.agent.yaml": agentFile("helper"), "other.agent.yaml": agentFile("other") },
    });
    using folder = temporaryFolder();
    const expected = join(folder.path, "expected.yaml");
    writeFileSync(expected, `server:\n${untestable.map((check) => `  - ${check}\n`).join("")}`);
    const args = ["--url", `${daemon.url}/mcp`, "--scenario", scenario, "--spec-version", revision];
    expect(await conform("server", ...args, "--expected-failures", expected)).toEqual({ code: 0, said: "" });
  });
});
