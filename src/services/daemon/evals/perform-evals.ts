import type { DaemonClient } from "../../../contracts/daemon/client.ts";
import type { EvalRunOrder, EvalTargetOrder } from "../../../contracts/daemon/evals/eval-runs.ts";
import type { LoadedEval } from "../../../evals/dataset/load-eval.ts";
import type { EvalChoices, EvalClient } from "../../../evals/files/plan-eval.ts";
import type { EvalRunOptions } from "../../../evals/files/run-eval.ts";
import { chosenTargets, type EvalTarget, ownTarget } from "../../../evals/running/plan-attempts.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { EvalPerformer } from "./eval-runs.ts";
import { type PinnedRuns, type PinnedRunsDeps, pinAgents } from "./pinned-runs.ts";

/** Budget of a run that names none, in US dollars, if the prices of all its models are known. */
const budgetDefault = 5;

export interface EvalPerformerPorts
  extends Pick<EvalRunOptions, "config" | "store" | "templateCommand" | "random"> {
  /** This daemon, for what a run needs besides the pinned agents. */
  client: DaemonClient;
  runs: PinnedRunsDeps;
}

/** Performs evals of the workspace's files with this daemon's agents. The code that runs them is loaded by the first run. */
export function createEvalPerformer({ client, runs, ...environment }: EvalPerformerPorts): EvalPerformer {
  return {
    async plan(file, order, sender) {
      const { planEval } = await import("../../../evals/files/plan-eval.ts");
      const { readEval } = await import("../../../evals/files/read-eval-file.ts");
      const pinned = pinAgents(runs, sender);
      const choices = choicesOf(order);
      const loaded = await readEval(file.path, file.file, choices);
      await requireRunnable(pinned, loaded, choices);
      const plan = await planEval(loaded, pinned, choices);
      const budget = await budgetOf(loaded, { ...client, ...pinned }, choices, order);
      const { agent, cases, targets, repeat } = plan;
      const unanswered = cases.filter(({ answer }) => answer === undefined);
      const times = targets.length * repeat;
      return {
        agent,
        cases: cases.length,
        targets: targets.map(({ name }) => name),
        repeat,
        runs: cases.length * times,
        agent_calls: unanswered.reduce((sum, { turns }) => sum + turns.length, 0) * times,
        judge_calls: judgeCalls(loaded, new Set(cases.map(({ id }) => id))) * times,
        ...(budget !== undefined && { budget_usd: budget }),
      };
    },
    async perform(file, order, { sender, resume, ...watching }) {
      const { readEval } = await import("../../../evals/files/read-eval-file.ts");
      const { runEval } = await import("../../../evals/files/run-eval.ts");
      const pinned = pinAgents(runs, sender);
      const choices = choicesOf(order);
      const loaded = await readEval(file.path, file.file, choices);
      await requireRunnable(pinned, loaded, choices);
      const used: EvalClient = { ...client, ...pinned };
      const budgetUsd = await budgetOf(loaded, used, choices, order);
      await runEval(file.path, loaded, {
        ...environment,
        client: used,
        choices: { ...choices, budgetUsd, resume },
        ...watching,
      });
    },
  };
}

function choicesOf(order: EvalRunOrder): EvalChoices {
  return {
    agent: order.agent,
    models: order.models,
    variants: order.variants,
    targets: targetsIn(order),
    judgeModel: order.judge,
    tags: order.tags,
    repeat: order.repeat,
    concurrency: order.concurrency,
    budgetUsd: order.budget_usd ?? undefined,
    candidate: order.candidate,
    mode: order.mode ?? "live",
  };
}

