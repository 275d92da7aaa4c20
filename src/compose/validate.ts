import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { providerNames } from "../engine/models/providers/registry.ts";
import { missingFeatures } from "../engine/run/missing-features.ts";
import { AppError, type Problem } from "../kit/app-error.ts";
import type { AgentManifest } from "../manifest/agent.ts";
import { channelsFileKind } from "../manifest/channels-file.ts";
import { checkReferences } from "../manifest/check-references.ts";
import { connectionsFileKind } from "../manifest/connections-file.ts";
import type { ManifestKindName } from "../manifest/kind-names.ts";
import { type Checked, checkFile, type ManifestKind, variablesOf } from "../manifest/manifest-kind.ts";
import type { ShapeRegistries } from "../manifest/manifest-shape.ts";
import { agentKind } from "../manifest/parse-agent.ts";
import { pricesFileKind } from "../manifest/prices-file.ts";
import { providersFileKind } from "../manifest/providers-file.ts";
import { ragEvalFileKind } from "../manifest/rag-eval-file.ts";
import { type RagPipelineManifest, ragPipelineKind } from "../manifest/rag-pipeline.ts";
import { readYaml } from "../manifest/read-yaml.ts";
import { type RuntimeFile, runtimeFileKind } from "../manifest/runtime-file.ts";
import type { Variables } from "../manifest/variables.ts";
import { openAgentTrial } from "./agent-parts.ts";
import { type Config, type ConfigFlags, loadConfig, workspaceOf } from "./config.ts";
import { kindOfName, namedFiles, workspaceFiles } from "./manifest-files.ts";
import { missingFromRuntimeFile } from "./missing-features.ts";
import { networkProblems } from "./network-settings.ts";
import { pipelineBuildingProblems, ragRegistries } from "./rag.ts";
import { builtRegistries, registriesOf } from "./registries.ts";
import { vectorProblems } from "./vector-settings.ts";

/** What became of one file. */
export interface ValidatedFile {
  /** Relative to the workspace when it lies inside. */
  file: string;
  /** Absent when neither its name nor its `kind` tells. */
  kind?: ManifestKindName;
  /** The variables it reads. */
  variables: { name: string; isSet: boolean }[];
  /** `provider/model` that an agent without `spec.model` runs on. */
  default_model?: string;
  problems: Problem[];
}

export interface Validation {
  workspace: string;
  /** Files and folders; none: what the workspace has. */
  paths: readonly string[];
  /** What this executable can honour. */
  registries: ShapeRegistries;
  variables: Variables;
  /** What is wrong with an agent that its schema accepts: what can't be built. */
  agentProblems: (manifest: AgentManifest) => Problem[];
  /** `provider/model` of agents that name none. */
  defaultModel?: string | undefined;
  /** The same of a pipeline; absent: none is built. */
  pipelineProblems?: (manifest: RagPipelineManifest) => Problem[];
}

type Kinds = ReturnType<typeof kindsOf>;

function kindsOf({ agent, ragPipeline, providerTypes }: ShapeRegistries) {
  return {
    agent: agentKind(agent),
    "rag-pipeline": ragPipelineKind(ragPipeline),
    providers: providersFileKind(providerTypes),
    prices: pricesFileKind,
    runtime: runtimeFileKind,
    channels: channelsFileKind,
    connections: connectionsFileKind,
    "rag-eval": ragEvalFileKind,
  };
}

/** `validateFiles` for an installation; no paths: the files of its workspace. Agents are built as the start builds them. */
export async function validateWorkspace(
  flags: ConfigFlags,
  paths: readonly string[],
): Promise<ValidatedFile[]> {
  const { workspace, variable } = workspaceOf(flags);
  const config = loadable(flags);
  const trial = config === undefined ? undefined : await openAgentTrial(config);
  const agent = config === undefined ? builtRegistries() : registriesOf(config);
  return validateFiles({
    workspace,
    paths,
    registries: { agent, ragPipeline: ragRegistries, providerTypes: providerNames() },
    variables: variable,
    agentProblems: trial?.problems ?? missingFeatures,
    defaultModel: trial?.defaultModel,
    ...(config !== undefined && { pipelineProblems: await pipelineBuildingProblems(config) }),
  });
}

/** Undefined when runtime.yaml or providers.yaml is broken: that is one of the findings, and the other files are checked without. */
function loadable(flags: ConfigFlags): Config | undefined {
  try {
    return loadConfig(flags);
  } catch (thrown) {
    if (thrown instanceof AppError) return undefined;
    throw thrown;
  }
}

