/** Exit statuses of commands. They are few on purpose: the error's code (`--json`) says exactly what failed. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** `--exit-code` of `plan` and `drift`: there are differences. */
  different: 2,
  /** EX_SOFTWARE of sysexits.h. */
  broken: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The table of docs/cli.md. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: "Success. Also when a server was asked to stop, or the reader of a pipe closed it (`| head`).",
  1: "Failure: a run failed, `validate` or `doctor` found a fault, or something does not exist.",
  2: "Usage error: unknown command or option, unreadable input, or invalid configuration. Nothing was done. Also: `--exit-code` found differences.",
  70: "Internal error: the command ended before it finished. Please report it.",
  130: "Interrupted by a signal (Ctrl-C, SIGTERM); with `--json` the error is `interrupted`.",
};
