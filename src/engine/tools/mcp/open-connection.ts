import { AppError } from "../../../kit/app-error.ts";
import { mayBeOtherTransport } from "./describe-fault.ts";
import { openHttpLine } from "./http/open-http-line.ts";
import { openStatelessLine } from "./http/open-stateless-line.ts";
import type { Line, LinePorts } from "./line.ts";
import type { McpClient } from "./mcp-client.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import type { ServerAddress } from "./server-address.ts";
import { openSessionClient } from "./sessions/session-client.ts";
import { discover } from "./stateless/discover.ts";
import { StatelessPeer } from "./stateless/peer.ts";
import { createStatelessClient } from "./stateless/stateless-client.ts";
import { openStdioLine } from "./stdio/open-stdio-line.ts";

/*
 * Connections to servers. 2026-07-28 is spoken with those that know it, without sessions; with all others, the newest revision that both
 * sides know, in a session of the official SDK. The SDK's client for 2026-07-28 (2.4) is not used: it has no tasks, answers questions only
 * while the call waits, and validates results with schemas of unbounded cost.
 */

export interface McpClientOptions {
  /** Name of the server in the log. */
  name: string;
  address: ServerAddress;
  /** Login, for a remote server. */
  login: ServerLogin | undefined;
  /** Version of this program, sent to the server. */
  version: string;
  /** Aborts the attempt. */
  signal: AbortSignal;
  /** Called if the server reports that its tools have changed. */
  toolsChanged: () => void;
}

/** Connects to a server. Throws the reason if that fails. */
export async function openMcpClient(ports: LinePorts, options: McpClientOptions): Promise<McpClient> {
  const { address } = options;
  if (address.transport === "stdio") {
    const refusal = ports.refusal();
    if (refusal !== undefined) throw new AppError("unavailable", "mcp_failed", refusal);
    return (await openProgram(ports, options, address)) ?? inSession(ports, options, address);
  }
  if (address.transport === "http") {
    const stateless = await openStateless(ports, options, address);
    if (stateless !== undefined) return stateless;
  }
  return inSession(ports, options, address).catch((thrown: unknown) => overOther(ports, options, thrown));
}

/** A client for a program, with or without sessions; undefined if the question ended it, as some programs do. */
async function openProgram(
  ports: LinePorts,
  { name, version, signal, toolsChanged }: McpClientOptions,
  address: Extract<ServerAddress, { transport: "stdio" }>,
): Promise<McpClient | undefined> {
  const { clock } = ports;
  const line = openStdioLine(ports, name, address);
  const peer = new StatelessPeer(line.transport, version);
  try {
    await line.transport.start();
    const ended = peer.closed.then(() => "ended" as const);
    const discovered = await Promise.race([discover(peer, { clock, isProgram: true }, signal), ended]);
    if (discovered === "ended") return await endedBy(line);
    if (discovered !== undefined)
      return createStatelessClient({ clock, peer, line, discovered, isHttp: false, toolsChanged });
  } catch (thrown) {
    await line.close();
    throw thrown;
  }
  peer.detach();
  return openSessionClient({ clock: ports.clock, line, version, signal, toolsChanged });
}

/** Throws the reason why a program ended, unless it ended by itself. */
async function endedBy(line: Line): Promise<undefined> {
  const reason = line.lostBy();
  await line.close();
  if (reason === undefined || /^it ended with status|^a signal ended it/.test(reason)) return undefined;
  throw new AppError("unavailable", "mcp_failed", reason);
}

/** A client for a remote server without sessions; undefined if it knows only revisions with sessions. */
async function openStateless(
  ports: LinePorts,
  { name, version, signal, login, toolsChanged }: McpClientOptions,
  address: Extract<ServerAddress, { url: string }>,
): Promise<McpClient | undefined> {
  const { clock } = ports;
  const line = openStatelessLine(ports, name, requireLogin(login), address);
  const peer = new StatelessPeer(line.transport, version);
  try {
    const discovered = await discover(peer, { clock, isProgram: false }, signal);
    if (discovered !== undefined)
      return createStatelessClient({ clock, peer, line, discovered, isHttp: true, toolsChanged });
  } catch (thrown) {
    const lostBy = line.lostBy();
    await line.close();
    throw lostBy === undefined ? thrown : new AppError("unavailable", "mcp_failed", lostBy);
  }
  peer.detach();
  await line.close();
  return undefined;
}

async function inSession(
  ports: LinePorts,
  { name, version, signal, login, toolsChanged }: McpClientOptions,
  address: ServerAddress,
): Promise<McpClient> {
  const line =
    address.transport === "stdio"
      ? openStdioLine(ports, name, address)
      : await openHttpLine(ports, name, requireLogin(login), address);
  return openSessionClient({ clock: ports.clock, line, version, signal, toolsChanged });
}

/** Tries the other of the two transports over HTTP that have sessions. */
async function overOther(ports: LinePorts, options: McpClientOptions, thrown: unknown): Promise<McpClient> {
  const { address, name } = options;
  if (address.transport === "stdio" || !mayBeOtherTransport(thrown)) throw thrown;
  const transport = address.transport === "http" ? "sse" : "http";
  const client = await inSession(ports, options, { ...address, transport }).catch(() => {
    throw thrown;
  });
  ports.log.warn("mcp.other_transport", {
    server: name,
    message: `It speaks ${transport}; set config.transport to that.`,
  });
  return client;
}

function requireLogin(login: ServerLogin | undefined): ServerLogin {
  if (login === undefined) throw new Error("A server elsewhere has a login, if only an empty one.");
  return login;
}
