import { addCosts } from "../../../contracts/runtime/add-costs.ts";
import type {
  RunEnded,
  RuntimeConnection,
  RuntimeRun,
  RuntimeUsage,
} from "../../../contracts/runtime/runs.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { UsageRecord, UsageSink } from "../../../engine/spending/usage-record.ts";
import type { RunObserver } from "../../../engine/telemetry/run-observer.ts";
import { learnSecret } from "../../../kit/secrets/learn-secret.ts";
import { maskValues } from "../../../kit/secrets/mask-values.ts";
import { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Ports of one tenant's run, and its usage so far. */
export interface TenantRun {
  ports: RunPorts;
  /** Returns the usage by model and role for the last frame, and whether something has left the run. Later usage is late. */
  close(): Pick<RunEnded, "usage" | "usage_awaited" | "left">;
  /** After `close`: resolves to what the usage lacked, once no provider may report any; undefined if it was final. */
  corrected(): Promise<RuntimeUsage[] | undefined>;
  /** Resolves when no run inside it is working any more. */
  quiet(): Promise<void>;
}

/** Time limit for a stopped run to report its remaining usage. */
const lastWordMs = 5_000;

/** Fields of a run request that its ports depend on. */
type PortFields = {
  [Field in "connections" | "provider_keys" | "late_usage"]?: RuntimeRun[Field] | undefined;
};

/** Creates the ports of one run. A person has seen a call of one that `isResumed`. Its usage is counted separately, and its tenant's secrets are masked in addition to the operator's. */
export function openTenantRun(
  { sharedBy, clock, lateUsage }: Pick<RuntimeDeps, "sharedBy" | "clock" | "lateUsage">,
  runs: RunPorts,
  tenant: string,
  { connections = {}, provider_keys: providerKeys = {}, late_usage: keepsLate = false }: PortFields,
  isResumed = false,
): TenantRun {
  const usage = new UsageTotals();
  const corrections = new UsageTotals();
  const awaits: Promise<void>[] = [];
  const { secrets, keySecrets, log } = sharedBy(tenant);
  // A registry takes 4 KiB, and most runs have no connections.
  const ofConnections = Object.keys(connections).length > 0 ? [secretsIn(connections)] : [];
  const registries = [secrets, ...ofConnections, keySecrets.of(providerKeys)];
  const mask = (text: string) =>
    registries.reduce((masked, registry) => registry.mask(masked), runs.maskKnown?.(text) ?? text);
  const late: UsageSink = {
    record(records) {
      if (keepsLate) for (const record of records) lateUsage.add(tenant, record);
      runs.usage.record(records);
    },
  };
  const { conversationGrew } = runs;
  let isClosed = false;
  let hasLeft = isResumed;
  let open = 0;
  let wake = () => {};
  return {
    close() {
      isClosed = true;
      const awaited = awaits.length > 0 && { usage_awaited: true };
      return { usage: usage.lines(), ...awaited, ...(hasLeft && { left: true }) };
    },
    async corrected() {
      await Promise.all(awaits);
      const lines = corrections.lines();
      return lines.length === 0 ? undefined : lines;
    },
    async quiet() {
      while (open > 0) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        wake = () => resolve(true);
        const stop = clock.timer(lastWordMs, () => resolve(false));
        const isDone = await promise;
        stop();
        if (!isDone) return;
      }
    },
    ports: {
      ...runs,
      observer: {
        ...runs.observer,
        runStarted(agent, sessionId) {
          open++;
          runs.observer.runStarted(agent, sessionId);
        },
        runFinished(run) {
          open--;
          // A run inside has kept its answer in its memory, and an agent of a chain has done its work.
          if (open > 0 && run.status === "ok") hasLeft = true;
          runs.observer.runFinished(run);
          if (open === 0) wake();
        },
        toolExecuted(call) {
          hasLeft ||= call.hasEffects;
          runs.observer.toolExecuted(call);
        },
      },
      usage: {
        record(records) {
          if (isClosed) {
            corrections.add(records.filter(({ corrects }) => corrects === true));
            return late.record(records);
          }
          usage.add(records);
          runs.usage.record(records);
        },
      },
      usageAwaited: (corrected) => awaits.push(corrected),
      log,
      // Its summary is made after the run, in calls of its own.
      ...(conversationGrew && {
        conversationGrew: (agent, key, ports) =>
          conversationGrew(agent, key, { ...ports, usage: late, usageAwaited: () => {} }),
      }),
      maskKnown: mask,
      redact: (value) => maskValues(runs.redact(value), mask),
    },
  };
}

/** Replaces the names of tenants' agents and of their own tools with `tenant` in metrics, because names could identify tenants. */
export function tenantObserver(observer: RunObserver, isKnownTool: (name: string) => boolean): RunObserver {
  return {
    runStarted: (_agent, sessionId) => observer.runStarted("tenant", sessionId),
    runFinished: (run) => observer.runFinished({ ...run, agent: "tenant" }),
    toolExecuted: (call) =>
      observer.toolExecuted(isKnownTool(call.tool) ? call : { ...call, tool: "tenant" }),
    memoryFailed: (fault) => observer.memoryFailed(fault),
  };
}

/** Collects the secrets in the material: all strings except ordinary words. */
function secretsIn(connections: Readonly<Record<string, RuntimeConnection>>): SecretRegistry {
  const secrets = new SecretRegistry();
  const learn = (value: unknown): void => {
    if (typeof value === "string") learnSecret(value, secrets);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(learn);
  };
  for (const { material } of Object.values(connections)) learn(material);
  return secrets;
}

/** Usage of one run, including the agents that worked for it, added up by model and role. */
export class UsageTotals {
  readonly #lines = new Map<string, RuntimeUsage>();

  add(records: readonly UsageRecord[]): void {
    for (const {
      provider,
      model,
      role = "main",
      inputTokens,
      outputTokens,
      cachedTokens,
      estimated,
      costMicros,
    } of records) {
      const key = JSON.stringify([provider, model, role]);
      const line = this.#lines.get(key) ?? {
        provider,
        model,
        role,
        tokens_in: 0,
        tokens_out: 0,
        tokens_cached: 0,
        estimated: false,
        cost_micros: 0,
      };
      line.cost_micros = addCosts(line.cost_micros, costMicros);
      line.tokens_in += inputTokens;
      line.tokens_out += outputTokens;
      line.tokens_cached += cachedTokens;
      line.estimated ||= estimated;
      this.#lines.set(key, line);
    }
  }

  lines(): RuntimeUsage[] {
    return [...this.#lines.values()];
  }
}
