import type { Logger } from "../../../kit/log.ts";
import type { ReadInput } from "../bound-tool.ts";
import type { ToolResult } from "../tool.ts";

/** A tool from the workspace's `tools/` folder, as declared in its file. */
export interface OwnTool {
  name: string;
  description: string;
  /** JSON Schema of the input object. */
  parameters: Record<string, unknown>;
  /** True if a call changes something. */
  writes: boolean;
  /** Path relative to the workspace. */
  file: string;
  read: ReadInput;
  /** The file bundled with its imports. */
  program: OwnProgram;
}

/** Bundled JavaScript, identified by its hash. */
export interface OwnProgram {
  hash: string;
  text: string;
}

/** Second argument of a tool's `execute`. */
export interface OwnCallContext {
  session_id: string;
  agent: string;
  secrets: Readonly<Record<string, string>>;
}

export interface OwnCall {
  input: Record<string, unknown>;
  context: OwnCallContext;
  /** Passed to the tool. If it continues for one second after an abort, its process is killed. */
  signal: AbortSignal;
  /** Receives the tool's output. */
  log: Logger;
}

/** The custom tools of an installation. */
export interface OwnTools {
  /** Returns the current version of a tool; the same object as long as it doesn't change. */
  find(name: string): OwnTool | undefined;
  /** Loads the files, if they wait for a run that needs them; undefined if there is nothing to wait for. */
  ready(): Promise<void> | undefined;
  /** Loads a file that is not a tool of its own, and runs it the same way. `path` is absolute, `file` what messages call it. */
  run(path: string, file: string, call: OwnCall): Promise<ToolResult>;
  /** Runs a tool in its own process. Throws only the signal's reason; other errors become a failed result. */
  call(tool: OwnTool, call: OwnCall): Promise<ToolResult>;
}
