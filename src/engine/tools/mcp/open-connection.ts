import type {
  JsonSchemaValidator,
  jsonSchemaValidator as JsonSchemaValidators,
} from "@modelcontextprotocol/sdk/validation/types.js";
import { AppError } from "../../../kit/app-error.ts";
import { untilAborted } from "../../../kit/until-aborted.ts";
import { openHttpLine } from "./http/open-http-line.ts";
import type { Line, LinePorts } from "./line.ts";
import { type ListedTools, listTools, noTools } from "./list-tools.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import type { ServerAddress } from "./server-address.ts";
import { openStdioLine } from "./stdio/open-stdio-line.ts";

export interface ConnectionOptions {
  /** What the log calls the server. */
  name: string;
  address: ServerAddress;
  /** Of a server elsewhere. */
  login: ServerLogin | undefined;
  /** Of this program, as the server is told. */
  version: string;
  /** Ends the attempt. */
  signal: AbortSignal;
  /** The server says that its tools are others now. */
  toolsChanged: () => void;
}

export interface CallOptions {
  /** Cancels the call, at the server too. */
  signal: AbortSignal;
  /** The server tells that it goes on. */
  progress: () => void;
}

/** A server that has said what it is and waits for calls. */
export interface Connection {
  list(signal: AbortSignal): Promise<ListedTools>;
  /** The result of a tool as the server gave it. Throws what the server answered, or why there is no answer. */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<Record<string, unknown>>;
  /** Resolves when the server answers at all; rejects with the signal's reason when it does not. */
  ping(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** Why it was lost, for the operator, once it has ended; undefined: it was closed here. */
  ended: Promise<string | undefined>;
}

/** Time is kept with our own clock: the SDK's timers shall never be first. */
const never = 2 ** 31 - 1;

/** Connects to a server with the official SDK, which is loaded with the first one. Throws why that can't be done. */
export async function openConnection(ports: LinePorts, options: ConnectionOptions): Promise<Connection> {
  const { signal, toolsChanged, version } = options;
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const line = await openLine(ports, options);
  // No capabilities: whatever a server asks of us, other than a ping, is answered with "method not found".
  const client = new Client(
    { name: "argosy", version },
    { capabilities: {}, jsonSchemaValidator: uncheckedHere },
  );
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  client.onclose = () => resolve(line.lostBy());
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
      // A server that refuses pings answers too; the loss of the connection is told by `ended`.
      await asked.catch(() => of.throwIfAborted());
    },
    async close() {
      await line.sayGoodbye();
      await line.close();
    },
    ended,
  };
}

function openLine(ports: LinePorts, { name, address, login }: ConnectionOptions): Line | Promise<Line> {
  if (address.transport === "stdio") return openStdioLine(ports, name, address);
  if (login === undefined) throw new Error("A server elsewhere has a login, if only an empty one.");
  return openHttpLine(ports, name, login, address);
}

/** Results are checked where they are read, by a check that no schema can keep busy. */
const uncheckedHere: JsonSchemaValidators = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
