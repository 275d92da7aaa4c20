import type { Problem } from "../kit/app-error.ts";
import type { AgentManifest } from "./agent.ts";
import type { ModelBlock } from "./model.ts";
import { modelBlocks } from "./model-blocks.ts";
import type { ToolEntry } from "./tools.ts";

/** What an installation lets tenants have beyond what is open to all of them. */
export interface TenantTerms {
  /** Whether a block means a server that the operator has configured for tenants, with the operator's key. */
  isConfigured: (block: ModelBlock) => boolean;
  /** The configured providers, for messages. */
  providers: readonly string[];
  /** Kinds of providers that a tenant may call at an address of its own. */
  ownKinds: ReadonlySet<string>;
  /** Why an address of a manifest is never called, as the end of a sentence; undefined when it may be. */
  addressFault: (url: string) => string | undefined;
  /** Tools of `closedTools` that the operator has opened (`spec.tenants.tools`). */
  tools: ReadonlySet<string>;
}

/** Built-in tools that reach the operator's own things: closed to tenants unless they are opened. */
export const closedTools = ["read_file", "write_file", "sql_query", "send_email", "rag_ingest"] as const;

/** Those among them that can be opened: they stay inside a folder of the tenant's. */
export const openableTools: readonly string[] = ["read_file", "write_file", "sql_query"];

type Spec = AgentManifest["spec"];

/**
 * What of a tenant's manifest would reach the operator's machine, keys, databases or private network, or another tenant. It was
 * read without variables already, and every name in it resolves inside the tenant.
 */
export function tenantProblems({ spec }: AgentManifest, terms: TenantTerms): Problem[] {
  return [
    ...modelBlocks(spec).flatMap(([path, block]) => modelProblems(path, block, terms)),
    ...spec.tools.flatMap((tool, index) => toolProblems(`spec.tools[${index}]`, tool, terms)),
    ...memoryProblems(spec.memory),
    ...(spec.knowledge === undefined
      ? []
      : [problem("spec.knowledge", "can't be honoured: a tenant has no RAG pipelines here")]),
  ];
}

function modelProblems(path: string, block: ModelBlock, terms: TenantTerms): Problem[] {
  const problems: Problem[] = [];
  if (block.api_key_env !== undefined) {
    problems.push(problem(`${path}.api_key_env`, "names a variable of the operator's machine; leave it out"));
  }
  if (terms.isConfigured(block)) return problems;
  if (block.endpoint === undefined) {
    const there = terms.providers.length === 0 ? "there is none" : `there is ${terms.providers.join(", ")}`;
    const mend = `${there}; another needs an endpoint of your own`;
    return [...problems, problem(`${path}.provider`, `is not configured for tenants here: ${mend}`)];
  }
  if (!terms.ownKinds.has(block.provider)) {
    const kinds = [...terms.ownKinds].join(", ");
    problems.push(problem(`${path}.provider`, `can't be used with an endpoint of your own; ${kinds} can`));
  }
  const fault = terms.addressFault(block.endpoint);
  if (fault !== undefined) problems.push(problem(`${path}.endpoint`, fault));
  return problems;
}

function toolProblems(path: string, tool: ToolEntry, terms: TenantTerms): Problem[] {
  switch (tool.type) {
    case "builtin":
      return builtinProblems(path, tool, terms);
    case "webhook":
      return addressProblems(`${path}.config.url`, tool.config.url, terms);
    case "mcp":
      return mcpProblems(path, tool, terms);
    default:
      return [];
  }
}

function mcpProblems(
  path: string,
  { config }: Extract<ToolEntry, { type: "mcp" }>,
  terms: TenantTerms,
): Problem[] {
  const problems: Problem[] = [];
  if (config.transport === "stdio") {
    problems.push(
      problem(`${path}.config.transport`, "starts a program on the operator's machine; use http or sse"),
    );
  }
  if (config.allow_localhost) {
    problems.push(problem(`${path}.config.allow_localhost`, "opens the operator's machine; leave it out"));
  }
  return [...problems, ...addressProblems(`${path}.config.url`, config.url, terms)];
}

/** Options that name what is the operator's, whichever tool has them. */
const operatorsOptions: Readonly<Record<string, string>> = {
  allow_localhost: "opens the operator's machine; leave it out",
  api_key: "is the operator's to set; leave it out",
  allowed_paths: "is set to a folder of your own; leave it out",
};

function builtinProblems(
  path: string,
  { name, config }: Extract<ToolEntry, { type: "builtin" }>,
  terms: TenantTerms,
): Problem[] {
  if (closedTools.some((closed) => closed === name) && !terms.tools.has(name)) {
    return [problem(`${path}.name`, `is closed to tenants here: ${name}`)];
  }
  const problems = Object.entries(operatorsOptions).flatMap(([key, message]) =>
    isSet(config[key]) ? [problem(`${path}.config.${key}`, message)] : [],
  );
  if (name === "web_search" && isSet(config.base_url) && config.provider !== "searxng") {
    problems.push(problem(`${path}.config.base_url`, "would be sent the operator's key; leave it out"));
  }
  if (name === "send_chat" && config.webhook_url === undefined) {
    problems.push(problem(`${path}.config.webhook_url`, "is required: the address of your own chat"));
  }
  if (name === "sql_query" && !isOwnDatabase(config.connection_string)) {
    const message = "must be a file of your own folder, such as sqlite:shop.db";
    problems.push(problem(`${path}.config.connection_string`, message));
  }
  for (const key of ["base_url", "webhook_url"]) {
    problems.push(...addressProblems(`${path}.config.${key}`, config[key], terms));
  }
  return problems;
}

/** Whether an option says anything: defaults are filled in before. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

const ownDatabase =
  /^sqlite:((?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\/){0,8}[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.(?:db|sqlite))$/;

/** The file of a tenant's folder that a connection string means; undefined for anything else. */
export function ownDatabaseFile(connection: unknown): string | undefined {
  return typeof connection === "string" ? ownDatabase.exec(connection)?.[1] : undefined;
}

const isOwnDatabase = (connection: unknown) => ownDatabaseFile(connection) !== undefined;

function addressProblems(path: string, url: unknown, { addressFault }: TenantTerms): Problem[] {
  // An encyclopedia's address has a place for the language.
  const fault = typeof url === "string" ? addressFault(url.replaceAll("{language}", "en")) : undefined;
  return fault === undefined ? [] : [problem(path, fault)];
}

function memoryProblems(memory: Spec["memory"]): Problem[] {
  return Object.entries(memory).flatMap(([kind, settings]) =>
    settings?.connection === undefined
      ? []
      : [problem(`spec.memory.${kind}.connection`, "is the operator's to set; leave it out")],
  );
}

const problem = (path: string, message: string): Problem => ({ path, message });
