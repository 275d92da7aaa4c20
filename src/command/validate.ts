import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { openWorkspaceParts } from "../compose/daemon/own-tools.ts";
import { readConfig, workspaceOf } from "../compose/load-config.ts";
import type { Config, ConfigFlags } from "../compose/settings/config.ts";
import { missingFromRuntimeFile } from "../compose/settings/missing-features.ts";
import { networkProblems } from "../compose/settings/network-settings.ts";
import { vectorProblems } from "../compose/settings/vector-settings.ts";
import { builtRegistries, registriesOf } from "../engine/agents/manifest-registries.ts";
import { missingFeatures } from "../engine/agents/missing-features.ts";
import { canonicalProvider, providerNames } from "../engine/models/providers/registry.ts";
import { isInside } from "../engine/tools/files/file-reach.ts";
import { casesProblems, evalProblems } from "../evals/dataset/compile-cases.ts";
import { formatOf } from "../evals/dataset/load-eval.ts";
import { readCases } from "../evals/dataset/read-cases.ts";
import { AppError, type Problem } from "../kit/app-error.ts";
import { systemClock } from "../kit/clock.ts";
import { newId } from "../kit/id.ts";
import { silentLogger } from "../kit/log.ts";
import type { AgentManifest } from "../manifest/agent/agent.ts";
import { agentKind } from "../manifest/agent/agent-kind.ts";
import { checkReferences, type Neighbours } from "../manifest/check-references.ts";
import { type EvalManifest, evalKind } from "../manifest/eval/eval.ts";
import { channelsFileKind } from "../manifest/files/channels-file.ts";
import { connectionsFileKind } from "../manifest/files/connections-file.ts";
import { platformFileKind } from "../manifest/files/platform-file.ts";
import { pricesFileKind } from "../manifest/files/prices-file.ts";
import { providersFileKind } from "../manifest/files/providers-file.ts";
import { ragEvalFileKind } from "../manifest/files/rag-eval-file.ts";
import { type RuntimeFile, runtimeFileKind } from "../manifest/files/runtime-file.ts";
import { type RagPipelineManifest, ragPipelineKind } from "../manifest/rag-pipeline.ts";
import type { ManifestKindName } from "../manifest/schema/kind-names.ts";
import { type ManifestKind, variablesOf } from "../manifest/schema/manifest-kind.ts";
import type { ShapeRegistries } from "../manifest/schema/manifest-shape.ts";
import { isTrusted, type Sender } from "../manifest/senders/sender.ts";
import { type InspectedFile, inspectFile } from "../manifest/yaml/inspect-file.ts";
import { inspectYaml } from "../manifest/yaml/read-yaml.ts";
import type { Variables } from "../manifest/yaml/variables.ts";
import { ragRegistries } from "../retrieval/rag/rag-registries.ts";
import { senderOf } from "../services/daemon/manifests/manifest-sender.ts";
import type { SkillFiles } from "../services/daemon/skills/skill-files.ts";
import type { OwnToolFiles } from "../services/daemon/tools/own-tool-files.ts";
import { openKnownProviders } from "./known-providers.ts";
import { kindOfName, namedFiles, workspaceFiles } from "./manifest-files.ts";
import { openAgentTrial, pipelineBuildingProblems } from "./trials.ts";

/** Result of checking one file. */
export interface ValidatedFile {
  /** Path relative to the workspace, if it is inside. */
  file: string;
  /** Absent if neither the name nor `kind` shows it. */
  kind?: ManifestKindName;
  /** Variables that it reads. */
  variables: { name: string; isSet: boolean }[];
  /** `provider/model` for an agent without `spec.model`. */
  default_model?: string;
  problems: Problem[];
}

export interface Validation {
  workspace: string;
  /** Files and folders; if empty, the files of the workspace. */
  paths: readonly string[];
  /** Values that this executable supports. */
  registries: ShapeRegistries;
  variables: Variables;
  /** Returns the problems that prevent a valid agent manifest from being built. */
  agentProblems: (manifest: AgentManifest, sender: Sender) => Problem[];
  /** `provider/model` for agents that name none. */
  defaultModel?: string | undefined;
  /** The same for a pipeline; if absent, none is built. */
  pipelineProblems?: (manifest: RagPipelineManifest, sender: Sender) => Problem[];
  /** Tools in the workspace's own files; if absent, there are none. */
  ownTools?: Pick<OwnToolFiles, "find" | "list" | "faults">;
  /** Skills in the workspace's own folders; if absent, there are none. */
  skills?: Pick<SkillFiles, "list">;
}

type Kinds = ReturnType<typeof kindsOf>;

