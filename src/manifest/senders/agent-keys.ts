import type { ModelBlock } from "../agent/model.ts";
import { type KeyRow, type KeyRule, keyTable, never, noOwnSetting, open, ownersOnly } from "./key-policy.ts";
import { closedTools, isOwnDatabase, type SenderTerms, type TenantTerms } from "./policy-terms.ts";

type Place = Parameters<KeyRule<unknown>>[0];
type WithAddress = Pick<SenderTerms, "addressFault">;

const blockOf = ({ holder }: Place) => holder as unknown as ModelBlock;

/** Checks an address after replacing `{language}`, which an encyclopedia's address may contain. */
const address: KeyRule<WithAddress> = ({ value }, { addressFault }) =>
  typeof value === "string" ? addressFault(value.replaceAll("{language}", "en")) : undefined;

const opensMachine = "opens this machine's own services";
const operators = "is the operator's to set; leave it out";
const tenantsOpen = "opens the operator's machine; leave it out";

const strangersProvider: KeyRule<SenderTerms> = (place, { isConfigured, ownKinds }) => {
  const block = blockOf(place);
  if (isConfigured(block) || ownKinds.has(block.provider)) return undefined;
  return `can't be used with an endpoint of your own; ${[...ownKinds].join(", ")} can`;
};

const strangersEndpoint: KeyRule<SenderTerms> = (place, terms) =>
  terms.isConfigured(blockOf(place)) ? undefined : address(place, terms);

const strangersKey: KeyRule<SenderTerms> = (place, { mayNameKey }) =>
  mayNameKey(blockOf(place))
    ? undefined
    : `names a variable that isn't the key of this provider at its configured address; ${ownersOnly}. Leave it out, or name an entry of providers.yaml as the provider`;

const tenantsProvider: KeyRule<TenantTerms> = (place, { isConfigured, providers, ownKinds }) => {
  const block = blockOf(place);
  if (isConfigured(block)) return undefined;
  if (block.endpoint === undefined) {
    const there = providers.length === 0 ? "there is none" : `there is ${providers.join(", ")}`;
    return `is not configured for tenants here: ${there}; another needs an endpoint of your own`;
  }
  if (ownKinds.has(block.provider)) return undefined;
  return `can't be used with an endpoint of your own; ${[...ownKinds].join(", ")} can`;
};

const tenantsEndpoint: KeyRule<TenantTerms> = (place, terms) =>
  terms.isConfigured(blockOf(place)) ? undefined : address(place, terms);

function modelRows(block: string): KeyRow[] {
  return [
    { key: `${block}.provider`, names: "name", stranger: strangersProvider, tenant: tenantsProvider },
    // For `onnx`, this is a folder below `<data>/models`; the provider stays inside it.
    { key: `${block}.model`, names: "name", stranger: open, tenant: open },
    { key: `${block}.endpoint`, names: "address", stranger: strangersEndpoint, tenant: tenantsEndpoint },
    {
      key: `${block}.api_key_env`,
      names: "variable",
      owner: noOwnSetting,
      stranger: strangersKey,
      tenant: never("names a variable of the operator's machine; leave it out"),
    },
    { key: `${block}.parameters`, names: "nothing" },
  ];
}

const tool = (type: string) => `spec.tools.[${type}]`;
const closedTool: KeyRule<TenantTerms> = ({ value }, { tools }) =>
  closedTools.some((closed) => closed === value) && !tools.has(String(value))
    ? `is closed to tenants here: ${String(value)}`
    : undefined;

/** Applies a rule to a closed tool's options only if the tool is open; otherwise only the tool itself is refused. */
const whereOpened =
  (name: string, rule: KeyRule<TenantTerms>): KeyRule<TenantTerms> =>
  (place, terms) =>
    terms.tools.has(name) ? rule(place, terms) : undefined;

const searchAddress: KeyRule<WithAddress> = (place, terms) => {
  const { provider, api_key } = place.holder;
  if (place.value !== undefined && provider !== "searxng" && api_key === undefined)
    return "would be sent the operator's key; leave it out";
  return address(place, terms);
};

const folders: KeyRule<SenderTerms> = ({ value }, { folderFault }) =>
  typeof value === "string" ? folderFault(value) : undefined;

