import { AppError } from "../kit/app-error.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { runCommandLine } from "./command-line.ts";
import { exitCodes } from "./exit-codes.ts";
import { type ProcessShell, processShell } from "./terminal/process-shell.ts";
import { reportError } from "./terminal/report-error.ts";
import { Screen } from "./terminal/screen.ts";

/**
 * Runs a command line as this process. The process ends only by the shell's `leave`. If the event loop runs dry before the command is done, that is
 * reported as a fault of Argosy with status 70.
 */
export async function performInProcess(
  args: readonly string[],
  { perform = runCommandLine, shell = processShell(), patience = longPatience }: PerformOptions = {},
): Promise<never> {
  const screen = new Screen(shell, {
    json: args.includes("--json"),
    colours: !args.includes("--no-color"),
  });
  const unwatch = watchIdleLoop(systemClock, patience, () => {
    reportError(screen, endedEarly());
    void shell.leave(exitCodes.broken);
  });
  try {
    const code = await perform(args, shell);
    unwatch();
    return await shell.leave(code);
  } catch (thrown) {
    unwatch();
    reportError(screen, thrown);
    return shell.leave(exitCodes.broken);
  }
}

interface PerformOptions {
  perform?: typeof runCommandLine;
  shell?: ProcessShell;
  patience?: IdlePatience;
}

/** How many checks in a row must find the loop dry, and how long it is kept alive between two checks. */
export interface IdlePatience {
  looks: number;
  everyMs: number;
}

/** The crypto library's work does not keep a process alive, so the loop gets time to finish it. */
const longPatience: IdlePatience = { looks: 10, everyMs: 1_000 };

/** Two checks belong together if only our own timer ran between them. */
const slackMs = 100;

/** Calls `stuck` if the event loop was idle in all checks. The returned function stops the watch. */
export function watchIdleLoop(clock: Clock, { looks, everyMs }: IdlePatience, stuck: () => void): () => void {
  let inRow = 0;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    inRow = clock.monotonicMs() - heldUntilMs < slackMs ? inRow + 1 : 1;
    if (inRow > looks) {
      unwatch();
      stuck();
      return;
    }
    clock.timer(everyMs, () => {
      heldUntilMs = clock.monotonicMs();
    });
  };
  const unwatch = () => void process.off("beforeExit", look);
  process.on("beforeExit", look);
  return unwatch;
}

const endedEarly = () =>
  new AppError("internal", "ended_early", "The command ended before it finished: the event loop ran empty.", {
    details: {
      hint: "This is a bug in Argosy. Run the command again with --log-level debug and report the output.",
    },
  });