function kindsOf({ agent, ragPipeline, providerTypes }: ShapeRegistries) {
  return {
    agent: agentKind(agent),
    "rag-pipeline": ragPipelineKind(ragPipeline),
    providers: providersFileKind({
      ...(providerTypes && { types: providerTypes }),
      canonical: canonicalProvider,
    }),
    prices: pricesFileKind,
    runtime: runtimeFileKind,
    channels: channelsFileKind,
    connections: connectionsFileKind,
    platform: platformFileKind,
    "rag-eval": ragEvalFileKind,
    eval: evalKind,
  };
}

/** Like `validateFiles`, for an installation, whose files get their variables also without trust, because nothing is called, with the providers set up through its API. Without paths, checks the files of its workspace. Builds agents like the start does. */
export async function validateWorkspace(
  flags: ConfigFlags,
  paths: readonly string[],
): Promise<ValidatedFile[]> {
  const { workspace, variable, programs } = workspaceOf(flags);
  const loaded = readable(flags);
  const known = loaded && (await openKnownProviders(loaded));
  const config = loaded && known?.over(loaded);
  // What depends on a file is not judged while that file can't be used.
  const faulty = new Set(config?.faulty);
  const isSound = ["runtime.yaml", "providers.yaml", "values"].every((name) => !faulty.has(name));
  const { providers, ...others } = config === undefined ? builtRegistries() : registriesOf(config);
  const areKnown = providers !== undefined && !faulty.has("providers.yaml");
  const agent = areKnown ? { ...others, providers } : others;
  const { ownTools, skills } = await openWorkspaceParts({
    config: { workspace, programs },
    clock: systemClock,
    newId,
    log: silentLogger,
    startsPrograms: true,
  });
  try {
    const trial =
      config === undefined || !isSound
        ? undefined
        : await openAgentTrial(config, { ownTools, skills }, known?.stored);
    return validateFiles({
      workspace,
      paths,
      registries: { agent, ragPipeline: ragRegistries, providerTypes: providerNames() },
      variables: variable,
      agentProblems: trial?.problems ?? missingFeatures,
      defaultModel: trial?.defaultModel,
      ...(config !== undefined && isSound && { pipelineProblems: await pipelineBuildingProblems(config) }),
      ownTools,
      skills,
    });
  } finally {
    ownTools.close();
  }
}

/** Returns undefined if the data folder can't be told. Faulty files are reported as findings, and the others are checked without them. */
function readable(flags: ConfigFlags): Config | undefined {
  try {
    return readConfig(flags);
  } catch (thrown) {
    if (thrown instanceof AppError) return undefined;
    throw thrown;
  }
}

/** Checks files like the start does, and agents together with those they would be loaded with. */
export function validateFiles(validation: Validation): ValidatedFile[] {
  const { workspace, paths, ownTools } = validation;
  const tools = [...validatedTools(validation), ...validatedSkills(validation)];
  const files = (paths.length === 0 ? workspaceFiles(workspace) : namedFiles(paths)).filter(
    (path) => !tools.some(({ file }) => file === placeOf(workspace, path)),
  );
  if (files.length === 0 && tools.length === 0) {
    throw new AppError("invalid", "nothing_to_validate", "There is no file to validate.", {
      details: { hint: `\`argosy init\` makes a workspace; ${workspace} is looked at now.` },
    });
  }
  const kinds = kindsOf(validation.registries);
  const agents: LoadedAgent[] = [];
  const pipelines = new Set<string>();
  const connections = new Set<string>();
  // Kinds of which a file can't be read: what it names is not known, and no agent is at fault for it.
  const unread = new Set<ManifestKindName>();
  const datasets: ValidatedFile[] = [];
  const noteUnread = ({ outcome: { kind, problems } }: ReadManifest) => {
    if (kind !== undefined && problems.length > 0) unread.add(kind);
  };
  const validated = files.map((path) => {
    const read = readManifest(path, kinds, validation);
    const file = placeOf(workspace, path);
    noteUnread(read);
    if (read.agent !== undefined) agents.push({ file, ...read.agent });
    if (read.pipeline !== undefined) pipelines.add(read.pipeline);
    for (const name of read.connections ?? []) connections.add(name);
    if (read.dataset !== undefined) datasets.push(read.dataset);
    return { ...read.outcome, file };
  });
  const neighbours = workspaceFiles(workspace).filter(
    (path) => !files.includes(path) && /^(agent|rag-pipeline|connections)$/.test(kindOfName(path) ?? ""),
  );
  for (const path of neighbours) {
    const read = readManifest(path, kinds, validation);
    noteUnread(read);
    const { agent, pipeline, connections: named = [] } = read;
    for (const name of named) connections.add(name);
    if (agent !== undefined) agents.push({ file: placeOf(workspace, path), ...agent });
    if (pipeline !== undefined) pipelines.add(pipeline);
  }
  const together = problemsTogether(agents, {
    hasPipeline: (name) => pipelines.has(name) || unread.has("rag-pipeline"),
    hasConnection: (name) => connections.has(name) || unread.has("connections"),
    hasTool: (name) => ownTools?.find(name) !== undefined,
  });
  const checked = validated.map((outcome) => ({
    ...outcome,
    problems: [...outcome.problems, ...(together.get(outcome.file) ?? [])],
  }));
  return [...checked, ...datasets, ...tools];
}

