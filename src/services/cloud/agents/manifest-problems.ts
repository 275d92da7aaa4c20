import type { WizardConfig } from "../../../contracts/cloud/agents.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { Problem } from "../../../kit/app-error.ts";
import { orgRuntimeFailed } from "./registrations.ts";
import { type Compilable, compileManifest, configProblem } from "./wizard/compile-manifest.ts";

type Checks = Pick<RuntimeClient, "check">;

/** One section of a manifest with a model that always works, so that only the section can be wrong with it. */
interface Part {
  spec: object;
  /** Place of the section's faults in the whole manifest. */
  pathOf: (path: string) => string;
}

const standIn = { primary: { provider: "rehearsal", model: "rehearsal" } };
const samePath = (path: string) => path;

/**
 * Returns every fault that the runtime finds in a config, by the config's keys. The runtime stops at the first stage that fails, so the
 * sections of a faulty manifest are checked one by one as well.
 */
export async function manifestProblems(
  runtime: Checks,
  orgId: string,
  agent: Compilable,
): Promise<Problem[]> {
  const manifest = compileManifest(agent);
  const sections = manifest.spec as Record<string, unknown>;
  const { model = standIn, ...others } = sections;
  const whole = await partProblems(runtime, orgId, { spec: { model, ...others }, pathOf: samePath });
  if (whole.length === 0) return [];
  const { guardrails, ...plain } = others;
  const parts = [
    { spec: { model }, pathOf: samePath },
    ...Object.entries(plain).map(([name, section]) => ({
      spec: { model: standIn, [name]: section },
      pathOf: samePath,
    })),
    ...guardrailParts(guardrails as Chains),
  ];
  return firstOfEach([...whole, ...(await problemsOfParts(runtime, orgId, parts))]);
}

/** Returns the faults of values that only the runtime can judge: the prompt's template and guardrails with options. */
export async function writtenProblems(runtime: Checks, orgId: string, config: WizardConfig) {
  const written = {
    ...(config.step2?.system_prompt === undefined
      ? {}
      : { step2: { system_prompt: config.step2.system_prompt } }),
    step5: {
      input_guardrails: config.step5?.input_guardrails ?? [],
      output_guardrails: config.step5?.output_guardrails ?? [],
    },
  };
  const { prompts, guardrails } = compileManifest({
    name: "draft",
    displayName: "Draft",
    config: written,
  }).spec as { prompts?: object; guardrails: Chains };
  const parts = [
    ...(prompts === undefined ? [] : [{ spec: { model: standIn, prompts }, pathOf: samePath }]),
    // A guardrail that needs options and has none may be completed until the deployment.
    ...guardrailParts(guardrails, (entry) => Object.keys(entry).length > 1),
  ];
  return firstOfEach(await problemsOfParts(runtime, orgId, parts));
}

interface Chains {
  input: readonly object[];
  output: readonly object[];
}

const guardrailParts = (chains: Chains, isWanted: (entry: object) => boolean = () => true): Part[] =>
  (["input", "output"] as const).flatMap((stage) =>
    chains[stage].flatMap((entry, index) =>
      isWanted(entry)
        ? [
            {
              spec: { model: standIn, guardrails: { [stage]: [entry] } },
              pathOf: (path: string) =>
                path.replace(`spec.guardrails.${stage}[0]`, `spec.guardrails.${stage}[${index}]`),
            },
          ]
        : [],
    ),
  );

const problemsOfParts = async (runtime: Checks, orgId: string, parts: readonly Part[]): Promise<Problem[]> =>
  (await Promise.all(parts.map((part) => partProblems(runtime, orgId, part)))).flat();

async function partProblems(runtime: Checks, orgId: string, { spec, pathOf }: Part): Promise<Problem[]> {
  const manifest = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "draft" }, spec };
  const problems = await runtime.check(orgId, manifest, "own").catch((thrown: unknown) => {
    throw orgRuntimeFailed(thrown);
  });
  return problems.map(({ path, message }) => configProblem({ path: pathOf(path), message }));
}

/** The first problem of each place. */
export function firstOfEach(problems: readonly Problem[]): Problem[] {
  const paths = new Set<string>();
  return problems.filter(({ path }) => !paths.has(path) && paths.add(path));
}
