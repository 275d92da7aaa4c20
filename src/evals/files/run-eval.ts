import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../../package.json";
import { registriesOf } from "../../compose/daemon/registries.ts";
import type { Config } from "../../compose/settings/config.ts";
import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type {
  CaseResult,
  EvalComparison,
  EvalEnding,
  EvalRun,
  EvalRunChoices,
  EvalRunEnd,
  EvalRunHead,
} from "../../contracts/evals/eval-run.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/id.ts";
import { checksumOf } from "../../kit/json/canonical-json.ts";
import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { parseFile } from "../../manifest/schema/manifest-kind.ts";
import { compareRuns } from "../comparing/compare-runs.ts";
import { type LoadedEval, type LoadedVariant, loadEval } from "../dataset/load-eval.ts";
import { summarize } from "../report/summarize.ts";
import type { KnownPrices } from "../running/observe-run.ts";
import { contentDigest, planAttempts, planDigest, type Target, targetsOf } from "../running/plan-attempts.ts";
import { type AttemptPorts, runAttempts } from "../running/run-attempts.ts";
import { RunStore } from "../running/run-store.ts";
import { askAgent } from "./ask-agent.ts";
import { CaseCassettes } from "./case-cassettes.ts";
import { daemonCheckPorts } from "./check-ports.ts";

/** Choices of a command; absent ones are the file's. */
export interface EvalChoices {
  agent?: string | undefined;
  models?: readonly string[] | undefined;
  variants?: readonly LoadedVariant[] | undefined;
  judgeModel?: string | undefined;
  tags?: readonly string[] | undefined;
  repeat?: number | undefined;
  concurrency?: number | undefined;
  budgetUsd?: number | undefined;
  /** True to ask the newest version, even one that its release gate keeps out of service. */
  candidate?: boolean | undefined;
  mode: EvalRunHead["mode"];
  /** Id of the run to continue, or `last`. */
  resume?: string | undefined;
}

/** Calls that an eval makes. */
export type EvalClient = Pick<
  DaemonClient,
  | "run"
  | "getTrace"
  | "clearHistory"
  | "getCassetteText"
  | "deleteCassette"
  | "getAgent"
  | "getManifest"
  | "listProviders"
  | "embed"
  | "complete"
>;

export interface EvalRunOptions {
  client: EvalClient;
  config: Pick<Config, "dataFolder" | "variable" | "providers" | "runtime">;
  choices: EvalChoices;
  signal: AbortSignal;
  onStart?: (head: EvalRunHead, finished: number) => void;
  onResult?: (result: CaseResult, done: number, total: number) => void;
}

/** Largest eval file or dataset, in bytes. */
const textBytesMax = 64 * 1024 * 1024;

/** Returns the stored runs of this data folder. */
export function evalRuns({ dataFolder }: Pick<Config, "dataFolder">): RunStore {
  return new RunStore(join(dataFolder, "evals"));
}

/** Reads the eval at `path`; `shown` is the path as the user typed it. Throws as `loadEval`, and `usage` for an unreadable file. */
export function readEval(
  path: string,
  shown: string,
  { judgeModel, variants }: Pick<EvalChoices, "judgeModel" | "variants">,
): Promise<LoadedEval> {
  return loadEval(path, shown, readEvalText, { judgeModel, variants });
}

/** Everything that is known before a run. */
export interface PlannedEval {
  agent: string;
  agentChecksum: string;
  /** Checksum of the agent's newest manifest, as the agent's versions have it. */
  manifest: string;
  /** Fingerprint of the version that must answer; absent: the one in service. */
  fingerprint: string | undefined;
  cases: LoadedEval["cases"];
  targets: readonly Target[];
  repeat: number;
  budgetUsd: number | undefined;
  digest: string;
}

