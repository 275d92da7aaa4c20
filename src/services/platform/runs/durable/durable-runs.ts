import type { EndedRuns } from "../../../../contracts/runtime/runs.ts";

type EndedRun = EndedRuns["runs"][number];

/** The runtime drops steps by itself in the end, so what is more than this is left to it. */
const toForgetMax = 10_000;
const forgottenTogether = 1000;

/** What this process knows of durable runs: those that it continues, and those whose steps the runtime can delete. */
export class TenantDurableRuns {
  /** Runs that this process continues, by id; true for one that was interrupted more than once. */
  readonly continued = new Map<string, boolean>();
  readonly #forgetSteps: (runs: EndedRun[]) => Promise<void>;
  #toForget: EndedRun[] = [];

  constructor(runtime: { forgetSteps(runs: EndedRun[]): Promise<void> }) {
    this.#forgetSteps = (runs) => runtime.forgetSteps(runs);
  }

  /** The end of the run is recorded. */
  forget({ tenantId, invocationId }: { tenantId: string; invocationId: string }): void {
    if (this.#toForget.length < toForgetMax)
      this.#toForget.push({ tenant_id: tenantId, run_id: invocationId });
  }

  /** Lets the runtime delete the steps of ended runs. Rejects if it can't now; the next call tries again. */
  async flush(): Promise<void> {
    while (this.#toForget.length > 0) {
      const some = this.#toForget.slice(0, forgottenTogether);
      await this.#forgetSteps(some);
      this.#toForget = this.#toForget.slice(some.length);
    }
  }
}
