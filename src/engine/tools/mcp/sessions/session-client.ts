import type {
  JsonSchemaValidator,
  jsonSchemaValidator as JsonSchemaValidators,
} from "@modelcontextprotocol/sdk/validation/types.js";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { untilAborted } from "../../../../kit/concurrency/until-aborted.ts";
import type { Line } from "../line.ts";
import { listTools, noTools } from "../list-tools.ts";
import type { McpClient } from "../mcp-client.ts";
import { SessionCalls } from "./session-calls.ts";

export interface SessionClientOptions {
  clock: Clock;
  line: Line;
  /** Version of this program, sent to the server. */
  version: string;
  /** Aborts the attempt. */
  signal: AbortSignal;
  toolsChanged: () => void;
}

/** Time limits use our own clock, so the SDK's timers must never fire first. */
const never = 2 ** 31 - 1;

/**
 * Opens a session with a server that speaks 2025-11-25 or older, with the official SDK, which is loaded on first use. Throws the reason if
 * that fails, and closes the line.
 */
export async function openSessionClient(options: SessionClientOptions): Promise<McpClient> {
  const { clock, line, version, signal, toolsChanged } = options;
  const [{ Client }, { ErrorCode, McpError, ResultSchema, ToolListChangedNotificationSchema }] =
    await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  const client = new Client(
    { name: "argosy", version },
    { capabilities: { elicitation: { form: {}, url: {} } }, jsonSchemaValidator: uncheckedHere },
  );
  const calls = new SessionCalls(clock);
  // The SDK's own handler would check a question with schemas of unbounded cost.
  client.fallbackRequestHandler = async (request, { signal: of }) => {
    if (request.method !== "elicitation/create")
      throw new McpError(ErrorCode.MethodNotFound, "Method not found");
    return { ...(await calls.asked(request, of)) };
  };
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
    call(tool, input, of) {
      const asked = { method: "tools/call", params: { name: tool, arguments: input } };
      return calls.call(
        ({ signal: until, progress }) =>
          client.request(asked, ResultSchema, { signal: until, timeout: never, onprogress: progress }),
        of,
      );
    },
    async ping(of) {
      const asked = client.request({ method: "ping" }, ResultSchema, { signal: of, timeout: never });
      // An error answer to a ping counts as an answer; `ended` reports the loss of the connection.
      await asked.catch(() => of.throwIfAborted());
    },
    // These servers tell of changes, or never.
    freshMs: () => Number.POSITIVE_INFINITY,
    async close() {
      await line.sayGoodbye();
      await line.close();
    },
    ended,
  };
}

/** Results are checked where they are read, with a check of bounded cost. */
const uncheckedHere: JsonSchemaValidators = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
