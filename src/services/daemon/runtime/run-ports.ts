import type { RuntimeConnection, RuntimeUsage } from "../../../contracts/runtime/runs.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import type { RunObserver } from "../../../engine/telemetry/run-observer.ts";
import { learnSecret } from "../../../kit/secrets/learn-secret.ts";
import { maskValues } from "../../../kit/secrets/mask-values.ts";
import { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Ports of one tenant's run, and its usage so far. */
export interface TenantRun {
  ports: RunPorts;
  usage: UsageTotals;
  /** Resolves when no run inside it is working any more. */
  quiet(): Promise<void>;
}

/** Time limit for a stopped run to report its remaining usage. */
const lastWordMs = 5_000;

/** Creates the ports of one run. Its usage is counted separately, and its tenant's secrets are masked in addition to the operator's. */
export function openTenantRun(
  { runs, secretsOf, clock }: Pick<RuntimeDeps, "runs" | "secretsOf" | "clock">,
  tenant: string,
  connections: Readonly<Record<string, RuntimeConnection>>,
  providerKeys: Readonly<Record<string, string>> = {},
): TenantRun {
  const usage = new UsageTotals();
  const own = secretsIn(connections);
  for (const key of Object.values(providerKeys)) own.add(key);
  const ofTenant = secretsOf(tenant);
  const mask = (text: string) => own.mask(ofTenant.mask(runs.maskKnown?.(text) ?? text));
  let open = 0;
  let wake = () => {};
  return {
    usage,
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
          runs.observer.runFinished(run);
          if (open === 0) wake();
        },
      },
      usage: {
        record(records) {
          usage.add(records);
          runs.usage.record(records);
        },
      },
      log: runs.log.with({ tenant }),
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
      };
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
