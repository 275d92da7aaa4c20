import type { EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import { ownTarget } from "../../../evals/running/plan-attempts.ts";
import type { RunStore } from "../../../evals/running/run-store.ts";

/** Versions of an agent whose runs a verdict looks up: the one that waits, and the one in service. */
export interface AskedVersions {
  agent: string;
  fingerprints: readonly (string | undefined)[];
}

/** Returns true for a run that the gate may look up: live, of the agent as its manifest has it. */
export const countsForGate = ({ mode, targets }: Pick<EvalRunHead, "mode" | "targets">): boolean =>
  mode === "live" && targets.join() === ownTarget;

/**
 * Watches the stored runs that verdicts of the gate depend on. Any of them may change at any time, because several evals run side by side and
 * old runs are resumed. The heads of runs never change and are read once, so a look reads the state of the runs of these versions only.
 */
export class GateRuns {
  readonly #store: Pick<RunStore, "ids" | "findHead" | "stampOf">;
  /** Version that each run asked; undefined if the run never counts. */
  #versions: ReadonlyMap<string, string | undefined> = new Map();

  constructor(store: Pick<RunStore, "ids" | "findHead" | "stampOf">) {
    this.#store = store;
  }

  /** Changes when a run of one of the versions begins, has a further result, ends, is resumed or is deleted. */
  stampOf(asked: readonly AskedVersions[]): string {
    const wanted = new Set(
      asked.flatMap(({ agent, fingerprints }) =>
        fingerprints.flatMap((one) => (one === undefined ? [] : [versionKey(agent, one)])),
      ),
    );
    const versions = new Map<string, string | undefined>();
    for (const id of this.#store.ids()) {
      if (this.#versions.has(id)) versions.set(id, this.#versions.get(id));
      else {
        const head = this.#store.findHead(id);
        // A run that is just beginning is read at the next look.
        if (head !== undefined) versions.set(id, versionIn(head));
      }
    }
    this.#versions = versions;
    const watched = [...versions].filter(([, version]) => version !== undefined && wanted.has(version));
    return watched
      .map(([id]) => this.#store.stampOf(id))
      .sort()
      .join();
  }
}

const versionKey = (agent: string, fingerprint: string) => `${agent} ${fingerprint}`;

const versionIn = (head: EvalRunHead): string | undefined =>
  head.agent_fingerprint !== undefined && countsForGate(head)
    ? versionKey(head.agent, head.agent_fingerprint)
    : undefined;
