import type { Static, TObject } from "@sinclair/typebox";
import type { Clock } from "../../../kit/clock.ts";
import type { TemplateEngine } from "../../prompts/template.ts";
import type { FileReach } from "../files/file-reach.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { AddressOf } from "../network/find-address.ts";
import type { GuardedNetwork } from "../network/guarded-network.ts";
import type { OperatorConnections } from "../network/operator-connections.ts";
import type { OwnTools } from "../own/own-tools.ts";
import type { KnowledgeBases } from "../rag/knowledge-bases.ts";
import type { SqlRunner } from "../sql/sql-runner.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { ToolCache } from "../tool-cache.ts";

/** What tools may use of the world. */
export interface ToolPorts {
  templates: TemplateEngine;
  cache: ToolCache;
  clock: Clock;
  network: GuardedNetwork;
  /** A secret that the operator keeps in the environment, by its name; once read it is masked in logs and traces. */
  secret: (name: string) => string | undefined;
  /** The servers of the agents' tenant; absent: entries of type `mcp` can't be bound. */
  mcp?: McpServers;
  /** From now on a secret of an entry's configuration is masked in logs and traces. */
  conceal: (secret: string) => void;
  files: FileReach;
  /**
   * The checked address of a host, for protocols that the guarded network doesn't speak; throws `network_refused` for one that may
   * not be reached. Absent: the operator names these servers, and they are reached by their names.
   */
  addressOf?: AddressOf;
  sql: SqlRunner;
  /** Tools of the workspace's own files; absent: entries of type `internal` are those of the platform. */
  ownTools?: OwnTools;
  /** The documents of the agents' tenant; absent: entries of type `rag` can't be bound. */
  knowledge?: KnowledgeBases;
  /** The connections of connections.yaml; absent: entries can't name any. */
  connections?: OperatorConnections;
  /** Whether runs bring connections of their tenant, which entries may name. */
  hasConnections?: boolean;
  /** Why no call can wait for a person's approval here; absent: calls can. */
  approvalsRefused?: string;
}

/** A tool that comes with the executable: what the model sees, what a manifest may configure, and what it does. */
export interface BuiltinTool {
  name: string;
  /** What the model is told. */
  description: string;
  parameters: TObject;
  /** The keys of the entry's `config`. */
  options: TObject;
  /** What else a call takes under some options; absent: `parameters` under all. */
  parametersWith?: (options: Record<string, unknown>) => TObject | undefined;
  /** What people are told, in the reference. */
  docs: string;
  /** Whether it asks the models of the agent that calls it. */
  asksModel?: boolean;
  /** What is wrong with options that fit their schema, by the option's key; the entry is refused for it. */
  problems?: FindProblems<Record<string, unknown>>;
  build(options: Record<string, unknown>, ports: ToolPorts): Execute<Record<string, unknown>>;
  /** What a call would do, and to what, where it is to be proposed; absent: it is named after the tool. */
  describeCall?: DescribeCall<Record<string, unknown>, Record<string, unknown>>;
}

type Execute<Input> = (input: Input, context: ToolContext) => Promise<ToolResult>;
type FindProblems<Options> = (
  options: Options,
  ports: ToolPorts,
) => readonly { key: string; message: string }[];
type DescribeCall<Input, Options> = (input: Input, options: Options) => { target: string; operation: string };

/** A built-in tool whose `build` sees its options and its input with the types of their schemas. */
export function builtinTool<P extends TObject, O extends TObject>(
  tool: Omit<BuiltinTool, "parameters" | "options" | "problems" | "build" | "describeCall"> & {
    parameters: P;
    options: O;
    problems?: FindProblems<Static<O>>;
    build(options: Static<O>, ports: ToolPorts): Execute<Static<P>>;
    describeCall?: DescribeCall<Static<P>, Static<O>>;
  },
): BuiltinTool {
  const { describeCall, problems, ...rest } = tool;
  return {
    ...rest,
    ...(describeCall && {
      describeCall: (input, options) => describeCall(input as Static<P>, options as Static<O>),
    }),
    ...(problems && { problems: (options, ports) => problems(options as Static<O>, ports) }),
    build: (options, ports) => tool.build(options as Static<O>, ports) as Execute<Record<string, unknown>>,
  };
}