/** Plans a run, and refuses one that can't begin: an unknown agent or tag, or recordings of more than one target. */
export async function planEval(
  loaded: LoadedEval,
  client: Pick<EvalClient, "getAgent" | "getManifest">,
  choices: EvalChoices,
): Promise<PlannedEval> {
  const { spec } = loaded;
  const agent = choices.agent ?? spec.agent;
  const repeat = choices.repeat ?? spec.repeat;
  const isCandidate = choices.candidate === true;
  const targets = isCandidate
    ? targetsOf([], [])
    : targetsOf(choices.models ?? spec.models, choices.variants ?? loaded.variants);
  requireOneTarget(choices.mode, targets, repeat);
  const cases = casesWith(loaded, choices.tags);
  const { checksum: agentChecksum, manifest, fingerprint } = await askedVersion(client, agent, isCandidate);
  const ids = cases.map(({ id }) => id);
  const digest = planDigest(loaded, { targets, repeat, agent, agentChecksum, cases: ids });
  const budgetUsd = choices.budgetUsd ?? spec.budget_usd;
  return { agent, agentChecksum, manifest, fingerprint, cases, targets, repeat, budgetUsd, digest };
}

/** Runs an eval, or what is left of an earlier run of it, and stores each result at once. */
export async function runEval(
  path: string,
  loaded: LoadedEval,
  { client, config, choices, signal, onStart, onResult }: EvalRunOptions,
): Promise<EvalRun> {
  const { spec } = loaded;
  const plan = await planEval(loaded, client, choices);
  const { agent, targets, repeat, cases, budgetUsd, fingerprint } = plan;
  const store = evalRuns(config);
  const planned: EvalRunHead = {
    id: RunStore.newId(loaded.name, systemClock.now(), Math.random),
    eval: loaded.name,
    file: loaded.file,
    agent,
    agent_checksum: plan.agentChecksum,
    agent_manifest: plan.manifest,
    ...(fingerprint !== undefined && { agent_fingerprint: fingerprint }),
    ...(cases.length === loaded.cases.length && { content: contentDigest(loaded, choices.judgeModel) }),
    argosy: version,
    started_at: systemClock.now().toISOString(),
    mode: choices.mode,
    digest: plan.digest,
    targets: targets.map(({ name }) => name),
    cases: cases.length,
    repeat,
    ...(budgetUsd !== undefined && { budget_usd: budgetUsd }),
    choices: keptChoices(choices),
  };
  const ask = await asker(path, agent, { client, config, choices, spec, fingerprint });
  const { head, earlier } = openRun(store, planned, choices.resume);
  const writer = store.append(head.id);
  const results = [...earlier];
  const end = (status: EvalRunEnd["status"], ending: EvalEnding, thrown?: AppError) =>
    store.end(head.id, {
      status,
      ended_at: systemClock.now().toISOString(),
      summary: summarize(head, results, ending),
      simulated: results.some(({ simulated }) => simulated === true),
      ...(thrown && { error: { error: thrown.code, message: thrown.message } }),
    });
  try {
    onStart?.(head, earlier.length);
    const run = await runAttempts(
      planAttempts(cases, targets, repeat),
      {
        ask,
        checks: daemonCheckPorts(client),
        keep(result) {
          writer.keep(result);
          results.push(result);
        },
        ...(onResult && { onResult }),
      },
      {
        concurrency: choices.concurrency ?? spec.concurrency,
        budget: inDollars(budgetUsd),
        textCharsMax,
        earlier,
        signal,
      },
    );
    end(statusOf(run.ending, signal), run.ending);
    return { run: head, summary: summarize(head, run.results, run.ending), results: run.results };
  } catch (thrown) {
    const error = toAppError(thrown);
    try {
      end(signal.aborted ? statusOf("interrupted", signal) : "failed", "interrupted", error);
    } catch {
      // The disk is full: without an end, the run counts as interrupted, and the caller learns the first error.
    }
    throw thrown;
  } finally {
    writer.close();
  }
}

/** Longest text of a result in a file, as long as the longest fixed answer. */
const textCharsMax = 65_536;

