import { version } from "../../../package.json";
import type {
  CaseResult,
  EvalEnding,
  EvalRun,
  EvalRunChoices,
  EvalRunEnd,
  EvalRunHead,
} from "../../contracts/evals/eval-run.ts";
import { type RegistrySettings, registriesOf } from "../../engine/agents/manifest-registries.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/id.ts";
import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { parseFile } from "../../manifest/schema/manifest-kind.ts";
import type { LoadedEval } from "../dataset/load-eval.ts";
import { summarize } from "../report/summarize.ts";
import { contentDigest, planAttempts } from "../running/plan-attempts.ts";
import { type AttemptPorts, runAttempts } from "../running/run-attempts.ts";
import { RunStore } from "../running/run-store.ts";
import { askAgent } from "./ask-agent.ts";
import { CaseCassettes } from "./case-cassettes.ts";
import { daemonCheckPorts } from "./check-ports.ts";
import { type EvalChoices, type EvalClient, knownPrices, planEval } from "./plan-eval.ts";
import { evalRuns } from "./stored-runs.ts";

/** Settings of the workspace whose agents an eval asks. */
export interface EvalSettings extends RegistrySettings {
  dataFolder: string;
  /** Variables that manifests may name. */
  variable: (name: string) => string | undefined;
}

export interface EvalRunOptions {
  client: EvalClient;
  config: EvalSettings;
  choices: EvalChoices;
  /** Starts the process that renders templates in replays. */
  templateCommand: string[];
  random: () => number;
  signal: AbortSignal;
  onStart?: (head: EvalRunHead, finished: number) => void;
  onResult?: (result: CaseResult, done: number, total: number) => void;
}

/** Runs an eval, or what is left of an earlier run of it, and stores each result at once. */
export async function runEval(
  path: string,
  loaded: LoadedEval,
  { client, config, choices, templateCommand, random, signal, onStart, onResult }: EvalRunOptions,
): Promise<EvalRun> {
  const { spec } = loaded;
  const plan = await planEval(loaded, client, choices);
  const { agent, targets, repeat, cases, budgetUsd, fingerprint } = plan;
  const store = evalRuns(config);
  const planned: EvalRunHead = {
    id: RunStore.newId(loaded.name, systemClock.now(), random),
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
