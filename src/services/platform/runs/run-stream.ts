import type { RunFrame } from "./perform-run.ts";
import type { TerminalFrame } from "./stream-frames.ts";

/** What one stream shows: a run as it goes, or the end of one that was made before. */
export interface RunStream {
  invocationId: string;
  /** Whether it is the end of a run that a key was used for before. */
  isReplay: boolean;
  /** The frames, the last of them terminal. The signals abort when the reader leaves. */
  frames(leaving: readonly AbortSignal[]): AsyncGenerator<RunFrame | TerminalFrame, void>;
  /** Nobody can watch it: it is as if it had not begun. */
  abandon(): Promise<void>;
}