/** Results for custom tool files: all of the workspace, or those that the paths include. */
function validatedTools({ workspace, paths, ownTools }: Validation): ValidatedFile[] {
  const faults = ownTools?.faults() ?? [];
  const files = new Set([...(ownTools?.list() ?? []), ...faults].map(({ file }) => file));
  const isMeant = (file: string) =>
    paths.length === 0 || paths.some((path) => isInside(path, join(workspace, file)));
  return [...files]
    .sort()
    .filter(isMeant)
    .map((file) => ({
      file,
      variables: [],
      problems: faults
        .filter((fault) => fault.file === file)
        .map(({ message, line, column }) => ({
          path: "",
          message,
          ...(line !== undefined && { line }),
          ...(column !== undefined && { column }),
        })),
    }));
}

/** Results for the skills: all of the workspace, or those that the paths include. */
function validatedSkills({ workspace, paths, skills }: Validation): ValidatedFile[] {
  const isMeant = (file: string) =>
    paths.length === 0 || paths.some((path) => isInside(path, join(workspace, file)));
  return (skills?.list() ?? [])
    .filter(({ file }) => isMeant(file))
    .map(({ file, problems }) => ({ file, variables: [], problems: [...problems] }));
}

interface LoadedAgent {
  file: string;
  manifest: AgentManifest;
  place: PlaceSound;
}

type PlaceSound = (problem: Problem) => Problem | undefined;

interface ReadManifest {
  outcome: Omit<ValidatedFile, "file">;
  agent?: Omit<LoadedAgent, "file">;
  /** Name of the pipeline in the file. */
  pipeline?: string;
  /** Names of the connections in the file. */
  connections?: string[];
  /** The file with an eval's cases, if it has faults. */
  dataset?: ValidatedFile;
}

/** Further checks, by kind, use the valid parts of a file. */
function readManifest(
  path: string,
  kinds: Kinds,
  { workspace, variables, agentProblems, defaultModel, pipelineProblems }: Validation,
): ReadManifest {
  const text = readText(path);
  if (typeof text !== "string") return { outcome: { variables: [], problems: [text] } };
  const kind = kindOfName(path) ?? kindInside(text);
  const used = variablesOf(text).map((name) => ({ name, isSet: variables(name) !== undefined }));
  if (kind === undefined) return { outcome: { variables: used, problems: unknownKind(text) } };
  // A file of an untrusted sender is checked like at the start: without variables, and with that sender's permissions.
  const sender = senderOf(text);
  const readable = isTrusted(sender) ? variables : undefined;
  const inspect = <T>(by: ManifestKind<T>, further?: (manifest: T) => Problem[], root = {}) => {
    const inspected = inspectFile(by, text, { variables: readable, standIns: root });
    return { ...inspected, outcome: { kind, variables: used, problems: allProblems(inspected, further) } };
  };
  if (kind === "agent") {
    const { outcome, sound } = inspect(
      kinds.agent,
      (manifest) => agentProblems(manifest, sender),
      head("Agent", path),
    );
    if (sound === undefined) return { outcome };
    const { manifest, place } = sound;
    const usesDefault = manifest.spec.model === undefined && defaultModel !== undefined;
    return {
      outcome: { ...outcome, ...(usesDefault && { default_model: defaultModel }) },
      agent: { manifest, place },
    };
  }
  if (kind === "runtime") {
    return { outcome: inspect(kinds.runtime, (file) => runtimeProblems(file, variables)).outcome };
  }
  if (kind === "rag-pipeline") {
    const { outcome, sound } = inspect(
      kinds[kind],
      (manifest) => pipelineProblems?.(manifest, sender) ?? [],
      head("RAGPipeline", path),
    );
    return sound?.isNamed === true ? { outcome, pipeline: sound.manifest.metadata.name } : { outcome };
  }
  if (kind === "eval") {
    const { outcome, sound } = inspect(kinds.eval, evalProblems, head("Eval", path));
    const name = sound?.manifest.spec.cases;
    if (sound === undefined || typeof name !== "string") return { outcome };
    const problems = datasetProblems(sound.manifest, name, readText(resolve(dirname(path), name)));
    if (problems.length === 0) return { outcome };
    const file = placeOf(workspace, resolve(dirname(path), name));
    return { outcome, dataset: { file, variables: [], problems } };
  }
  if (kind === "connections") {
    const { outcome, sound } = inspect(kinds.connections);
    return { outcome, ...(sound && { connections: Object.keys(sound.manifest.connections ?? {}) }) };
  }
  // The remaining kinds need no further checks, so their type does not matter.
  const other: ManifestKind<never> = kinds[kind];
  return { outcome: inspect(other).outcome };
}

