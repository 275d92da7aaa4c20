import type { Logger } from "../../../kit/log.ts";
import type { ReadInput } from "../bound-tool.ts";
import type { ToolResult } from "../tool.ts";

/** A tool of the workspace's `tools/` folder, as its file declares it. */
export interface OwnTool {
  name: string;
  description: string;
  /** JSON Schema of the input object. */
  parameters: Record<string, unknown>;
  /** Whether a call changes something. */
  writes: boolean;
  /** Relative to the workspace. */
  file: string;
  read: ReadInput;
  /** What runs: the file with all that it imports. */
  program: OwnProgram;
}

/** JavaScript in one piece, known by its hash. */
export interface OwnProgram {
  hash: string;
  text: string;
}

/** What `execute` of a tool gets beside its input. */
export interface OwnCallContext {
  session_id: string;
  agent: string;
  secrets: Readonly<Record<string, string>>;
}

export interface OwnCall {
  input: Record<string, unknown>;
  context: OwnCallContext;
  /** Reaches the tool; one that goes on for a second after it aborts is killed. */
  signal: AbortSignal;
  /** Gets what the tool prints. */
  log: Logger;
}

/** The custom tools of an installation. */
export interface OwnTools {
  /** As it is served now; the same object as long as nothing of it changes. */
  find(name: string): OwnTool | undefined;
  /** Runs a tool in a process of its own. Never throws, but for the signal's reason: what goes wrong is a failed result. */
  call(tool: OwnTool, call: OwnCall): Promise<ToolResult>;
}
