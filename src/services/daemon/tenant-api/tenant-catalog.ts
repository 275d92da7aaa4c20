import type { RuntimeCatalog } from "../../../contracts/runtime/catalog.ts";
import { guardrailKinds } from "../../../engine/guardrails/registry.ts";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import { pricedModels, shippedPrices } from "../../../engine/spending/price-table.ts";
import type { BuiltinTool } from "../../../engine/tools/builtin/builtin-tool.ts";
import { messageParameters } from "../../../engine/tools/internal/send-message.ts";
import { guardrailOptions } from "../../../manifest/agent/guardrails.ts";
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

export interface TenantOffer {
  tools: Iterable<BuiltinTool>;
  /** The closed tools that the operator has enabled. */
  opened: ReadonlySet<string>;
  sendsMessages: boolean;
  /** Names of models by provider. */
  models: ReadonlyMap<string, readonly string[]>;
}

/** Tools and settings that tenants' agents may declare. */
export function tenantCatalog({ tools, opened, sendsMessages, models }: TenantOffer): RuntimeCatalog {
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
    guardrails: [...guardrailKinds].map(([name, row]) => ({
      name,
      description: row.description,
      stages: [...row.stages],
      options: publishedSchema(guardrailOptions(row)),
    })),
    providers: [...models].map(([provider, names]) => ({ provider, models: [...names].sort() })),
    integrations: sendsMessages
      ? [{ slug: "messages", description: "Messages through the gateway's channels.", actions: [message] }]
      : [],
  };
}

/** Models to suggest, by provider: of the operator's configuration, of local servers, and those with a list price. */
export function offeredModels({ file, local, hosted }: ModelSources): ReadonlyMap<string, readonly string[]> {
  const priced = pricedModels(shippedPrices);
  const found = new Map<string, readonly string[]>([["rehearsal", ["rehearsal"]]]);
  if (local) found.set("ollama", local.models);
  if (hosted) found.set("openai", priced.get("openai") ?? []);
  for (const [name, { type, models = [] }] of Object.entries(file?.providers ?? {}))
    found.set(name, [...new Set([...models, ...(priced.get(type ?? name) ?? [])])]);
  return found;
}
