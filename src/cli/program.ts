import { Command, Option } from "commander";
import { agentsCommand } from "./agents.ts";
import { approvalsCommand } from "./approvals.ts";
import type { Perform } from "./call.ts";
import { chatCommand } from "./chat.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { consoleCommand } from "./console.ts";
import { costsCommand } from "./costs.ts";
import { doctorCommand } from "./doctor.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { mcpCommand } from "./mcp.ts";
import { memoryCommand } from "./memory.ts";
import { platformGroup } from "./platform/platform.ts";
import { ragCommand } from "./rag/rag.ts";
import { replayCommand } from "./replay.ts";
import { runCommand } from "./run.ts";
import { schemaCommand } from "./schema.ts";
import { secretsCommand } from "./secrets.ts";
import { serveCommand } from "./serve.ts";
import { toolCallsCommand } from "./tool-calls.ts";
import { tracesCommand } from "./traces.ts";
import { applyCommand, planCommand } from "./translator/apply.ts";
import { destroyCommand } from "./translator/destroy.ts";
import { driftCommand } from "./translator/drift.ts";
import { translateCommand } from "./translator/translate.ts";
import { translatorGroup } from "./translator/translator.ts";
import { validateCommand } from "./validate.ts";
import { versionCommand, versionLine } from "./version.ts";

/**
 * Defines every command with its arguments and options, for parsing, help, completion and documentation. The implementation of a command is
 * loaded when it runs.
 */
export function createProgram(perform: Perform): Command {
  const program = new Command("argosy")
    .description("Designs, runs and serves AI agents from one executable.")
    .addOption(
      new Option("--workspace <folder>", "folder of agents and configuration files (current folder)"),
    )
    .addOption(new Option("--data <folder>", "data folder (<workspace>/.argosy)"))
    .addOption(new Option("--json", "print one JSON document on stdout, also for errors"))
    .addOption(new Option("--no-color", "print without colors (same as NO_COLOR=1)"))
    .addOption(
      new Option("--log-level <level>", "log level on stderr (serve: info; other commands: none)").choices([
        "debug",
        "info",
        "warning",
        "error",
      ]),
    )
    .version(versionLine(), "-V, --version", "print the version")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand("help [command]", "show help for a command");
  const commands = [
    serveCommand,
    runCommand,
    chatCommand,
    consoleCommand,
    agentsCommand,
    tracesCommand,
    replayCommand,
    costsCommand,
    memoryCommand,
    ragCommand,
    mcpCommand,
    approvalsCommand,
    toolCallsCommand,
    platformGroup,
    translateCommand,
    planCommand,
    applyCommand,
    driftCommand,
    destroyCommand,
    translatorGroup,
    initCommand,
    validateCommand,
    importCommand,
    schemaCommand,
    configCommand,
    doctorCommand,
    secretsCommand,
    completionCommand,
    versionCommand,
  ];
  for (const define of commands) program.addCommand(define(perform).copyInheritedSettings(program));
  return program;
}