/** Code of the signal's reason if a person cancelled the run. */
export const cancelledCode = "eval_run_cancelled";

function statusOf(ending: EvalEnding, signal: AbortSignal): EvalRunEnd["status"] {
  const isCancelled = signal.reason instanceof AppError && signal.reason.code === cancelledCode;
  return ending === "interrupted" && isCancelled ? "cancelled" : ending;
}

function keptChoices({
  agent,
  models,
  variants,
  judgeModel,
  tags,
  repeat,
  concurrency,
}: EvalChoices): EvalRunChoices {
  return {
    ...(agent !== undefined && { agent }),
    ...(models !== undefined && { models: [...models] }),
    ...(variants !== undefined && { variants: variants.map((variant) => ({ ...variant })) }),
    ...(judgeModel !== undefined && { judge: judgeModel }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(repeat !== undefined && { repeat }),
    ...(concurrency !== undefined && { concurrency }),
  };
}

/** Compares two runs case by case. */
export function compareEvals(before: EvalRun, after: EvalRun): EvalComparison {
  const side = ({ run, results }: EvalRun) => ({ head: run, results });
  return compareRuns(side(before), side(after));
}

/** Returns a stored run with its figures. */
export function readRun(store: RunStore, id: string, of?: string): EvalRun {
  const { head, results } = store.get(id, of);
  const planned = head.targets.length * head.cases * head.repeat;
  const kept = store.findEnd(head.id)?.summary.ending;
  const ending = kept ?? (results.length === planned ? "complete" : "interrupted");
  return { run: head, summary: summarize(head, results, ending), results };
}

function openRun(
  store: RunStore,
  planned: EvalRunHead,
  resume: string | undefined,
): { head: EvalRunHead; earlier: CaseResult[] } {
  if (resume === undefined) {
    store.begin(planned);
    return { head: planned, earlier: [] };
  }
  const { head } = store.get(resume, planned.eval);
  if (head.digest !== planned.digest || head.mode !== planned.mode) {
    throw new AppError(
      "conflict",
      "eval_changed",
      `The run ${head.id} can't be resumed: its cases, checks, targets or agent have changed since it began.`,
      { details: { hint: "Start a new run without --resume." } },
    );
  }
  const { budget_usd: _, ...rest } = head;
  const { budget_usd: budget } = planned;
  return {
    head: { ...rest, ...(budget !== undefined && { budget_usd: budget }) },
    earlier: store.results(head.id),
  };
}

function casesWith({ cases, file }: LoadedEval, tags: readonly string[] | undefined): LoadedEval["cases"] {
  if (tags === undefined) return cases;
  const chosen = cases.filter((one) => tags.some((tag) => one.tags.includes(tag)));
  if (chosen.length > 0) return chosen;
  throw new AppError("invalid", "usage", `No case of ${file} has the tag ${tags.join(" or ")}.`);
}

function requireOneTarget(mode: EvalRunHead["mode"], targets: readonly Target[], repeat: number): void {
  const [only] = targets;
  const isOwn = targets.length === 1 && only?.model === undefined && only?.prompt === undefined;
  if (mode === "live" || (isOwn && repeat === 1)) return;
  throw new AppError(
    "invalid",
    "usage",
    `--${mode} keeps one recording for each case, so it can't be used with several models, variants or repetitions.`,
    { details: { hint: `Leave out --model, --variant and --repeat, or --${mode}.` } },
  );
}

async function asker(
  path: string,
  agent: string,
  {
    client,
    config,
    choices,
    spec,
    fingerprint,
  }: Pick<EvalRunOptions, "client" | "config" | "choices"> &
    Pick<LoadedEval, "spec"> & { fingerprint: string | undefined },
): Promise<AttemptPorts["ask"]> {
  const { others } = spec.tools;
  const cassettes = new CaseCassettes(path);
  if (choices.mode === "replay") {
    const manifests = manifestsOf(client, config);
    // A manifest that can't be read is refused before the run is stored.
    await manifests(agent);
    return (attempt, signal) => cassettes.replay(attempt, { manifests, others, signal });
  }
  const prices = await knownPrices(client);
  const keepRecording: Parameters<typeof askAgent>[0]["keepRecording"] =
    choices.mode === "record" ? (attempt, turn, text) => cassettes.keep(attempt, turn, text) : undefined;
  return (attempt, signal) =>
    askAgent({ client, agent, others, prices, newId, keepRecording, version: fingerprint }, attempt, signal);
}

/**
 * The manifests of the loaded agents, each read once; undefined for an agent that is gone. Any provider is accepted: the daemon has checked
 * its name, also against the providers that are stored there, and a replay calls none.
 */
function manifestsOf(
  client: Pick<EvalClient, "getManifest">,
  config: Pick<Config, "variable" | "providers" | "runtime">,
) {
  const { providers: _, ...registries } = registriesOf(config);
  const kind = agentKind(registries);
  const readManifest = async (name: string): Promise<Record<string, unknown> | undefined> => {
    let text: string;
    try {
      text = await client.getManifest(name);
    } catch (thrown) {
      if (toAppError(thrown).code === "agent_not_found") return undefined;
      throw thrown;
    }
    return { ...parseFile(kind, text, name, config.variable) };
  };
  const read = new Map<string, Promise<Record<string, unknown> | undefined>>();
  return (name: string) => {
    const manifest = read.get(name) ?? readManifest(name);
    read.set(name, manifest);
    return manifest;
  };
}

export async function knownPrices(client: Pick<EvalClient, "listProviders">): Promise<KnownPrices> {
  const { providers } = await client.listProviders();
  const free = new Set(providers.filter(({ local }) => local).map(({ name }) => name));
  const priced = new Set(
    providers.flatMap(({ name, models }) =>
      models.flatMap(({ model, price }) => (price === undefined ? [] : [`${name}/${model}`])),
    ),
  );
  const isFree = (provider: string) => free.has(provider);
  return { isFree, isKnown: (provider, model) => isFree(provider) || priced.has(`${provider}/${model}`) };
}

/** Returns the version to ask: the one in service, or the newest one with its fingerprint, so that no other version can answer. */
async function askedVersion(
  client: Pick<EvalClient, "getAgent" | "getManifest">,
  agent: string,
  wantsCandidate: boolean,
): Promise<{ checksum: string; manifest: string; fingerprint?: string | undefined }> {
  const { status, error, candidate, fingerprint } = await client.getAgent(agent);
  const newest = wantsCandidate ? (candidate?.fingerprint ?? fingerprint) : undefined;
  if (newest !== undefined) {
    const manifest = checksumOf(await client.getManifest(agent));
    return { checksum: newest, manifest, fingerprint: newest };
  }
  if (status === "failed") {
    throw new AppError(
      "unprocessable",
      "agent_not_ready",
      `The agent ${agent} can't run: ${error ?? "its manifest is not valid"}.`,
    );
  }
  const text = await client.getManifest(agent);
  return {
    checksum: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
    manifest: checksumOf(text),
  };
}

/** Reads an eval file, dataset or prompt as text. */
export async function readEvalText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    const code = (thrown as { code?: unknown }).code;
    throw unreadable(path, code === "ENOENT" ? "does not exist" : `can't be read (${String(code)})`);
  }
  if (bytes.length > textBytesMax) throw unreadable(path, `has more than ${textBytesMax / 1024 / 1024} MiB`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(path, "is not valid UTF-8");
  }
}

function unreadable(path: string, reason: string): AppError {
  return new AppError("invalid", "usage", `${path} ${reason}.`);
}

const inDollars = (limit: number | undefined) =>
  limit === undefined ? undefined : { limit, costOf: ({ cost_usd: cost }: CaseResult) => cost };
