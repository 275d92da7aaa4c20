import type { Static, TObject } from "@sinclair/typebox";
import type { Clock } from "../../../kit/clock.ts";
import type { TemplateEngine } from "../../templates/template.ts";
import type { FileReach } from "../files/file-reach.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { AddressOf } from "../network/address/find-address.ts";
import type { GuardedNetwork } from "../network/guarded-network.ts";
import type { OperatorConnections } from "../network/request/operator-connections.ts";
import type { OwnTools } from "../own/own-tools.ts";
import type { KnowledgeBases } from "../rag/agent-knowledge.ts";
import type { SharedWindows } from "../rate-limit.ts";
import type { SqlRunner } from "../sql/sql-runner.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { ToolCache } from "../tool-cache.ts";

/** Dependencies of tools. */
export interface ToolPorts {
  templates: TemplateEngine;
  cache: ToolCache;
  clock: Clock;
  /** Windows of rate limits that several processes share; absent: each has its own. */
  windows?: SharedWindows | undefined;
  network: GuardedNetwork;
  /**
   * Returns a secret from the operator's environment by name; once read, it is masked in logs and traces. `address`: where it will be sent, if
   * the agent's file names the address.
   */
  secret: (name: string, address?: string) => string | undefined;
  /** MCP servers of the tenant; absent: entries of type `mcp` can't be bound. */
  mcp?: McpServers;
  /** Masks a secret of an entry's configuration in logs and traces from now on. */
  conceal: (secret: string) => void;
  files: FileReach;
  /**
   * Returns the checked address of a host, for protocols that the guarded network lacks. Throws `network_refused` if the host may not be
   * reached. Absent: the operator configures these servers, and their names are used unchecked.
   */
  addressOf?: AddressOf;
  sql: SqlRunner;
  /** Tools in files of the workspace; absent: entries of type `internal` are the platform's tools. */
  ownTools?: OwnTools;
  /** Documents of the tenant; absent: entries of type `rag` can't be bound. */
  knowledge?: KnowledgeBases;
  /** Connections in connections.yaml; absent: entries can't use connections of it. */
  connections?: OperatorConnections;
  /** True if runs bring connections of their tenant that entries may use. */
  hasConnections?: boolean;
  /** Reason why calls can't wait for a person's approval here; absent: they can. */
  approvalsRefused?: string;
}

/** A built-in tool: its description for models, its options for manifests, and its implementation. */
export interface BuiltinTool {
  name: string;
  /** Description for the model. */
  description: string;
  parameters: TObject;
  /** Schema of the entry's `config`. */
  options: TObject;
  /** Returns the parameters for the given options; absent or undefined: `parameters`. */
  parametersWith?: (options: Record<string, unknown>) => TObject | undefined;
  /** Text for the reference documentation. */
  docs: string;
  /** True if it uses the models of the calling agent. */
  asksModel?: boolean;
  /** True if a call only reads or computes inside this installation, so that nothing leaves with it. */
  hasNoEffects?: boolean;
  /** Returns true if a call may be made again after a crash; see `BoundTool.isRepeatable`. */
  isRepeatable?: IsRepeatable<Record<string, unknown>, Record<string, unknown>>;
  /** Returns problems of options that match their schema, by the option's key. The entry is refused for them. */
  problems?: FindProblems<Record<string, unknown>>;
  build(options: Record<string, unknown>, ports: ToolPorts): Execute<Record<string, unknown>>;
  /** Returns target and operation of a call, for proposals; absent: the target is the tool's name. */
  describeCall?: DescribeCall<Record<string, unknown>, Record<string, unknown>>;
}

type IsRepeatable<Input, Options> = (input: Input, options: Options) => boolean;
type Execute<Input> = (input: Input, context: ToolContext) => Promise<ToolResult>;
type FindProblems<Options> = (
  options: Options,
  ports: ToolPorts,
) => readonly { key: string; message: string }[];
type DescribeCall<Input, Options> = (input: Input, options: Options) => { target: string; operation: string };

/** Creates a built-in tool whose functions have the types of its schemas. */
export function builtinTool<P extends TObject, O extends TObject>(
  tool: Omit<
    BuiltinTool,
    "parameters" | "options" | "problems" | "build" | "describeCall" | "isRepeatable"
  > & {
    parameters: P;
    options: O;
    problems?: FindProblems<Static<O>>;
    build(options: Static<O>, ports: ToolPorts): Execute<Static<P>>;
    describeCall?: DescribeCall<Static<P>, Static<O>>;
    isRepeatable?: IsRepeatable<Static<P>, Static<O>>;
  },
): BuiltinTool {
  const { describeCall, isRepeatable, problems, ...rest } = tool;
  return {
    ...rest,
    ...(describeCall && {
      describeCall: (input, options) => describeCall(input as Static<P>, options as Static<O>),
    }),
    ...(isRepeatable && {
      isRepeatable: (input, options) => isRepeatable(input as Static<P>, options as Static<O>),
    }),
    ...(problems && { problems: (options, ports) => problems(options as Static<O>, ports) }),
    build: (options, ports) => tool.build(options as Static<O>, ports) as Execute<Record<string, unknown>>,
  };
}
