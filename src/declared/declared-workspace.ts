import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError, type Problem } from "../kit/app-error.ts";
import type { AgentManifest } from "../manifest/agent/agent.ts";
import { agentKind as agentManifestKind } from "../manifest/agent/agent-kind.ts";
import { agentToolsOf, targetsOf } from "../manifest/agent/check-chains.ts";
import {
  type DeclaredChannel,
  type PlatformFile,
  platformFileKind,
} from "../manifest/files/platform-file.ts";
import { type RagPipelineManifest, ragPipelineKind } from "../manifest/rag-pipeline.ts";
import { checkFile, type ManifestKind, type PlaceProblem } from "../manifest/schema/manifest-kind.ts";
import type { Variables } from "../manifest/yaml/variables.ts";
import { agentType } from "./kinds/agent-kind.ts";
import { basePlanType } from "./kinds/base-plan-kind.ts";
import { accountName, accountType } from "./kinds/channel-account-kind.ts";
import { bindingType } from "./kinds/channel-binding-kind.ts";
import { collectionType } from "./kinds/collection-kind.ts";
import { planType } from "./kinds/plan-kind.ts";
import { tariffConfig, tariffName, tariffType } from "./kinds/tariff-kind.ts";
import { secretReference } from "./secret-field.ts";
import { type Declared, given, keyText } from "./workspace-kind.ts";

/** A problem with the file that has it. */
export interface FileProblem extends Problem {
  file: string;
}

/** Something that the platform doesn't do, or that an apply leaves as it is. */
export interface WorkspaceNote {
  resource_type: string;
  resource: string;
  message: string;
}

/** The part of a workspace's files that is applied to the platform. */
export interface DeclaredWorkspace {
  /** The tenant that platform.yaml names. */
  tenant: string | undefined;
  /** In the order of creation: what a resource needs comes before it. */
  resources: Declared[];
  notes: WorkspaceNote[];
  /** The places of agents' problems that are found later, by the agent's name. */
  places: ReadonlyMap<string, { file: string; place: PlaceProblem }>;
}

const platformPath = "platform.yaml";

/** Reads platform.yaml, agents and pipelines. Throws `invalid_workspace` with all problems of all files. */
export function readDeclaredWorkspace(workspace: string, variables: Variables): DeclaredWorkspace {
  const reader = new WorkspaceReader(workspace, variables);
  const file = reader.platformFile();
  const agents = reader.manifests("Agent", file.agents, agentManifestKind({}));
  const pipelines = reader.manifests("RAGPipeline", file.pipelines, ragPipelineKind({}));
  const { collections, notes } = collectionsOf(pipelines);
  const resources = [
    ...plansOf(file),
    ...file.tariffs.map((tariff) => ({
      ...base(tariffType, tariffName(tariff), platformPath),
      config: tariffConfig(tariff),
    })),
    ...(file.plan === undefined
      ? []
      : [
          {
            ...base(basePlanType, "base", platformPath),
            config: { plan_id: file.plan },
            needs: [keyText({ type: planType, name: file.plan })],
          },
        ]),
    ...collections,
    ...inLinkOrder(agents.map(declaredAgent)),
    ...file.channels.flatMap((channel, index) => reader.channel(channel, index)),
  ];
  reader.refuse();
  const places = agents.map(
    ({ manifest, file, place }) => [manifest.metadata.name, { file, place }] as const,
  );
  return { tenant: file.tenant, resources, notes, places: new Map(places) };
}

/** The error for files with problems. */
export function invalidWorkspace(problems: readonly FileProblem[]): AppError {
  const [first] = problems;
  const place = [first?.file, first?.line, first?.column].filter((part) => part !== undefined).join(":");
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new AppError("invalid", "invalid_workspace", `${place}: ${first?.path} ${first?.message}${more}`, {
    details: {
      problems: [...problems],
      hint: "Nothing was changed. `argosy validate` checks the files without a platform.",
    },
  });
}

interface ReadManifest<T> {
  file: string;
  manifest: T;
  document: unknown;
  place: PlaceProblem;
}

/** Reads files of a workspace and collects their problems. */
class WorkspaceReader {
  readonly #workspace: string;
  readonly #variables: Variables;
  readonly #problems: FileProblem[] = [];
  #place: PlaceProblem = (problem) => problem;

  constructor(workspace: string, variables: Variables) {
    this.#workspace = workspace;
    this.#variables = variables;
  }