const fileRows = (name: string): KeyRow[] => [
  {
    key: `${tool(`builtin:${name}`)}.config.allowed_paths`,
    names: "path",
    tenant: whereOpened(name, never("is set to a folder of your own; leave it out")),
  },
  {
    key: `${tool(`builtin:${name}`)}.config.allowed_paths.[]`,
    names: "path",
    stranger: folders,
    tenant: open,
  },
];

const builtinRows: KeyRow[] = [
  ...fileRows("read_file"),
  ...fileRows("write_file"),
  {
    key: `${tool("builtin:sql_query")}.config.connection_string`,
    names: "connection",
    stranger: ({ value }, { databaseFault }) =>
      typeof value === "string" ? databaseFault(value) : undefined,
    tenant: whereOpened("sql_query", ({ value }) =>
      isOwnDatabase(value) ? undefined : "must be a file of your own folder, such as sqlite:shop.db",
    ),
  },
  // The default is read-only, and the database is the sender's in any case.
  { key: `${tool("builtin:sql_query")}.config.read_only`, names: "switch", stranger: open, tenant: open },
  { key: `${tool("builtin:web_search")}.config.provider`, names: "name", stranger: open, tenant: open },
  {
    key: `${tool("builtin:web_search")}.config.api_key`,
    names: "secret",
    stranger: open,
    tenant: never(operators),
  },
  {
    key: `${tool("builtin:web_search")}.config.base_url`,
    names: "address",
    stranger: searchAddress,
    tenant: searchAddress,
  },
  {
    key: `${tool("builtin:encyclopedia")}.config.base_url`,
    names: "address",
    stranger: address,
    tenant: address,
  },
  // Without it, messages go to the operator's chat, as the operator configured it.
  {
    key: `${tool("builtin:send_chat")}.config.webhook_url`,
    names: "address",
    stranger: address,
    tenant: address,
  },
  {
    key: `${tool("builtin:send_chat")}.config`,
    names: "address",
    stranger: open,
    tenant: ({ value }) =>
      (value as Record<string, unknown>).webhook_url === undefined
        ? { beside: "config.webhook_url", message: "is required: the address of your own chat" }
        : undefined,
  },
  {
    key: `${tool("builtin:send_email")}.config.smtp_host`,
    names: "address",
    stranger: ({ value }, { hostFault }) => (typeof value === "string" ? hostFault(value) : undefined),
    tenant: open,
  },
  { key: `${tool("builtin:send_email")}.config.smtp_user`, names: "secret", stranger: open, tenant: open },
  {
    key: `${tool("builtin:send_email")}.config.smtp_password`,
    names: "secret",
    stranger: open,
    tenant: open,
  },
  {
    key: `${tool("builtin:send_email")}.config.tls_ca_file`,
    names: "path",
    stranger: never(`names a file of this machine; ${ownersOnly}`),
    tenant: never(operators),
  },
  { key: `${tool("builtin:send_email")}.config.tls`, names: "switch", stranger: open, tenant: open },
  { key: `${tool("builtin:send_email")}.config.from_address`, names: "nothing" },
  { key: `${tool("builtin:send_email")}.config.allowed_recipients`, names: "nothing" },
  {
    key: `${tool("builtin:*")}.config.connection`,
    names: "connection",
    stranger: never(`would send a credential of this installation; ${ownersOnly}`),
    tenant: never("names a connection of the operator's; use a webhook tool with a connection of yours"),
  },
  {
    key: `${tool("builtin:*")}.config.allow_localhost`,
    names: "switch",
    stranger: never(`${opensMachine}; ${ownersOnly}`),
    tenant: never(tenantsOpen),
  },
  { key: `${tool("builtin:*")}.name`, names: "name", stranger: open, tenant: closedTool },
];

const mcp = `${tool("mcp")}.config`;

