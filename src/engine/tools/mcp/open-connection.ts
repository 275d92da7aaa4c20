import type {
  JsonSchemaValidator,
  jsonSchemaValidator as JsonSchemaValidators,
} from "@modelcontextprotocol/sdk/validation/types.js";
import { AppError } from "../../../kit/app-error.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { mayBeOtherTransport } from "./describe-fault.ts";
import { openHttpLine } from "./http/open-http-line.ts";
import type { Line, LinePorts } from "./line.ts";
import { type ListedTools, listTools, noTools } from "./list-tools.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import type { ServerAddress } from "./server-address.ts";
import { openStdioLine } from "./stdio/open-stdio-line.ts";

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

export interface CallOptions {
  /** Cancels the call, also at the server. */
  signal: AbortSignal;
  /** Called if the server reports progress, with what it says. */
  progress: (told: { progress: number; total?: number | undefined; message?: string | undefined }) => void;
}

/** An initialized connection to a server. */
export interface McpClient {
  list(signal: AbortSignal): Promise<ListedTools>;
  /** Returns the server's result of a tool call. Throws the server's error, or the reason why there is no answer. */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<Record<string, unknown>>;
  /** Resolves if the server answers anything; rejects with the signal's reason otherwise. */
  ping(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the connection has ended, with the reason for the operator; undefined if it was closed here. */
  ended: Promise<string | undefined>;
}

/** Time limits use our own clock, so the SDK's timers must never fire first. */
const never = 2 ** 31 - 1;

/** Connects to a server with the official SDK, which is loaded on first use. Throws the reason if that fails. */
export async function openMcpClient(ports: LinePorts, options: McpClientOptions): Promise<McpClient> {
  const { signal, toolsChanged, version } = options;
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  const connect = async (address: ServerAddress) => {
    const line = await openLine(ports, { ...options, address });
    // Without capabilities, every request of a server except a ping is answered with "method not found".
    const client = new Client(
      { name: "argosy", version },
      { capabilities: {}, jsonSchemaValidator: uncheckedHere },
    );
    let inUse = false;
    client.onerror = (error) => line.noticed(error, inUse);
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => toolsChanged());
    try {
      await untilAborted(signal, () => client.connect(line.transport, { signal, timeout: never }));
      inUse = true;
    } catch (thrown) {
      const lostBy = line.lostBy();
      await line.close();
      throw lostBy === undefined ? thrown : new AppError("unavailable", "mcp_failed", lostBy);
    }
    client.onclose = () => resolve(line.lostBy());
    return { client, line };
  };
  const { client, line } = await connect(options.address).catch(async (thrown: unknown) => {
    const other = otherTransport(options.address);
    if (other === undefined || !mayBeOtherTransport(thrown)) throw thrown;
    const connected = await connect(other).catch(() => {
      throw thrown;
    });
    ports.log.warn("mcp.other_transport", {
      server: options.name,
      message: `It speaks ${other.transport}; set config.transport to that.`,
    });
    return connected;
  });
  const hasTools = client.getServerCapabilities()?.tools !== undefined;
  return {
    list(of) {
      if (!hasTools) return Promise.resolve(noTools);
      return listTools((cursor) =>
        client.request(
          { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
          ResultSchema,
          { signal: of, timeout: never },
        ),
      );
    },
    call: (tool, input, { signal: of, progress }) =>
      client.request({ method: "tools/call", params: { name: tool, arguments: input } }, ResultSchema, {
        signal: of,
        timeout: never,
        onprogress: progress,
      }),
    async ping(of) {
      const asked = client.request({ method: "ping" }, ResultSchema, { signal: of, timeout: never });
      // An error answer to a ping counts as an answer; `ended` reports the loss of the connection.
      await asked.catch(() => of.throwIfAborted());
    },
    async close() {
      await line.sayGoodbye();
      await line.close();
    },
    ended,
  };
}

/** The same address over the other transport; undefined for a program. */
function otherTransport(address: ServerAddress): ServerAddress | undefined {
  if (address.transport === "stdio") return undefined;
  return { ...address, transport: address.transport === "http" ? "sse" : "http" };
}

function openLine(ports: LinePorts, { name, address, login }: McpClientOptions): Line | Promise<Line> {
  if (address.transport === "stdio") {
    const refusal = ports.refusal();
    if (refusal !== undefined) throw new AppError("unavailable", "mcp_failed", refusal);
    return openStdioLine(ports, name, address);
  }
  if (login === undefined) throw new Error("A server elsewhere has a login, if only an empty one.");
  return openHttpLine(ports, name, login, address);
}

/** Results are checked where they are read, with a check of bounded cost. */
const uncheckedHere: JsonSchemaValidators = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
