import type { Problem } from "../../../kit/app-error.ts";
import type { Fault } from "../manifests/manifest-fault.ts";
import type { Candidate } from "./agent-catalog.ts";
import type { AgentSource, AgentVersion } from "./agent-version.ts";
import { gateFault, type ReleaseGate } from "./release-gate.ts";
import type { Served } from "./resolve-sources.ts";

interface Refused {
  version: AgentVersion;
  fault: Fault;
}

/** Verdicts of the release gate on the versions of all sources. A version that was let into service is not judged again. */
export class GatedVersions {
  readonly #gate: ReleaseGate | undefined;
  /** Refused versions by the key of their source. */
  #refused: ReadonlyMap<string, Refused> = new Map();

  constructor(gate: ReleaseGate | undefined) {
    this.#gate = gate;
  }

  /** State that may change a refusal; empty if nothing is refused, so that idle looks read no files. */
  evidence(): string {
    return this.#refused.size === 0 ? "" : (this.#gate?.evidence() ?? "");
  }

  /** Returns the reasons against a source's version, and the version as a candidate if there are any. */
  async judge(
    { key, version, name }: AgentSource,
    served: Served,
  ): Promise<{ problems: Problem[]; candidate?: Candidate }> {
    const before = served.get(key) ?? [...served.values()].find((one) => one.name === name);
    if (this.#gate === undefined || version === undefined || version === before) return { problems: [] };
    const problems = await this.#gate.judge(version, before);
    if (problems.length === 0) return { problems };
    return { problems, candidate: { agent: version.agent, reasons: problems.map(({ message }) => message) } };
  }

  /** Judges every version that is not in service. */
  async judgeAll(sources: readonly AgentSource[], served: Served): Promise<void> {
    const refused = new Map<string, Refused>();
    for (const source of sources) {
      const { problems } = await this.judge(source, served);
      if (problems.length === 0 || source.version === undefined) continue;
      refused.set(source.key, { version: source.version, fault: gateFault(source.name, problems) });
    }
    this.#refused = refused;
  }

  /** Forgets the refused version of a source that gets another one, which the gate lets through. */
  accept(key: string): void {
    this.#refused = new Map([...this.#refused].filter(([other]) => other !== key));
  }

  /** Returns the source without a refused version, so that the one in service stays and the fault says why. */
  withoutRefused(source: AgentSource): AgentSource {
    const refused = this.#refused.get(source.key);
    if (refused === undefined || refused.version !== source.version) return source;
    return { ...source, version: undefined, fault: refused.fault };
  }

  candidateOf(keys: readonly string[]): Candidate | undefined {
    for (const key of keys) {
      const refused = this.#refused.get(key);
      if (refused === undefined) continue;
      return {
        agent: refused.version.agent,
        reasons: refused.fault.problems.map(({ message }) => message),
      };
    }
    return undefined;
  }
}
