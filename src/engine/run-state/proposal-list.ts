import type { Proposal } from "../../contracts/daemon/runs/run.ts";
import type { ProposedCall } from "../tools/tool.ts";

const proposalsMax = 20;
const inputBytesMax = 16 * 1024;

/** Calls that tools with `mode: propose` recorded in a run and all runs inside it. */
export class ProposalList {
  readonly #proposals: Proposal[] = [];

  get all(): readonly Proposal[] {
    return this.#proposals;
  }

  /** Adds a call; `via` is the agent that made it if it is not the requested one. Returns the reason if the call can't be added. */
  add({ tool, type, target, operation, input }: ProposedCall, via: string | undefined): string | undefined {
    if (this.#proposals.length >= proposalsMax) {
      return `${tool} can't be proposed: a run may propose ${proposalsMax} calls, and they are all made.`;
    }
    if (Buffer.byteLength(JSON.stringify(input)) > inputBytesMax) {
      return `${tool} can't be proposed: its arguments are larger than ${inputBytesMax / 1024} KiB.`;
    }
    this.#proposals.push({
      tool,
      tipo: type,
      destino: target,
      operacion: operation,
      argumentos: input,
      ...(via === undefined ? {} : { via }),
    });
    return undefined;
  }
}