/** Faults of the file that has an eval's cases. */
function datasetProblems(manifest: EvalManifest, name: string, text: string | Problem): Problem[] {
  if (typeof text !== "string") return [text];
  const reading = readCases(text, formatOf(name), manifest.spec.checks);
  if ("faults" in reading)
    return reading.faults.map(({ line, message }) => ({ path: "", message, line, column: 1 }));
  return casesProblems(manifest, reading.cases);
}

/** Replacement for an unusable head, with a unique name, so the rest of the file is checked. */
const head = (kind: string, path: string) => ({
  apiVersion: "platform/v1",
  kind,
  metadata: { name: `unnamed-${new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 12)}` },
});

function allProblems<T>(
  { problems, sound }: InspectedFile<T>,
  further: (manifest: T) => Problem[] = () => [],
): Problem[] {
  if (sound === undefined) return problems;
  const reportedPaths = new Set(problems.map(({ path }) => path));
  const later = further(sound.manifest).flatMap((problem) => sound.place(problem) ?? []);
  return [...problems, ...later.filter(({ path }) => !reportedPaths.has(path))];
}

const runtimeProblems = (file: RuntimeFile, variables: Variables) => [
  ...missingFromRuntimeFile(file),
  ...networkProblems(file),
  ...vectorProblems(file, variables("DATABASE_URL")),
];

function readText(path: string): string | Problem {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    return {
      path: "",
      message: thrown instanceof TypeError ? "is not valid UTF-8" : `can't be read: ${String(thrown)}`,
    };
  }
}

/** Returns the YAML errors if they prevent reading the kind; otherwise that there is no kind. */
function unknownKind(text: string): Problem[] {
  const { problems } = inspectYaml(text);
  if (problems.length > 0) return problems;
  const message =
    "is not a file that Argosy knows by its name (*.agent.yaml, *.rag.yaml, *.eval.yaml, *.rag-eval.yaml, runtime.yaml …) or by `kind: Agent`, `kind: RAGPipeline` or `kind: Eval` in it";
  return [{ path: "", message }];
}

function kindInside(text: string): ManifestKindName | undefined {
  const kind = inspectYaml(text).found?.value.kind;
  if (kind === "Agent") return "agent";
  if (kind === "RAGPipeline") return "rag-pipeline";
  return kind === "Eval" ? "eval" : undefined;
}

/**
 * Returns problems between agents, by file: duplicate names, chains and agent tools with missing targets, and knowledge of a missing
 * pipeline.
 */
function problemsTogether(agents: readonly LoadedAgent[], neighbours: Neighbours): Map<string, Problem[]> {
  const problems = new Map<string, Problem[]>();
  const add = (file: string, problem: Problem) =>
    problems.set(file, [...(problems.get(file) ?? []), problem]);
  const fileByName = new Map<string, string>();
  for (const { file, manifest } of agents) {
    const first = fileByName.get(manifest.metadata.name);
    if (first === undefined) fileByName.set(manifest.metadata.name, file);
    else {
      add(file, { path: "metadata.name", message: `is taken: ${first} has the same` });
      add(first, { path: "metadata.name", message: `is taken: ${file} has the same` });
    }
  }
  const places = new Map(agents.map(({ file, place }) => [file, place]));
  const referenceProblems = checkReferences(
    agents.map(({ manifest }) => manifest),
    neighbours,
  );
  for (const { agent, problem } of referenceProblems) {
    const file = fileByName.get(agent);
    const placed = file === undefined ? undefined : places.get(file)?.(problem);
    if (file !== undefined && placed !== undefined) add(file, placed);
  }
  return problems;
}

function placeOf(workspace: string, path: string): string {
  const inside = relative(workspace, path);
  return inside.startsWith("..") ? path : inside;
}
