/** Exit codes of all commands, for scripts. There are few on purpose: the error's code (`--json`) names the exact failure. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** EX_SOFTWARE of sysexits.h. */
  broken: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The table of docs/cli.md. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: "Done. Also a server that was asked to stop, and a reader of our output that has had enough (`| head`).",
  1: "What was asked for failed: a run failed, `validate` or `doctor` found a fault, something does not exist.",
  2: "Called wrongly: unknown command or option, unreadable input, invalid configuration. Nothing was done.",
  70: "A fault of Argosy itself: the command stopped before it was done. Please report it.",
  130: "Interrupted by a signal (Ctrl-C, SIGTERM) before it was done.",
};