const otherToolRows: KeyRow[] = [
  {
    key: `${tool("internal*")}.type`,
    names: "program",
    stranger: never(`runs code of this installation; ${ownersOnly}`),
    tenant: open,
  },
  { key: `${tool("internal:send_message")}.config.recipients`, names: "nothing" },
  {
    key: `${tool("internal*")}.config.secrets.*`,
    names: "variable",
    owner: noOwnSetting,
    // If the type is refused, this need not be refused too.
    stranger: open,
    tenant: never("names a variable of the operator's machine; leave it out"),
  },
  { key: `${tool("internal*")}.name`, names: "name", stranger: open, tenant: open },
  { key: `${tool("webhook")}.config.url`, names: "address", stranger: address, tenant: address },
  { key: `${tool("webhook")}.config.headers`, names: "secret", stranger: open, tenant: open },
  { key: `${tool("webhook")}.config.headers.*`, names: "secret", stranger: open, tenant: open },
  { key: `${tool("webhook")}.config.method`, names: "nothing" },
  {
    key: `${tool("webhook")}.config.connection`,
    names: "connection",
    stranger: never(`would send a credential of this installation; ${ownersOnly}`),
    // The tenant's own connections.
    tenant: open,
  },
  {
    key: `${mcp}.transport`,
    names: "program",
    stranger: ({ value }) =>
      value === "stdio" ? `starts a program; ${ownersOnly}. Use http or sse` : undefined,
    tenant: ({ value }) =>
      value === "stdio" ? "starts a program on the operator's machine; use http or sse" : undefined,
  },
  ...["command", "args", "env"].map(
    (key): KeyRow => ({
      key: `${mcp}.${key}`,
      names: "program",
      stranger: ({ value, holder }) =>
        holder.transport === "stdio"
          ? undefined
          : never(`is for programs; ${ownersOnly}`)({ value, holder }, 0),
      tenant: open,
    }),
  ),
  { key: `${mcp}.args.[]`, names: "program", stranger: open, tenant: open },
  { key: `${mcp}.env.*`, names: "program", stranger: open, tenant: open },
  { key: `${mcp}.url`, names: "address", stranger: address, tenant: address },
  { key: `${mcp}.headers`, names: "secret", stranger: open, tenant: open },
  { key: `${mcp}.headers.*`, names: "secret", stranger: open, tenant: open },
  {
    key: `${mcp}.oauth.client_id`,
    names: "nothing",
    tenant: never("is for logins, which agents of tenants don't have; send a header instead"),
  },
  { key: `${mcp}.oauth.client_secret`, names: "secret", stranger: open, tenant: open },
  { key: `${mcp}.oauth.scopes`, names: "nothing" },
  {
    key: `${mcp}.allow_localhost`,
    names: "switch",
    stranger: never(`${opensMachine}; ${ownersOnly}`),
    tenant: never(tenantsOpen),
  },
  { key: `${mcp}.tools`, names: "nothing" },
  { key: `${mcp}.tools_hash`, names: "nothing" },
  { key: `${tool("a2a")}.config.url`, names: "address", stranger: address, tenant: address },
  { key: `${tool("a2a")}.config.headers`, names: "secret", stranger: open, tenant: open },
  { key: `${tool("a2a")}.config.headers.*`, names: "secret", stranger: open, tenant: open },
  {
    key: `${tool("a2a")}.config.allow_localhost`,
    names: "switch",
    stranger: never(`${opensMachine}; ${ownersOnly}`),
    tenant: never(tenantsOpen),
  },
  { key: `${tool("rag")}.config.collection`, names: "name", stranger: open, tenant: open },
  { key: `${tool("agent")}.config.agent`, names: "name", stranger: open, tenant: open },
  { key: `${tool("agent")}.config.context_transform`, names: "nothing" },
  ...["name", "type", "description", "permissions", "parameters", "requires_approval", "mode"].map(
    (key): KeyRow => ({ key: `${tool("*")}.${key}`, names: "nothing" }),
  ),
];

const memoryRows: KeyRow[] = [
  ...["conversational", "semantic", "episodic"].map(
    (kind): KeyRow => ({
      key: `spec.memory.${kind}.connection`,
      names: "connection",
      stranger: never(
        `opens a database from this machine; ${ownersOnly}, and without it memory is kept where the installation keeps it`,
      ),
      tenant: never(operators),
    }),
  ),
  ...["conversational", "semantic", "episodic"].map(
    (kind): KeyRow => ({
      key: `spec.memory.${kind}.connection.url`,
      names: "connection",
      stranger: open,
      tenant: open,
    }),
  ),
  ...["conversational", "semantic", "episodic"].map(
    (kind): KeyRow => ({ key: `spec.memory.${kind}.backend`, names: "name", stranger: open, tenant: open }),
  ),
  // A provider of the configuration at its configured address.
  { key: "spec.memory.semantic.embedder", names: "name", stranger: open, tenant: open },
  { key: "spec.memory.conversational.strategy", names: "nothing" },
];

