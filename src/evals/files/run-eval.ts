import { version } from "../../../package.json";
import type {
  CaseResult,
  EvalEnding,
  EvalRunChoices,
  EvalRunEnd,
  EvalRunHead,
  RunTarget,
} from "../../contracts/evals/eval-run.ts";
import { type RegistrySettings, registriesOf } from "../../engine/agents/manifest-registries.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/id.ts";
import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { parseFile } from "../../manifest/schema/manifest-kind.ts";
import type { LoadedEval } from "../dataset/load-eval.ts";
import { summarize } from "../report/summarize.ts";
import {
  type Attempt,
  attemptKey,
  contentDigest,
  type EvalTarget,
  planAttempts,
} from "../running/plan-attempts.ts";
import { type AttemptPorts, runAttempts } from "../running/run-attempts.ts";
import { askAgent } from "./ask-agent.ts";
import { CaseCassettes } from "./case-cassettes.ts";
import { daemonCheckPorts } from "./check-ports.ts";
import { FileRuns } from "./file-runs.ts";
import { type EvalChoices, type EvalClient, knownPrices, planEval } from "./plan-eval.ts";

/** Settings of the workspace whose agents an eval asks. */
export interface EvalSettings extends RegistrySettings {
  /** Variables that manifests may name. */
  variable: (name: string) => string | undefined;
}

export interface EvalRunOptions {
  client: EvalClient;
  config: EvalSettings;
  store: FileRuns;
  choices: EvalChoices;
  /** Starts the process that renders templates in replays. */
  templateCommand: string[];
  random: () => number;
  signal: AbortSignal;
  /** Called before the run is stored or resumed. */
  onPlanned(head: EvalRunHead, earlier: readonly CaseResult[]): void;
  /** Called once it is. */
  onStart(): void;
  onResult(result: CaseResult): void;
}

