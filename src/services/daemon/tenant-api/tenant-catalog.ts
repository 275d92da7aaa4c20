import type { RuntimeCatalog } from "../../../contracts/runtime/catalog.ts";
import type { BuiltinTool } from "../../../engine/tools/builtin/builtin-tool.ts";
import { messageParameters } from "../../../engine/tools/internal/send-message.ts";
import { publishedSchema } from "../../../manifest/schema/json-schema.ts";
import { closedTools } from "../../../manifest/senders/policy-terms.ts";

/** Tools that change something outside the run. */
const writing: ReadonlySet<string> = new Set([
  "http_request",
  "graphql_query",
  "send_webhook",
  "send_chat",
  "write_file",
  "sql_query",
]);

/** Those that need a RAG pipeline, which tenants have not got; a `rag` tool searches their collections. */
const needingPipeline: ReadonlySet<string> = new Set(["rag_query", "rag_ingest"]);

/** Tools and settings that tenants' agents may declare; `opened` are the closed tools that the operator has enabled. */
export function tenantCatalog(
  tools: Iterable<BuiltinTool>,
  opened: ReadonlySet<string>,
  sendsMessages: boolean,
): RuntimeCatalog {
  const closed = new Set<string>(closedTools);
  const offered = [...tools].filter(
    ({ name }) => !needingPipeline.has(name) && (!closed.has(name) || opened.has(name)),
  );
  const message = {
    name: "send_message",
    description: "Sends a message to a user on a channel.",
    writes: true,
    parameters: publishedSchema(messageParameters),
  };
  return {
    builtins: offered.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: publishedSchema(parameters),
      writes: writing.has(name),
    })),
    integrations: sendsMessages
      ? [{ slug: "messages", description: "Messages through the gateway's channels.", actions: [message] }]
      : [],
  };
}
