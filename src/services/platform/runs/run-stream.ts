import type { RunFrame } from "./perform-run.ts";
import type { TerminalFrame } from "./stream-frames.ts";

/** A stream of a run's frames, or of the end of an earlier run. */
export interface RunStream {
  invocationId: string;
  /** True if it replays the end of an earlier run with the same key. */
  isReplay: boolean;
  /** Frames; the last one is terminal. The signals abort when the reader leaves. */
  frames(leaving: readonly AbortSignal[]): AsyncGenerator<RunFrame | TerminalFrame, void>;
  /** Ends a run that can't be watched as if it had not begun. */
  abandon(): Promise<void>;
}
