import { checksumOf } from "../../kit/json/canonical-json.ts";
import type { LoadedCase } from "../dataset/compile-cases.ts";
import type { LoadedEval } from "../dataset/load-eval.ts";

/** Target of the questions: the agent as it is, or with another model or prompt, or another agent. */
export interface EvalTarget {
  name: string;
  model?: string | undefined;
  prompt?: string | undefined;
  temperature?: number | undefined;
  /** Absent: the agent of the run. */
  agent?: string | undefined;
  /** SHA-256 of the manifest of `agent`. */
  checksum?: string | undefined;
}

/** Returns true for the agent of the run as it is. */
export const isOwnTarget = ({ model, prompt, temperature, agent }: EvalTarget): boolean =>
  [model, prompt, temperature, agent].every((changed) => changed === undefined);

/** One run of one case. */
export interface Attempt {
  case: LoadedCase;
  target: EvalTarget;
  /** From 1. */
  repeat: number;
}

/** Name of the target without another model or prompt. */
export const ownTarget = "agent";

/** The matrix of an eval: every model with the agent's own prompt and with every variant. */
export function targetsOf(models: readonly string[], variants: LoadedEval["variants"]): EvalTarget[] {
  const modelsOrOwn = models.length === 0 ? [undefined] : models;
  const promptsOrOwn = [undefined, ...variants];
  return modelsOrOwn.flatMap((model) =>
    promptsOrOwn.map((variant) => ({
      name: [model, variant?.name].filter((part) => part !== undefined).join(" + ") || ownTarget,
      model,
      prompt: variant?.prompt,
    })),
  );
}

/** The targets of a run: those that are listed, or every model with every prompt. */
export const chosenTargets = (
  { spec, variants }: Pick<LoadedEval, "spec" | "variants">,
  choices: {
    targets?: readonly EvalTarget[] | undefined;
    models?: readonly string[] | undefined;
    variants?: LoadedEval["variants"] | undefined;
  },
): readonly EvalTarget[] =>
  choices.targets ?? targetsOf(choices.models ?? spec.models, choices.variants ?? variants);

/** All attempts: every case with every target before the first repetition, so that a run that stops early has seen each case. */
export function planAttempts(
  cases: readonly LoadedCase[],
  targets: readonly EvalTarget[],
  repeats: number,
): Attempt[] {
  const attempts: Attempt[] = [];
  for (let repeat = 1; repeat <= repeats; repeat++)
    for (const one of cases) for (const target of targets) attempts.push({ case: one, target, repeat });
  return attempts;
}

/** Identity of an attempt among the results of a run. */
export function attemptKey(of: { case: string; target: string; repeat: number }): string {
  return JSON.stringify([of.case, of.target, of.repeat]);
}

/** SHA-256 of an eval's questions and checks, whoever is asked. */
export function contentDigest(
  loaded: Pick<LoadedEval, "spec" | "written">,
  judgeModel?: string | undefined,
): string {
  const { checks, tools, embedder, judge } = loaded.spec;
  const model = judgeModel ?? judge.model;
  return checksumOf({ checks, tools, embedder, judge: { ...judge, model }, written: loaded.written });
}

/** SHA-256 of everything that decides results, except for models and tools themselves. */
export function planDigest(
  loaded: Pick<LoadedEval, "spec" | "written">,
  plan: {
    targets: readonly EvalTarget[];
    repeat: number;
    agent: string;
    agentChecksum: string;
    cases: readonly string[];
  },
): string {
  const { checks, tools, embedder, judge } = loaded.spec;
  return checksumOf({ checks, tools, embedder, judge, written: loaded.written, ...plan });
}