/** Refuses an agent that is missing or paused and models that are not set up, before anything runs. */
async function requireRunnable(pinned: PinnedRuns, loaded: LoadedEval, choices: EvalChoices): Promise<void> {
  const agent = choices.agent ?? loaded.spec.agent;
  if (choices.candidate === true) {
    const { candidate, fingerprint } = await pinned.getAgent(agent);
    const version = candidate?.fingerprint ?? fingerprint;
    pinned.requireRunnable(agent, version === undefined ? undefined : { version });
    return;
  }
  for (const target of chosenTargets(loaded, choices)) {
    const { model, prompt, temperature } = target;
    const at = model?.indexOf("/") ?? -1;
    const isAsItIs = [model, prompt, temperature].every((changed) => changed === undefined);
    const override = {
      ...(model !== undefined && { provider: model.slice(0, at), model: model.slice(at + 1) }),
      ...(prompt !== undefined && { system_prompt: prompt }),
      ...(temperature !== undefined && { temperature }),
    };
    // A replay asks no model, so an agent that is paused can be replayed.
    if (choices.mode !== "replay")
      pinned.requireRunnable(target.agent ?? agent, isAsItIs ? undefined : override);
  }
}

/** The targets of an order with their names. Throws `invalid_request` if two have the same name, or the order has a matrix as well. */
function targetsIn({ targets, models, variants }: EvalRunOrder): EvalTarget[] | undefined {
  if (targets === undefined) return undefined;
  if (models !== undefined || variants !== undefined)
    throw invalidTargets("targets", "can't be combined with models and variants");
  const named = targets.map(({ name, ...target }) => ({ name: name ?? nameOf(target), ...target }));
  const twice = named.findIndex(({ name }, at) => named.findIndex((other) => other.name === name) < at);
  if (twice >= 0)
    throw invalidTargets(
      `targets.${twice}`,
      `has the name ${JSON.stringify(named[twice]?.name)} of another target`,
    );
  return named;
}

/** Names a target by what it changes. */
const nameOf = ({ agent, model, prompt, temperature }: EvalTargetOrder): string =>
  [
    agent,
    model,
    temperature === undefined ? undefined : `temperature ${temperature}`,
    prompt === undefined ? undefined : "prompt",
  ]
    .filter((part) => part !== undefined)
    .join(" + ") || ownTarget;

function invalidTargets(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}

/** Returns the budget of a run: the given one, the file's, or the default if all prices are known and something costs money. */
async function budgetOf(
  loaded: LoadedEval,
  client: Pick<EvalClient, "getAgent" | "listProviders">,
  choices: EvalChoices,
  { budget_usd: ordered }: Pick<EvalRunOrder, "budget_usd">,
): Promise<number | undefined> {
  const { spec } = loaded;
  const given = choices.budgetUsd ?? spec.budget_usd;
  if (given !== undefined || ordered === null || choices.mode === "replay") return given;
  const { knownPrices } = await import("../../../evals/files/plan-eval.ts");
  const prices = await knownPrices(client);
  const targets = chosenTargets(loaded, choices);
  const named = targets.flatMap(({ model }) => model ?? []);
  const asked = targets.flatMap(({ model, agent }) =>
    model === undefined ? [agent ?? choices.agent ?? spec.agent] : [],
  );
  const own: string[] = [];
  for (const agent of new Set(asked)) {
    const { primary, fallback } = (await client.getAgent(agent)).model;
    for (const one of [primary, fallback]) if (one) own.push(`${one.provider}/${one.model}`);
  }
  const judge = choices.judgeModel ?? spec.judge.model;
  const models = [...named, ...own, ...(judge === undefined ? [] : [judge])].map((name) => {
    const at = name.indexOf("/");
    return { provider: name.slice(0, at), model: name.slice(at + 1) };
  });
  const isKnown = models.every(({ provider, model }) => prices.isKnown(provider, model));
  const costs = models.some(({ provider }) => !prices.isFree(provider));
  return isKnown && costs ? budgetDefault : undefined;
}

/** Number of calls of judges for one pass over the cases. */
function judgeCalls({ spec, written, cases }: LoadedEval, chosen: ReadonlySet<string>): number {
  const votesOf = (checks: LoadedEval["spec"]["checks"]) =>
    checks.reduce((sum, { judge }) => sum + (judge === undefined ? 0 : (judge.votes ?? spec.judge.votes)), 0);
  return written.reduce((sum, one, index) => {
    if (!chosen.has(cases[index]?.id ?? "")) return sum;
    const turns = (one.turns ?? []).reduce((votes, { checks }) => votes + votesOf(checks), 0);
    return sum + votesOf(spec.checks) + votesOf(one.checks) + turns;
  }, 0);
}
