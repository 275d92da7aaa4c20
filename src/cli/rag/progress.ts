import type { CommandCall } from "../call.ts";
import { cut, oneLine } from "../terminal/table.ts";

/** Shows the progress of long work on a terminal that a person reads; does nothing anywhere else. */
export interface TerminalProgress {
  /** Shows `done` of `total`, and the current item. */
  show(done: number, total: number, at: string): void;
  /** Removes the bar, so that other lines can be written. */
  clear(): void;
}

const barWidth = 24;

export function createProgress({ screen }: CommandCall): TerminalProgress {
  if (!screen.hasReader || screen.json) return { show() {}, clear() {} };
  let isShown = false;
  return {
    show(done, total, at) {
      const filled = total === 0 ? barWidth : Math.floor((barWidth * done) / total);
      const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
      const line = cut(oneLine(`${bar} ${done}/${total} ${at}`), screen.talkWidth - 1);
      screen.showProgress(line);
      isShown = true;
    },
    clear() {
      if (isShown) screen.showProgress();
      isShown = false;
    },
  };
}
