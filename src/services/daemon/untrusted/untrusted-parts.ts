import { mkdirSync, realpathSync } from "node:fs";
import { version } from "../../../../package.json";
import type { AgentParts } from "../../../engine/agents/build-agent.ts";
import type { ModelSources, ResolveOptions } from "../../../engine/models/model-sources.ts";
import { vendorServer } from "../../../engine/models/vendor-server.ts";
import type { FileReach } from "../../../engine/tools/files/file-reach.ts";
import { type ReachSettings, workspaceReach } from "../../../engine/tools/files/workspace-reach.ts";
import { McpServers } from "../../../engine/tools/mcp/mcp-servers.ts";
import { memoryLogins } from "../../../engine/tools/mcp/oauth/login-store.ts";
import { memoryPins } from "../../../engine/tools/mcp/tool-pins.ts";
import { resolveBySystem } from "../../../engine/tools/network/address/address-resolver.ts";
import { createAddressFinder } from "../../../engine/tools/network/address/find-address.ts";
import { createGuardedNetwork } from "../../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../../engine/tools/network/direct-connection.ts";
import type { GuardedNetwork } from "../../../engine/tools/network/guarded-network.ts";
import { createSqlRunner } from "../../../engine/tools/sql/sql-runner.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { SenderTerms } from "../../../manifest/senders/policy-terms.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";
import { createEmbedders } from "../../../retrieval/embedding/create-embedders.ts";
import { createRerankers } from "../../../retrieval/reranking/create-rerankers.ts";
import type { RetrievalParts } from "../../../retrieval/retrieval-ports.ts";
import { createVectorStores } from "../../../retrieval/stores/vector-stores.ts";
import { type SenderSettings, sendersFolder, senderTerms } from "./sender-terms.ts";
import { untrustedSecrets } from "./untrusted-secrets.ts";

/** Parts for agents and pipelines sent by someone other than the machine's owner. */
export interface UntrustedParts {
  terms: SenderTerms;
  retrieval: RetrievalParts;
  /** Creates the folder for their files if the manifest has tools that need it. */
  prepare(manifest: AgentManifest): void;
  /** Returns the operator's parts without those reserved for the owner. */
  partsOf(owners: AgentParts): AgentParts & { tools: { mcp: McpServers } };
  close(): Promise<void>;
}

export interface UntrustedSettings extends SenderSettings, ReachSettings {
  knownSecrets: SecretRegistry;
}

export interface UntrustedPorts {
  /** The owner's stores, embedders and rerankers. */
  retrieval: RetrievalParts;
  sources: ModelSources;
  onnx: OnnxRuntime;
  /** Starts the process in which SQL statements run. */
  sqlCommand: string[];
  clock: Clock;
  log: Logger;
  random: () => number;
}

const fileTools: ReadonlySet<string> = new Set(["read_file", "write_file", "sql_query"]);

/** Maximum time before an answer's headers; the model's own time limit applies as well. */
const headTimeoutMs = 3_600_000;

/**
 * Creates the parts for untrusted senders' manifests. The policy refuses what the text shows. In addition, these parts enforce the limits at the
 * time of use: names are resolved once and checked, redirects are not followed, and files stay in one folder.
 */
export function openUntrustedParts(
  config: UntrustedSettings,
  { retrieval, sources, onnx, sqlCommand, clock, log, random }: UntrustedPorts,
): UntrustedParts {
  const terms = senderTerms(config, sources);
  const addresses = { clock, resolve: resolveBySystem, opened: config.network };
  const network = createGuardedNetwork({ ...addresses, connect: createDirectConnections(clock) });
  const guardedFetch = fetchThrough(network);
  const addressOf = createAddressFinder(addresses);
  const noVariable = () => undefined;
  const common = { fetch: guardedFetch, clock, log, random, variable: noVariable };
  const stores = createVectorStores({ ...common, dataFolder: config.dataFolder });
  const known = (provider: string) => vendorServer(provider, sources);
  const embedders = createEmbedders({ ...common, onnx, serverOf: known });
  const rerankers = createRerankers({ ...common, onnx, serverOf: known });
  const { vectors } = terms;
  const files: FileReach = {
    ...workspaceReach(config),
    get onlyBelow() {
      return madeFolder(config);
    },
  };
  const sql = createSqlRunner({ clock, childCommand: sqlCommand, files, addressOf });
  const mcp = new McpServers({
    clock,
    log,
    network,
    // Logins and recorded tools of the owner's agents at the same server are not shared.
    pins: memoryPins(),
    logins: memoryLogins(),
    conceal: untrustedSecrets(config.knownSecrets).add,
    version,
    // An untrusted sender's entry can't start a program.
    supervisor: [],
    refusal: () => "an agent from elsewhere starts no program",
    folder: config.workspace,
    path: "",
  });
  return {
    terms,
    retrieval: {
      // A configured store is shared by all; only an address chosen by the sender is guarded.
      storeOf: (settings) =>
        settings.url === undefined || settings.url === vectors.url
          ? retrieval.storeOf(settings)
          : stores.storeOf(settings),
      embedderOf: (settings) =>
        terms.isConfiguredVendor(settings) ? retrieval.embedderOf(settings) : embedders.embedderOf(settings),
      rerankerOf: (settings) =>
        terms.isConfiguredVendor(settings) ? retrieval.rerankerOf(settings) : rerankers.rerankerOf(settings),
    },
    prepare({ spec }) {
      if (spec.tools.some(({ type, name }) => type === "builtin" && fileTools.has(name))) madeFolder(config);
    },
    partsOf({
      tools: { ownTools: _tools, connections: _connections, ...tools },
      skills: _skills,
      ...owners
    }) {
      return {
        ...owners,
        sender: "stranger",
        models: untrustedModels(owners.models, terms, guardedFetch),
        tools: { ...tools, network, addressOf, files, sql, mcp },
      };
    },
    async close() {
      embedders.close();
      sql.close();
      await mcp.close();
      await stores.close();
    },
  };
}

const fetchThrough =
  (network: GuardedNetwork) =>
  (url: string, init: RequestInit): Promise<Response> =>
    network.fetch(url, init, { headTimeoutMs, redirectsMax: 0 });

/** Models at configured addresses are the operator's. Others are called through the guarded network, without any key. */
function untrustedModels(
  usual: ResolveOptions,
  { isConfigured }: SenderTerms,
  guardedFetch: (url: string, init: RequestInit) => Promise<Response>,
): ResolveOptions {
  const { clock, newId } = usual.ports;
  const own: ResolveOptions = {
    sources: { variable: () => undefined },
    ports: { clock, newId, fetch: guardedFetch },
    account: "stranger",
    limitBy: "caller",
  };
  return { ...usual, limitBy: "caller", optionsOf: (block) => (isConfigured(block) ? undefined : own) };
}

/** Creates the folder for untrusted senders' files at its first use. */
function madeFolder(config: SenderSettings): string {
  const path = sendersFolder(config);
  mkdirSync(path, { recursive: true });
  return realpathSync(path);
}
