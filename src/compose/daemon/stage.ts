import type { Worker } from "../../kit/worker.ts";

/** What a stage of the daemon gives to the process besides its values. */
export interface Stage {
  workers?: readonly Worker[];
  /** Begins nothing new; resolves when its running work has ended. */
  retire?(): Promise<unknown>;
  /** Writes pending data and ends what the stage opened. Called after the later stages have closed. */
  close?(): Promise<unknown>;
}
