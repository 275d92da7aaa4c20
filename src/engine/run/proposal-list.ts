import type { Proposal } from "../../contracts/daemon/run.ts";
import type { ProposedCall } from "../tools/tool.ts";

const proposalsMax = 20;
const inputBytesMax = 16 * 1024;

/** The calls that tools of `mode: propose` would have made, of a run and of all runs inside it. */
export class ProposalList {
  readonly #proposals: Proposal[] = [];

  get all(): readonly Proposal[] {
    return this.#proposals;
  }

  /** Adds a call; `via` is the agent that made it when that is not the one that was asked. Says why when it can't be added. */
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
