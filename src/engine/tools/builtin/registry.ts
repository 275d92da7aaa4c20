import type { ToolRow } from "../../../manifest/schema/registries.ts";
import type { BuiltinTool } from "./builtin-tool.ts";
import { cacheStore } from "./cache-store.ts";
import { datetimeNow } from "./datetime-now.ts";
import { encyclopedia } from "./encyclopedia.ts";
import { graphqlQuery } from "./graphql-query.ts";
import { httpRequest } from "./http-request.ts";
import { jsonTransform } from "./json-transform.ts";
import { ragIngest } from "./rag-ingest.ts";
import { ragQuery } from "./rag-query.ts";
import { readFile } from "./read-file.ts";
import { sendChat } from "./send-chat.ts";
import { sendEmail } from "./send-email.ts";
import { sendWebhook } from "./send-webhook.ts";
import { sqlQuery } from "./sql-query.ts";
import { textSummarize } from "./text-summarize.ts";
import { webScrape } from "./web-scrape.ts";
import { webSearch } from "./web-search.ts";
import { writeFile } from "./write-file.ts";

/** Every built-in tool by its name. */
export const builtinTools: ReadonlyMap<string, BuiltinTool> = new Map(
  [
    datetimeNow,
    jsonTransform,
    cacheStore,
    httpRequest,
    graphqlQuery,
    webSearch,
    webScrape,
    encyclopedia,
    readFile,
    writeFile,
    sqlQuery,
    sendWebhook,
    sendChat,
    sendEmail,
    textSummarize,
    ragQuery,
    ragIngest,
  ].map((tool) => [tool.name, tool]),
);

/** Options of each built-in tool, for manifests. */
export const builtinToolRows: ReadonlyMap<string, ToolRow> = new Map(
  [...builtinTools].map(([name, { options, docs }]) => [name, { options, description: docs }]),
);