/** Every key of `kind: Agent` that is text or a switch; a test fails for one without a row. */
export const agentKeys = keyTable([
  ...["primary", "fallback", "fallbacks.[]", "roles.*.candidates.[]"].flatMap((block) =>
    modelRows(`spec.model.${block}`),
  ),
  { key: "spec.model.routing", names: "nothing" },
  { key: "spec.model.roles.*.strategy", names: "nothing" },
  ...builtinRows,
  ...otherToolRows,
  ...memoryRows,
  {
    key: "spec.knowledge",
    names: "name",
    tenant: never("can't be honoured: a tenant has no RAG pipelines here"),
  },
  { key: "spec.knowledge.pipeline", names: "name", stranger: open, tenant: open },
  // Names of other loaded agents, which any sender may call.
  { key: "spec.chain.on_complete.[].agent", names: "name", stranger: open, tenant: open },
  { key: "spec.chain.on_complete.[].on_error", names: "name", stranger: open, tenant: open },
  { key: "spec.chain.on_complete.[].when", names: "nothing" },
  { key: "spec.chain.on_complete.[].input", names: "nothing" },
  { key: "spec.chain.on_complete.[].default", names: "nothing" },
  { key: "spec.chain.on_complete.[].retry", names: "nothing" },
  { key: "spec.chain.mode", names: "nothing" },
  {
    key: "spec.channels.[*]",
    names: "address",
    stranger: never(`takes messages of this installation's channels; ${ownersOnly}`),
    tenant: open,
  },
  {
    key: "spec.triggers.[*]",
    names: "switch",
    stranger: never(`runs the agent by itself, at the owner's cost; ${ownersOnly}`),
    tenant: never("can't be honoured: a tenant's agents have no triggers"),
  },
  ...[
    "type",
    "missed",
    "collection",
    "channel",
    "cron",
    "timezone",
    "query",
    "session_id",
    "name",
    "signature",
  ].map((key): KeyRow => ({ key: `spec.triggers.[*].${key}`, names: "nothing" })),
  { key: "spec.triggers.[*].changes.[]", names: "nothing" },
  { key: "spec.triggers.[webhook].secret", names: "secret", stranger: open, tenant: open },
  {
    key: "spec.skills.[]",
    names: "name",
    stranger: ({ value }) =>
      typeof value === "string" ? `names a skill of this workspace; ${ownersOnly}` : undefined,
    tenant: ({ value }) =>
      typeof value === "string" ? "names a folder of the operator's; write the skill itself" : undefined,
  },
  ...["name", "description", "instructions", "references"].map(
    (key): KeyRow => ({ key: `spec.skills.[].${key}`, names: "nothing" }),
  ),
  // Callers over A2A need the same credentials as those of /v1/agents.
  {
    key: "spec.a2a",
    names: "switch",
    stranger: open,
    tenant: never("can't be honoured: a tenant's agents have no address for the Agent2Agent protocol"),
  },
  { key: "spec.a2a.enabled", names: "switch", stranger: open, tenant: open },
  // In the daemon, evals are files of the operator's workspace, and only the owner may ask a version that is not in service. On the
  // platform, they are the tenant's own.
  {
    key: "spec.release",
    names: "name",
    stranger: never(`requires an eval of this workspace; ${ownersOnly}`),
    tenant: open,
  },
  { key: "spec.release.requires.[].eval", names: "name", stranger: open, tenant: open },
  { key: "spec.release.requires.[].min_score", names: "nothing" },
  { key: "spec.release.requires.[].no_regressions", names: "nothing" },
  {
    key: "spec.release.canary",
    names: "switch",
    stranger: open,
    tenant: never("can't be honoured: a tenant's versions have no canary; use `requires`"),
  },
  ...["apiVersion", "kind", "metadata"].map((key): KeyRow => ({ key, names: "nothing" })),
  ...[
    "identity",
    "prompts",
    "orchestration",
    "guardrails",
    "permissions",
    "output_schema",
    "observability",
  ].map((section): KeyRow => ({ key: `spec.${section}`, names: "nothing" })),
]);
