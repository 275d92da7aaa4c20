import type { DoctorCheck, DoctorFinding } from "../../../contracts/daemon/system.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import type { Model } from "../../../engine/models/model.ts";
import type { ResolveOptions } from "../../../engine/models/model-sources.ts";
import { findProviderKind } from "../../../engine/models/providers/registry.ts";
import { resolveModel } from "../../../engine/models/resolve-model.ts";
import { fixOfTrust } from "../../../engine/tools/workspace-programs.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { redactText } from "../../../kit/secrets/redact-text.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";

export interface CheckedProviders {
  catalog: AgentCatalog;
  models: ResolveOptions;
  breakers: Breakers;
  clock: Clock;
  probeMs: number;
}

type Fault = Required<DoctorFinding>;

/**
 * The doctor's check of providers: probes every provider that an agent calls, that providers.yaml contains or that the environment names,
 * once per server and key.
 */
export async function checkProviders(checked: CheckedProviders): Promise<Omit<DoctorCheck, "name">> {
  const { breakers, clock, probeMs } = checked;
  const { models, faults: unusable } = declaredModels(checked);
  const count = models.length + unusable.length;
  if (count === 0)
    return { status: "healthy", message: "No provider is configured, and no loaded agent calls one." };
  const patience = startDeadline(clock, probeMs, () => noAnswer(probeMs));
  const probed = await Promise.all(models.map((model) => probeFault(model, breakers, patience.signal)));
  patience.dispose();
  const faults = [...unusable, ...probed.filter((fault) => fault !== undefined)];
  if (faults.length === 0) return { status: "healthy", message: `${count} of ${count} providers respond.` };
  return {
    status: faults.length === count ? "failing" : "degraded",
    message: faults.map(({ message }) => message).join(" "),
    mend: faults.map(({ mend }) => mend).join("; "),
    findings: faults,
  };
}

/** Returns one model for each server and key. A configured entry that no agent uses is resolved like an agent's. */
function declaredModels({ catalog, models: options }: CheckedProviders): {
  models: Model[];
  faults: Fault[];
} {
  const models = new Map<string, Model>();
  const faults: Fault[] = [];
  const add = (model: Model) =>
    models.set(JSON.stringify([model.provider, model.endpoint, model.account]), model);
  for (const { agent } of catalog.list()) for (const model of agent?.candidates ?? []) add(model);
  if (options.rehearse === true) return { models: [...models.values()], faults };
  const used = new Set([...models.values()].map(({ provider }) => provider));
  for (const { name, model, where } of configured(options)) {
    if (used.has(name)) continue;
    const block = { provider: name, model, timeout_seconds: 120, parameters: {} };
    const resolved = resolveModel(block, where, options);
    if (resolved.model) add(resolved.model);
    const [problem] = resolved.problems;
    if (problem) {
      faults.push({
        subject: name,
        message: `${name} can't be called: ${problem.path} ${problem.message}.`,
        mend: fixOfTrust(problem.message) ?? `correct ${where}`,
      });
    }
  }
  return { models: [...models.values()], faults };
}

/** Providers of the file and of the environment, each with a model name for a probe, which calls no model. */
function configured({ sources }: ResolveOptions): { name: string; model: string; where: string }[] {
  const { file, local, hosted } = sources;
  const entries = Object.entries(file?.providers ?? {}).map(([name, { type, models }]) => ({
    name,
    model: models?.[0] ?? findProviderKind(type)?.defaultModel ?? "probe",
    where: `providers.yaml providers.${name}`,
  }));
  return [
    ...entries,
    ...(local === undefined ? [] : [{ name: "ollama", model: "probe", where: "LOCAL_MODEL_HOST" }]),
    ...(hosted === undefined
      ? []
      : [{ name: "openai", model: "probe", where: hosted.keyVariable ?? "HOSTED_LLM_ENDPOINT" }]),
  ];
}

async function probeFault(model: Model, breakers: Breakers, signal: AbortSignal): Promise<Fault | undefined> {
  try {
    await model.probe?.(signal);
    if (model.probe !== undefined) breakers.of(model).recordProbe(true);
    return undefined;
  } catch (thrown) {
    const { code, message, details } = toAppError(thrown);
    breakers.of(model).recordProbe(false, { code, message });
    const reason = thrown instanceof Error ? thrown.message : "it can't be reached";
    const address = redactText(model.endpoint ?? model.provider);
    return {
      subject: model.provider,
      message: `${model.provider} at ${address} does not respond: ${reason}`,
      mend:
        code === "provider_failed" && details.hint !== undefined && !/could not be reached/.test(reason)
          ? details.hint
          : `start the server at ${address}, correct the endpoint, or run agents without a model: --rehearse`,
    };
  }
}

function noAnswer(probeMs: number): AppError {
  return new AppError(
    "upstream_timed_out",
    "probe_timed_out",
    `it did not respond within ${probeMs / 1000} seconds.`,
  );
}
