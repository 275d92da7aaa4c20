/**
 * The client of the official conformance suite: `bun mcp-conformance-client.ts <server's address>`, with the scenario in its environment. It
 * does by itself what a person does: signs in, signs in again for a missing scope, answers questions, and calls every tool that is listed.
 */

import { AskedCall, type CallOptions } from "../../src/engine/tools/mcp/mcp-client.ts";
import type { McpServer } from "../../src/engine/tools/mcp/mcp-server.ts";
import { McpServers } from "../../src/engine/tools/mcp/mcp-servers.ts";
import { memoryLogins } from "../../src/engine/tools/mcp/oauth/login-store.ts";
import type { ServerAddress } from "../../src/engine/tools/mcp/server-address.ts";
import { memoryPins } from "../../src/engine/tools/mcp/tool-pins.ts";
import { resolveBySystem } from "../../src/engine/tools/network/address/address-resolver.ts";
import { nothingOpened } from "../../src/engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../src/engine/tools/network/direct-connection.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { recordingLogger } from "./recording-logger.ts";

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const url = process.argv.at(-1) ?? "";
const redirectUri = "http://localhost:3000/callback";
const signInsMax = 3;

/** A client that was registered beforehand, or that its address describes. */
function oauthClient() {
  if (scenario === "auth/basic-cimd")
    return { clientId: "https://conformance-test.local/client-metadata.json", scopes: [] };
  if (context.client_id === undefined) return undefined;
  return { clientId: context.client_id, clientSecret: context.client_secret, scopes: [] };
}

const oauth = oauthClient();
const address: ServerAddress = {
  transport: "http",
  url,
  headers: {},
  allowsLoopback: true,
  ...(oauth && { oauth }),
};
const clock = systemClock;
const servers = new McpServers({
  clock,
  log: recordingLogger().log,
  network: createGuardedNetwork({
    clock,
    connect: createDirectConnections(clock),
    resolve: resolveBySystem,
    opened: nothingOpened,
  }),
  pins: memoryPins(),
  logins: memoryLogins(),
  conceal: () => {},
  version: "1.0.0",
  supervisor: [],
  refusal: () => undefined,
  folder: import.meta.dir,
  path: "",
});

/** Signs in as a browser would that always allows. */
async function signIn({ login }: McpServer): Promise<void> {
  if (login === undefined) throw new Error("no login");
  const { authorizationUrl } = await login.begin(redirectUri);
  const answer = await fetch(authorizationUrl, { redirect: "manual" });
  const { state, code, iss } = Object.fromEntries(new URL(answer.headers.get("location") ?? "").searchParams);
  if (state === undefined || code === undefined) throw new Error("no code");
  await login.finish({ state, code, ...(iss === undefined ? {} : { iss }) });
}

const inputs: Record<string, unknown> = { string: "text", integer: 3, number: 1.5, boolean: true };

function inputFor(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(
    properties.flatMap(([key, { type = "" }]) => (type in inputs ? [[key, inputs[type]]] : [])),
  );
}

async function call(server: McpServer, tool: string, input: Record<string, unknown>): Promise<unknown> {
  const options: CallOptions = { signal: AbortSignal.timeout(20_000), progress: () => {}, mayAsk: true };
  let outcome = await server.call(tool, input, options);
  while (outcome instanceof AskedCall) {
    const responses = Object.fromEntries(
      Object.keys(outcome.requests).map((key) => [
        key,
        { action: "accept" as const, content: { confirmed: true } },
      ]),
    );
    outcome = await server.call(tool, input, { ...options, answered: { responses, state: outcome.state } });
  }
  return outcome;
}

async function signedIn<T>(server: McpServer, act: () => Promise<T>): Promise<T> {
  for (let signIns = 0; ; signIns++) {
    try {
      return await act();
    } catch (thrown) {
      const isMissing = thrown instanceof AppError && thrown.code === "mcp_scope_missing";
      const isRefused = thrown instanceof Error && "code" in thrown && thrown.code === 401;
      if (signIns === signInsMax || (!isMissing && !isRefused)) throw thrown;
      await signIn(server);
    }
  }
}

const server = servers.at("conformance", address);
servers.keep([server]);
await server.ready();
for (let signIns = 0; server.status().state === "down" && signIns < signInsMax; signIns++) {
  await signIn(server);
  await server.reconnect();
}
if (server.status().state !== "ready") throw new Error(JSON.stringify(server.status()));
const calls = (context.toolCalls ?? []) as { name: string; arguments: Record<string, unknown> }[];
const listed = server.listed.tools.map(({ name, parameters }) => ({ name, arguments: inputFor(parameters) }));
const hasCalls = scenario !== "json-schema-ref-no-deref";
for (const { name, arguments: input } of calls.length > 0 ? calls : hasCalls ? listed : [])
  await signedIn(server, () => call(server, name, input));
await servers.close();
process.exit(0);
