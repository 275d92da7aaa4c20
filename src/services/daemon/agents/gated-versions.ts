import type { CanaryTerms } from "../../../evals/canary/judge-canary.ts";
import type { Problem } from "../../../kit/app-error.ts";
import { type ManifestFault, placeProblems } from "../manifests/manifest-fault.ts";
import type { CandidateVersion } from "./agent-catalog.ts";
import type { AgentSource, AgentVersion } from "./agent-version.ts";
import { gateFault, type HeldVersion, type ReleaseGate } from "./release-gate.ts";
import type { Served } from "./resolve-sources.ts";

/** A version that is refused, or that is a canary. */
type Held =
  | (HeldVersion & { fault: ManifestFault })
  | { version: AgentVersion; before: AgentVersion; terms: CanaryTerms };

/** A version that answers a share of the sessions, beside the one in service. */
export type HeldCanary = Extract<Held, { terms: CanaryTerms }>;

/** Verdicts of the release gate on the versions of all sources. A version that was let into service is not judged again. */
export class GatedVersions {
  readonly #gate: ReleaseGate | undefined;
  /** Refused versions and canaries by the key of their source. */
  #held: ReadonlyMap<string, Held> = new Map();

  constructor(gate: ReleaseGate | undefined) {
    this.#gate = gate;
  }

  /** State that may change a verdict; empty if nothing is held, so that idle looks read no files. */
  async evidence(): Promise<string> {
    return this.#held.size === 0 ? "" : ((await this.#gate?.evidence([...this.#held.values()])) ?? "");
  }

  /** Returns the reasons against a source's version, or the canary that it would be. */
  async judge(source: AgentSource, served: Served): Promise<{ problems: Problem[]; canary?: HeldCanary }> {
    const { version } = source;
    const before = replacedBy(source, served);
    if (this.#gate === undefined || version === undefined || version === before) return { problems: [] };
    const problems = await this.#gate.judge(version, before);
    if (problems.length > 0 || before === undefined) return { problems };
    const canary = this.#gate.canary(version, before);
    if (canary.state === "none") return { problems };
    if (canary.state === "open") return { problems, canary: { version, before, terms: canary.terms } };
    const path = "spec.release.canary";
    return {
      problems: canary.reasons.map((reason) => ({ path, message: `its canary returned: ${reason}` })),
    };
  }

  /** Judges every version that is not in service. */
  async judgeAll(sources: readonly AgentSource[], served: Served): Promise<void> {
    const held = new Map<string, Held>();
    for (const source of sources) {
      const { version } = source;
      const { problems, canary } = await this.judge(source, served);
      if (canary !== undefined) held.set(source.key, canary);
      else if (problems.length > 0 && version !== undefined) {
        const placed = placeProblems(problems, version.text);
        const before = replacedBy(source, served);
        held.set(source.key, { version, before, fault: gateFault(source.name, placed) });
      }
    }
    this.#held = held;
  }

  /** Replaces the verdict on a source that gets a version which the gate lets through, alone or as a canary. */
  accept(key: string, canary: HeldCanary | undefined): void {
    const held = new Map(this.#held);
    held.delete(key);
    if (canary !== undefined) held.set(key, canary);
    this.#held = held;
  }

  /** Returns the source without a refused version, so that the one in service stays and the fault says why. */
  withoutRefused(source: AgentSource): AgentSource {
    const held = this.#held.get(source.key);
    if (held === undefined || held.version !== source.version || !("fault" in held)) return source;
    return { ...source, version: undefined, fault: held.fault };
  }

  candidateOf(keys: readonly string[]): CandidateVersion | undefined {
    for (const key of keys) {
      const held = this.#held.get(key);
      if (held === undefined || !("fault" in held)) continue;
      return {
        agent: held.version.agent,
        reasons: held.fault.problems.map(({ message }) => message),
      };
    }
    return undefined;
  }

  /** Canaries by the key of their source. */
  canaries(): Map<string, HeldCanary> {
    return new Map([...this.#held].flatMap(([key, held]) => ("terms" in held ? [[key, held] as const] : [])));
  }
}

/** The version in service that a source's version would replace. */
const replacedBy = ({ key, name }: AgentSource, served: Served): AgentVersion | undefined =>
  served.get(key) ?? [...served.values()].find((one) => one.name === name);
