import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { ManifestRegistries, ToolRow } from "../schema/registries.ts";
import {
  closed,
  collectionName,
  flag,
  httpUrl,
  list,
  mapping,
  name,
  number,
  objectName,
  oneOf,
  openObject,
  requiredKeys,
  template,
  text,
  toolName,
  variableName,
  whole,
} from "../schema/schema-vocabulary.ts";

export const toolTypes = ["builtin", "internal", "webhook", "mcp", "rag", "agent", "client", "a2a"] as const;
export type ToolType = (typeof toolTypes)[number];

const headers = (description: string) =>
  mapping(
    Type.String({ maxLength: 8192, description: "The header's value." }),
    { description, default: {} },
    "^[A-Za-z0-9-]{1,128}$",
  );

const webhookConfig = closed(
  {
    url: Type.Optional(
      Type.String({
        pattern: "^(https?://[^\\s]{1,2000}|/[^\\s]{0,2000})$",
        expects:
          "an address that starts with http:// or https://, or with a connection a path such as /orders",
        description:
          "Where the call goes; `{name}` in its path or query is replaced by that input. With a connection of connections.yaml: a path below its `base_url`; absent: that address itself.",
      }),
    ),
    method: oneOf(["GET", "POST", "PUT", "PATCH", "DELETE"], {
      description: "The HTTP method.",
      default: "POST",
    }),
    headers: headers(
      "Headers of every call; `{name}` in a value is replaced by that input. The body is JSON, or a form with `Content-Type: application/x-www-form-urlencoded`.",
    ),
    connection: Type.Optional(
      name({
        description:
          "The connection of connections.yaml, for agents of the platform the tenant's, that gives address and credential.",
      }),
    ),
  },
  { description: "Options of `webhook`." },
);

const mcpConfig = closed(
  {
    transport: oneOf(["stdio", "sse", "http"], { description: "How the MCP server is spoken to." }),
    command: Type.Optional(text(4096, { description: "`stdio`: the program to start." })),
    args: list(Type.String({ maxLength: 4096, description: "An argument." }), 64, {
      description: "`stdio`: its arguments.",
      default: [],
    }),
    env: mapping(
      Type.String({ maxLength: 32_768, description: "The variable's value." }),
      { description: "`stdio`: its environment; it gets nothing else.", default: {} },
      "^[A-Za-z_][A-Za-z0-9_]{0,127}$",
    ),
    url: Type.Optional(httpUrl({ description: "`sse`, `http`: the server's address." })),
    headers: headers("`sse`, `http`: headers of every request."),
    allow_localhost: flag({
      description: "`sse`, `http`: whether the address may lead to this machine.",
      default: false,
    }),
    oauth: Type.Optional(
      closed(
        {
          client_id: text(1024, { description: "The client's id at the server's authorization server." }),
          client_secret: Type.Optional(
            text(4096, { description: "Its secret, by a variable; absent: a public client." }),
          ),
          scopes: list(text(128, { description: "A scope." }), 64, {
            description: "The scopes that a login asks for; absent: those that the server names.",
            default: [],
          }),
        },
        {
          description:
            "`sse`, `http`: a client of your own for `argosy mcp login`; absent: Argosy registers one itself.",
        },
      ),
    ),
    tools: Type.Optional(
      list(text(128, { description: "A tool's name at the server." }), 128, {
        description: "The tools that may be used; absent: all.",
      }),
    ),
    tools_hash: Type.Optional(
      Type.String({
        pattern: "^[0-9a-f]{16}$",
        expects: "16 hexadecimal digits, as the agent's page shows them",
        description:
          "Hash of the tools, as the agent's page shows it: changed tools are not offered. Absent: changes are reported by `argosy doctor`.",
      }),
    ),
    memory_mb: whole(64, 65_536, {
      description: "`stdio`: MiB of memory of the server and all it starts; it is ended when it has more.",
      default: 2048,
    }),
  },
  { description: "Options of `mcp`." },
);

const ragConfig = closed(
  {
    collection: collectionName({ description: "The collection that is searched." }),
    top_k: whole(1, 100, { description: "Passages returned.", default: 5 }),
    score_threshold: number(0, 1, { description: "Passages below this score are left out.", default: 0 }),
  },
  { description: "Options of `rag`." },
);

const agentConfig = closed(
  {
    agent: objectName({ description: "The agent that does the work." }),
    context_transform: Type.Optional(
      template({
        description:
          "Jinja2 template of what the other agent is asked, over `input` and its fields, `user_query`, `session_id`, `agent_name` and `context`; absent: the input's `query`, or the input as JSON.",
      }),
    ),
  },
  { description: "Options of `agent`." },
);

const internalConfig = closed(
  {
    secrets: mapping(
      variableName({ description: "The environment variable whose value the tool gets under this name." }),
      {
        description:
          "What the tool's `execute` gets as `secrets`: names, and the environment variables that hold the values.",
        default: {},
      },
      "^[A-Za-z_][A-Za-z0-9_]{0,63}$",
    ),
  },
  { description: "Options of `internal`.", default: {} },
);