/** Checks files as the start would, and agents against those they would be loaded with. */
export function validateFiles(validation: Validation): ValidatedFile[] {
  const { workspace, paths } = validation;
  const files = paths.length === 0 ? workspaceFiles(workspace) : namedFiles(paths);
  if (files.length === 0) {
    throw new AppError("invalid", "nothing_to_validate", "There is no file to validate.", {
      details: { hint: `\`argosy init\` makes a workspace; ${workspace} is looked at now.` },
    });
  }
  const kinds = kindsOf(validation.registries);
  const agents: LoadedAgent[] = [];
  const pipelines = new Set<string>();
  const validated = files.map((path) => {
    const read = readManifest(path, kinds, validation);
    const file = placeOf(workspace, path);
    if (read.agent !== undefined) agents.push({ file, manifest: read.agent });
    if (read.pipeline !== undefined) pipelines.add(read.pipeline);
    return { ...read.outcome, file };
  });
  const neighbours = workspaceFiles(workspace).filter(
    (path) => !files.includes(path) && /^(agent|rag-pipeline)$/.test(kindOfName(path) ?? ""),
  );
  for (const path of neighbours) {
    const { agent, pipeline } = readManifest(path, kinds, validation);
    if (agent !== undefined) agents.push({ file: placeOf(workspace, path), manifest: agent });
    if (pipeline !== undefined) pipelines.add(pipeline);
  }
  const together = problemsTogether(agents, pipelines);
  return validated.map((outcome) => ({
    ...outcome,
    problems: [...outcome.problems, ...(together.get(outcome.file) ?? [])],
  }));
}

interface LoadedAgent {
  file: string;
  manifest: AgentManifest;
}

interface ReadManifest {
  outcome: Omit<ValidatedFile, "file">;
  agent?: AgentManifest;
  /** Its name. */
  pipeline?: string;
}

function readManifest(
  path: string,
  kinds: Kinds,
  { variables, agentProblems, defaultModel, pipelineProblems }: Validation,
): ReadManifest {
  const text = readText(path);
  if (typeof text !== "string") return { outcome: { variables: [], problems: [text] } };
  const kind = kindOfName(path) ?? kindInside(text);
  const used = variablesOf(text).map((name) => ({ name, isSet: variables(name) !== undefined }));
  if (kind === undefined) return { outcome: { variables: used, problems: [unknownKind] } };
  if (kind === "agent") {
    const checked = checkFile(kinds.agent, text, variables);
    const outcome = { kind, variables: used, problems: problemsIn(checked, agentProblems) };
    if (!("manifest" in checked)) return { outcome };
    const agent = checked.manifest;
    const usesDefault = agent.spec.model === undefined && defaultModel !== undefined;
    return { outcome: { ...outcome, ...(usesDefault && { default_model: defaultModel }) }, agent };
  }
  if (kind === "runtime") {
    const checked = checkFile(kinds.runtime, text, variables);
    const found = (file: RuntimeFile) => runtimeProblems(file, variables);
    return { outcome: { kind, variables: used, problems: problemsIn(checked, found) } };
  }
  if (kind === "rag-pipeline") {
    const checked = checkFile(kinds[kind], text, variables);
    const outcome = { kind, variables: used, problems: problemsIn(checked, pipelineProblems) };
    return "manifest" in checked ? { outcome, pipeline: checked.manifest.metadata.name } : { outcome };
  }
  // Which of the remaining kinds it is makes no difference: nobody looks into what they read.
  const other: ManifestKind<never> = kinds[kind];
  return { outcome: { kind, variables: used, problems: problemsIn(checkFile(other, text, variables)) } };
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

const unknownKind: Problem = {
  path: "",
  message:
    "is no file that Argosy knows by its name (*.agent.yaml, *.rag.yaml, *.rag-eval.yaml, runtime.yaml …) or by `kind: Agent` or `kind: RAGPipeline` in it",
};

function kindInside(text: string): ManifestKindName | undefined {
  const reading = readYaml(text);
  if (!("value" in reading) || typeof reading.value !== "object" || reading.value === null) return undefined;
  const { kind } = reading.value as { kind?: unknown };
  return kind === "Agent" ? "agent" : kind === "RAGPipeline" ? "rag-pipeline" : undefined;
}

function problemsIn<T>(checked: Checked<T>, further: (manifest: T) => Problem[] = () => []): Problem[] {
  return "problems" in checked ? checked.problems : further(checked.manifest).map(checked.place);
}

/**
 * What is wrong with agents only because of others, by file: names taken twice, chains and agent tools that lead nowhere, and
 * knowledge of a pipeline that there is not.
 */
function problemsTogether(
  agents: readonly LoadedAgent[],
  pipelines: ReadonlySet<string>,
): Map<string, Problem[]> {
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
  const found = checkReferences(
    agents.map(({ manifest }) => manifest),
    (name) => pipelines.has(name),
  );
  for (const { agent, problem } of found) {
    const file = fileByName.get(agent);
    if (file !== undefined) add(file, problem);
  }
  return problems;
}

function placeOf(workspace: string, path: string): string {
  const inside = relative(workspace, path);
  return inside.startsWith("..") ? path : inside;
}
