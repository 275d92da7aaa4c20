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
    .option("--session <id>", "continue or start the conversation of this id")
    .addOption(
      new Option("--context <json>", "values for the agent's prompt templates, as a JSON object").conflicts(
        "contextFile",
      ),
    )
    .option("--context-file <file>", "the same, from a file")
    .option("--rehearse", "answer with the built-in stand-in: no key, no model, a simulated answer")
    .option("--trace", "show what the run did and how long it took")
    .option("--stream", "with --json: print each frame as a line when it arrives")
    .option("--no-stream", "print the answer once, when it is complete");
}

/** Returns the part of the options that the configuration needs. */
export function rehearsing({ rehearse }: RunOptions): { rehearse?: boolean } {
  return rehearse === true ? { rehearse } : {};
}
