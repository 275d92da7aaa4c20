import type { ToolContext, ToolResult } from "../tools/tool.ts";

/*
 * Agent Skills (agentskills.io): instructions that the model reads when it needs them. The prompt has names and descriptions, a tool the
 * rest.
 */

export interface Skill {
  name: string;
  description: string;
  instructions: string;
  /** Paths of its texts, inside the skill. */
  references: readonly string[];
  /** Paths of its programs, inside the skill. */
  scripts: readonly string[];
  /** Changes with any of its texts and programs. */
  hash: string;
  /** Returns the text of one of its references. Throws AppError if it can't be read. */
  read(path: string): Promise<string>;
  /** Runs one of its scripts in the child process of own tools. Throws only the signal's reason. */
  run?(script: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
}

/** The skills of a workspace. */
export interface Skills {
  /** Undefined if there is no such folder. */
  find(name: string): Skill | { fault: string } | undefined;
}
