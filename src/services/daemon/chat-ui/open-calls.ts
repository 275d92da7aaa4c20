import type { RunEvent } from "../../../engine/run-state/run-event.ts";

type CallEvent = Extract<RunEvent, { type: "tool_call" }>;

/**
 * The calls of a run that have no result yet. A call of the caller's own tool is shown when the run waits for it, by the id under which its
 * result is sent; the others at once, by the model's ids.
 */
export class OpenCalls {
  readonly #clientTools: ReadonlySet<string>;
  readonly #open: CallEvent[] = [];

  constructor(clientTools: ReadonlySet<string>) {
    this.#clientTools = clientTools;
  }

  /** Returns true if the call, or the result of one, is the caller's own business. */
  isCallers({ tool }: { tool: string }): boolean {
    return this.#clientTools.has(tool);
  }

  begin(event: CallEvent): void {
    this.#open.push(event);
  }

  end(id: string): void {
    const at = this.#open.findIndex((call) => call.id === id);
    if (at !== -1) this.#open.splice(at, 1);
  }

  /** The call of that tool that waits for a decision. */
  waiting(tool: string): CallEvent | undefined {
    return this.#open.find((call) => call.tool === tool);
  }
}