const a2aConfig = closed(
  {
    url: httpUrl({
      description: "The other agent's address, or that of its card (`…/agent-card.json`).",
    }),
    headers: headers("Headers of every request."),
    allow_localhost: flag({ description: "Whether the address may lead to this machine.", default: false }),
  },
  { description: "Options of `a2a`." },
);

const parameters = openObject({ description: "JSON Schema of the tool's input (type object)." });

/** Keys of every tool, whatever its type. */
const common = {
  description: Type.Optional(
    text(4096, { description: "What the model is told about the tool; built-in tools have their own." }),
  ),
  permissions: list(text(128, { description: "An action." }), 64, {
    description: "The actions it takes; each must be in spec.permissions.allowed_actions where that is set.",
    default: [],
  }),
  rate_limit: Type.Optional(
    closed(
      {
        max_calls: whole(1, 1_000_000, { description: "Calls in a window.", default: 10 }),
        window_seconds: whole(1, 86_400, { description: "Length of the window, in seconds.", default: 60 }),
      },
      { description: "A limit per tenant, agent and tool; absent: none." },
    ),
  ),
  timeout_seconds: whole(1, 3600, { description: "Longest call, in seconds.", default: 30 }),
  requires_approval: flag({ description: "Whether a person has to approve each call.", default: false }),
  mode: oneOf(["execute", "propose"], {
    description: "`propose` records the call without executing it and tells the model so.",
    default: "execute",
  }),
};

/** Returns the schema of one tool entry. Without a `row`, the name is free and the engine checks `config`. */
function entry<T extends ToolType, P extends TProperties>(type: T, own: P, row?: { name: string } & ToolRow) {
  return closed(
    {
      name:
        row === undefined
          ? toolName({ description: "The name the model calls it by; unique in the agent." })
          : Type.Unsafe<string>(Type.Literal(row.name, { description: "The tool." })),
      type: Type.Literal(type, { description: "The kind of tool." }),
      ...common,
      ...own,
    },
    { description: row?.description ?? `A tool of type ${type}.` },
  );
}

const optionalParameters = { parameters: Type.Optional(parameters) };
const openConfig = {
  ...optionalParameters,
  config: openObject({ description: "The tool's own options.", default: {} }),
};

const entries = {
  builtin: entry("builtin", openConfig),
  internal: entry("internal", { ...optionalParameters, config: internalConfig }),
  webhook: entry("webhook", { parameters, config: webhookConfig }),
  mcp: entry("mcp", {
    ...optionalParameters,
    timeout_seconds: whole(1, 3600, {
      description:
        "Longest silence of the server during a call, in seconds; one that tells of progress may take ten times as long.",
      default: 30,
    }),
    config: mcpConfig,
  }),
  rag: entry("rag", { ...optionalParameters, config: ragConfig }),
  agent: entry("agent", {
    ...optionalParameters,
    timeout_seconds: Type.Optional(
      whole(1, 3600, { description: "Longest call, in seconds; absent: as long as that agent may take." }),
    ),
    config: agentConfig,
  }),
  client: entry("client", {
    parameters,
    timeout_seconds: Type.Optional(
      whole(1, 86_400, { description: "How long the caller may take, in seconds; absent: a day." }),
    ),
    config: closed({}, { description: "`client` has no options.", default: {} }),
  }),
  a2a: entry("a2a", {
    timeout_seconds: whole(1, 3600, { description: "Longest call, in seconds.", default: 300 }),
    config: a2aConfig,
  }),
};

/** A tool of an agent; `type` determines the keys of `config`. */
export type ToolEntry = { [T in ToolType]: Static<(typeof entries)[T]> }[ToolType];

function fromRows(type: "builtin" | "internal", rows: ReadonlyMap<string, ToolRow> | undefined): TSchema[] {
  if (rows === undefined) return [entries[type]];
  return [...rows].map(([tool, row]) =>
    entry(
      type,
      {
        ...optionalParameters,
        config: closed(row.options.properties, {
          description: "The tool's own options.",
          ...(requiredKeys(row.options).length === 0 ? { default: {} } : {}),
        }),
      },
      { name: tool, ...row },
    ),
  );
}

/** `spec.tools`: the tools of the agent. */
export function toolsSection(registries: ManifestRegistries) {
  const offered = toolTypes.filter((type) => registries.toolTypes?.includes(type) ?? true);
  const variants = offered.flatMap((type) => {
    if (type === "builtin") return fromRows(type, registries.builtinTools);
    if (type === "internal") return fromRows(type, registries.internalTools);
    return [entries[type]];
  });
  return list(Type.Unsafe<ToolEntry>(Type.Union(variants)), 128, {
    description: "What the agent may do, beside answering.",
    default: [],
  });
}