/** Runs an eval, or what is left of an earlier run of it, and stores each result at once. Throws what ended it. */
export async function runEval(path: string, loaded: LoadedEval, options: EvalRunOptions): Promise<void> {
  const { client, config, store, choices, templateCommand, random, signal } = options;
  const { spec } = loaded;
  const plan = await planEval(loaded, client, choices);
  const { agent, targets, repeat, cases, budgetUsd, fingerprint } = plan;
  const planned: EvalRunHead = {
    id: FileRuns.newId(loaded.name, systemClock.now(), random),
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
  const ask = await asker(path, agent, { client, config, choices, templateCommand, spec, fingerprint });
  const { head, earlier } = await resumedRun(store, planned, choices.resume);
  options.onPlanned(
    head,
    earlier.map(({ result }) => result),
  );
  await (choices.resume === undefined ? store.begin(head) : store.reopen(head));
  options.onStart();
  const attempts = planAttempts(cases, targets, repeat);
  const numberOf = numbersOf(attempts, earlier);
  const results = earlier.map(({ result }) => result);
  const end = (status: EvalRunEnd["status"], ending: EvalEnding, thrown?: AppError) =>
    store.end(head.id, {
      status,
      ended_at: systemClock.now().toISOString(),
      summary: summarize(head, results, ending),
      simulated: results.some(({ simulated }) => simulated === true),
      ...(thrown && { error: { error: thrown.code, message: thrown.message } }),
    });
  try {
    const { ending } = await runAttempts(
      attempts,
      {
        ask,
        checks: daemonCheckPorts(client),
        async keep(result) {
          await store.keep(head.id, numberOf(result), result);
          results.push(result);
        },
        onResult: options.onResult,
      },
      {
        concurrency: choices.concurrency ?? spec.concurrency,
        budget: inDollars(budgetUsd),
        textCharsMax,
        earlier: [...results],
        signal,
      },
    );
    await end(statusOf(ending, signal), ending);
  } catch (thrown) {
    // Without a database the run has no end: it counts as interrupted, and the caller learns the first error.
    await end(
      signal.aborted ? statusOf("interrupted", signal) : "failed",
      "interrupted",
      toAppError(thrown),
    ).catch(() => undefined);
    throw thrown;
  }
}

/** Numbers of results by the plan. Those that an earlier release stored have numbers by their end, and keep them. */
function numbersOf(
  attempts: readonly Attempt[],
  earlier: readonly { number: number; result: CaseResult }[],
): (result: CaseResult) => number {
  const places = new Map(
    attempts.map(({ case: { id }, target: { name }, repeat }, index) => [
      attemptKey({ case: id, target: name, repeat }),
      index + 1,
    ]),
  );
  const isPlanned = earlier.every(({ number, result }) => places.get(attemptKey(result)) === number);
  return (result) => (places.get(attemptKey(result)) ?? 0) + (isPlanned ? 0 : attempts.length);
}

/** Longest text of a result in a file, as long as the longest fixed answer. */
const textCharsMax = 65_536;

/** Code of the signal's reason if a person cancelled the run. */
export const cancelledCode = "eval_run_cancelled";

function statusOf(ending: EvalEnding, signal: AbortSignal): EvalRunEnd["status"] {
  const isCancelled = signal.reason instanceof AppError && signal.reason.code === cancelledCode;
  return ending === "interrupted" && isCancelled ? "cancelled" : ending;
}

/** The target as it was ordered, without the checksum that the plan adds. */
function orderedTarget({ name, agent, model, prompt, temperature }: EvalTarget): RunTarget {
  return {
    name,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(prompt !== undefined && { prompt }),
    ...(temperature !== undefined && { temperature }),
  };
}

function keptChoices({
  agent,
  models,
  variants,
  targets,
  judgeModel,
  tags,
  repeat,
  concurrency,
}: EvalChoices): EvalRunChoices {
  return {
    ...(agent !== undefined && { agent }),
    ...(models !== undefined && { models: [...models] }),
    ...(variants !== undefined && { variants: variants.map((variant) => ({ ...variant })) }),
    ...(targets !== undefined && { targets: targets.map(orderedTarget) }),
    ...(judgeModel !== undefined && { judge: judgeModel }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(repeat !== undefined && { repeat }),
    ...(concurrency !== undefined && { concurrency }),
  };
}

async function resumedRun(
  store: FileRuns,
  planned: EvalRunHead,
  resume: string | undefined,
): Promise<{ head: EvalRunHead; earlier: { number: number; result: CaseResult }[] }> {
  if (resume === undefined) return { head: planned, earlier: [] };
  const { subject: head, status } = await store.get(resume);
  if (head.digest !== planned.digest || head.mode !== planned.mode) {
    throw new AppError(
      "conflict",
      "eval_changed",
      `The run ${head.id} can't be resumed: its cases, checks, targets or agent have changed since it began.`,
      { details: { hint: "Start a new run without --resume." } },
    );
  }
  if (status === "complete")
    throw new AppError("conflict", "eval_run_ended", `The run ${head.id} is complete.`);
  const { budget_usd: _, ...rest } = head;
  const { budget_usd: budget } = planned;
  return {
    head: { ...rest, ...(budget !== undefined && { budget_usd: budget }) },
    earlier: await store.results(head.id),
  };
}

async function asker(
  path: string,
  agent: string,
  {
    client,
    config,
    choices,
    templateCommand,
    spec,
    fingerprint,
  }: Pick<EvalRunOptions, "client" | "config" | "choices" | "templateCommand"> &
    Pick<LoadedEval, "spec"> & { fingerprint: string | undefined },
): Promise<AttemptPorts["ask"]> {
  const { others } = spec.tools;
  const cassettes = new CaseCassettes(path);
  if (choices.mode === "replay") {
    const manifests = manifestsOf(client, config);
    // A manifest that can't be read is refused before the run is stored.
    await manifests(agent);
    return (attempt, signal) => cassettes.replay(attempt, { manifests, others, templateCommand, signal });
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
function manifestsOf(client: Pick<EvalClient, "getManifest">, config: EvalSettings) {
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

const inDollars = (limit: number | undefined) =>
  limit === undefined ? undefined : { limit, costOf: ({ cost_usd: cost }: CaseResult) => cost };