  refuse(): void {
    if (this.#problems.length > 0) throw invalidWorkspace(this.#problems);
  }

  platformFile(): PlatformFile {
    const path = join(this.#workspace, platformPath);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "{}\n";
    // Without variables: their values would stand in plans. Secrets are named by keys that end in `_env`.
    const checked = checkFile(platformFileKind, text);
    if ("problems" in checked)
      throw invalidWorkspace(checked.problems.map((problem) => ({ ...problem, file: platformPath })));
    this.#place = checked.place;
    return checked.manifest;
  }

  manifests<T extends { metadata: { name: string } }>(
    kind: string,
    patterns: readonly string[],
    shape: ManifestKind<T>,
  ): ReadManifest<T>[] {
    const files = new Set(
      patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: this.#workspace })]),
    );
    const fileByName = new Map<string, string>();
    return [...files].sort().flatMap((file) => {
      if (file.split("/").includes("node_modules")) return [];
      const checked = checkFile(shape, readFileSync(join(this.#workspace, file), "utf8"));
      if ("problems" in checked) {
        this.#problems.push(...checked.problems.map((problem) => ({ ...problem, file })));
        return [];
      }
      const { name } = checked.manifest.metadata;
      const first = fileByName.get(name);
      if (first !== undefined) {
        const problem = { path: "metadata.name", message: `is taken: the ${kind} of ${first} has the same` };
        this.#problems.push({ ...checked.place(problem), file });
        return [];
      }
      fileByName.set(name, file);
      return [{ file, ...checked }];
    });
  }

  /** Returns the account of a channel and its binding. */
  channel(channel: DeclaredChannel, index: number): Declared[] {
    const name = accountName(channel);
    const secret = (key: `${string}_env` & keyof DeclaredChannel, path: string): [string, string][] => {
      const variable = channel[key];
      return typeof variable === "string"
        ? [[path, this.#secret(variable, `channels[${index}].${key}`)]]
        : [];
    };
    const reference = (key: keyof DeclaredChannel) => {
      const variable = channel[key];
      return typeof variable === "string" ? secretReference(variable) : undefined;
    };
    const credentials = given({
      access_token: reference("access_token_env"),
      bot_token: reference("bot_token_env"),
    });
    const { emulated, entry_agent, fallback_message, callback_url, pedir_contacto, format, groups } = channel;
    const account: Declared = {
      ...base(accountType, name, platformPath),
      config: {
        channel: channel.channel,
        external_id: channel.external_id,
        emulated,
        ...(Object.keys(credentials).length > 0 && { credentials }),
      },
      secrets: new Map([
        ...secret("access_token_env", "credentials.access_token"),
        ...secret("bot_token_env", "credentials.bot_token"),
      ]),
    };
    const binding: Declared = {
      ...base(bindingType, name, platformPath),
      config: given({
        entry_agent,
        fallback_message,
        callback_url,
        pedir_contacto,
        format,
        groups,
        platform_api_key: reference("platform_api_key_env"),
        callback_secret: reference("callback_secret_env"),
      }),
      secrets: new Map([
        ...secret("platform_api_key_env", "platform_api_key"),
        ...secret("callback_secret_env", "callback_secret"),
      ]),
      needs: [
        keyText(account),
        ...(entry_agent === undefined ? [] : [keyText({ type: agentType, name: entry_agent })]),
      ],
    };
    return [account, binding];
  }

  #secret(variable: string, path: string): string {
    const value = this.#variables(variable);
    if (value !== undefined && value !== "") return value;
    const problem = { path, message: `names ${variable}, which isn't set: set it to the secret` };
    this.#problems.push({ ...this.#place(problem), file: platformPath });
    return "";
  }
}

const base = (type: string, name: string, file: string): Declared => ({
  type,
  name,
  file,
  config: {},
  secrets: new Map(),
  needs: [],
});

const plansOf = ({ plans }: PlatformFile): Declared[] =>
  Object.entries(plans).map(([id, { units, features, ...values }]) => {
    const unidades = Object.fromEntries(
      Object.entries(units).map(([unit, { included, extra_micros }]) => [
        unit,
        { incluidas: included, excedente_micros: extra_micros },
      ]),
    );
    return {
      ...base(planType, id, platformPath),
      config: { ...given(values), spec: { unidades, features } },
    };
  });

function declaredAgent({ file, manifest, document }: ReadManifest<AgentManifest>): Declared {
  const { name } = manifest.metadata;
  const agents = [...targetsOf(manifest), ...agentToolsOf(manifest)].map((target) => target.name);
  const collections = manifest.spec.tools.flatMap(({ type, config }) =>
    type === "rag" ? [String((config as { collection?: unknown }).collection)] : [],
  );
  return {
    ...base(agentType, name, file),
    // As JSON, which is the form that the platform stores and returns.
    config: JSON.parse(JSON.stringify(document)),
    needs: [
      ...agents.filter((other) => other !== name).map((other) => keyText({ type: agentType, name: other })),
      ...collections.map((collection) => keyText({ type: collectionType, name: collection })),
    ],
  };
}

/** Orders agents so that each comes after those that it refers to; a circle stays in the order of the files. */
function inLinkOrder(agents: readonly Declared[]): Declared[] {
  const byKey = new Map(agents.map((agent) => [keyText(agent), agent]));
  const ordered = new Set<Declared>();
  const visit = (agent: Declared, above: ReadonlySet<Declared>) => {
    if (ordered.has(agent) || above.has(agent)) return;
    for (const need of agent.needs) {
      const other = byKey.get(need);
      if (other !== undefined) visit(other, new Set([...above, agent]));
    }
    ordered.add(agent);
  };
  for (const agent of agents) visit(agent, new Set());
  return [...ordered];
}

/** Sections of a pipeline that belong to the operator's own pipelines. A tenant's collections use the installation's defaults. */
const operatorSections = ["chunking", "embeddings", "vector_store", "reranking", "retrieval"] as const;

function collectionsOf(pipelines: readonly ReadManifest<RagPipelineManifest>[]): {
  collections: Declared[];
  notes: WorkspaceNote[];
} {
  const collections = new Map<string, Declared>();
  const notes: WorkspaceNote[] = [];
  for (const { file, manifest, document } of pipelines) {
    const name = manifest.spec.collection ?? manifest.metadata.name;
    collections.set(name, base(collectionType, name, file));
    const written = Object.keys((document as { spec?: object }).spec ?? {});
    const note = (message: string) =>
      notes.push({ resource_type: collectionType, resource: name, message: `${file}: ${message}` });
    const ignored = operatorSections.filter((section) => written.includes(section));
    if (ignored.length > 0)
      note(`${ignored.join(", ")} not applied: tenants' collections use the installation's defaults.`);
    if (written.includes("sources"))
      note("sources not applied: `argosy platform documents put` uploads a tenant's documents.");
  }
  return { collections: [...collections.values()], notes };
}
