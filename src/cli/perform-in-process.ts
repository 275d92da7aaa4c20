import { AppError } from "../kit/app-error.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { runCommandLine } from "./command-line.ts";
import { exitCodes } from "./exit-codes.ts";
import { leave, processShell } from "./process-shell.ts";
import { reportError } from "./report-error.ts";
import { Screen } from "./screen.ts";
import type { Shell } from "./shell.ts";

/**
 * Carries out a command line as this process. The process ends by `leave` alone: if the event loop runs dry before the
 * command is done, that is reported as a fault of Argosy with status 70.
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
    void leave(exitCodes.broken);
  });
  try {
    const code = await perform(args, shell);
    unwatch();
    return await leave(code);
  } catch (thrown) {
    unwatch();
    reportError(screen, thrown);
    return leave(exitCodes.broken);
  }
}

interface PerformOptions {
  perform?: typeof runCommandLine;
  shell?: Shell;
  patience?: Patience;
}

/** How often in a row the loop is looked at before it counts as dry, and how long it is kept alive between two looks. */
export interface Patience {
  looks: number;
  everyMs: number;
}

/** Work of the crypto library doesn't keep a process alive, though it ends: the loop gets time for it. */
const longPatience: Patience = { looks: 10, everyMs: 1_000 };

/** Two looks belong together when nothing but our own timer lay between them. */
const slackMs = 100;

/** Calls `stuck` when the event loop has had nothing to wait for through all looks; the returned function ends the watch. */
export function watchIdleLoop(clock: Clock, { looks, everyMs }: Patience, stuck: () => void): () => void {
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
