import { type Command, Option } from "commander";

/** Options of `run` and `chat`. */
export interface RunOptions {
  session?: string;
  context?: string;
  contextFile?: string;
  rehearse?: boolean;
  trace?: boolean;
  /** `run`: the `provider/model` that answers in place of the agent's own. */
  model?: string;
  /** `run`: the file, or true for a file named after agent and time. */
  record?: string | true;
  /** Undefined: streamed for a person, whole for `--json`. */
  stream?: boolean;
}

/** Adds the options that `run` and `chat` share. */
export function withRunOptions(command: Command): Command {
  return command
    .option("--session <id>", "continue this conversation, or start it under this name")
    .addOption(
      new Option("--context <json>", "values for the agent's prompt templates, a JSON object").conflicts(
        "contextFile",
      ),
    )
    .option("--context-file <file>", "the same, from a file")
    .option("--rehearse", "answer by the rehearsal stand-in: no key, no model, a simulated answer")
    .option("--trace", "show what the run did and how long it took")
    .option("--stream", "with --json: one JSON frame a line, as they come")
    .option("--no-stream", "print the answer when it is whole");
}

/** Returns the part of the options that the configuration needs. */
export function rehearsing({ rehearse }: RunOptions): { rehearse?: boolean } {
  return rehearse === true ? { rehearse } : {};
}
