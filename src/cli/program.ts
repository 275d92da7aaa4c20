import { Command, Option } from "commander";
import { agentsCommand } from "./agents/agents.ts";
import { mcpCommand } from "./agents/mcp.ts";
import { memoryCommand } from "./agents/memory.ts";
import type { Perform } from "./call.ts";
import { cloudGroup } from "./cloud/cloud.ts";
import { evalCommand } from "./evals/eval.ts";
import { emulateCommand } from "./gateway/emulate.ts";
import { gatewayGroup } from "./gateway/gateway.ts";
import { costsCommand } from "./observe/costs.ts";
import { feedbackCommand } from "./observe/feedback.ts";
import { tracesCommand } from "./observe/traces.ts";
import { backupCommand } from "./operate/backup.ts";
import { completionCommand } from "./operate/completion.ts";
import { configCommand } from "./operate/config.ts";
import { consoleCommand } from "./operate/console.ts";
import { doctorCommand } from "./operate/doctor.ts";
import { drillCommand } from "./operate/drill.ts";
import { healthCommand } from "./operate/health.ts";
import { installCommand, uninstallCommand } from "./operate/install/install.ts";
import { licensesCommand } from "./operate/licenses.ts";
import { meshCommand } from "./operate/mesh.ts";
import { restoreCommand } from "./operate/restore.ts";
import { secretsCommand } from "./operate/secrets.ts";
import { serveCommand } from "./operate/serve.ts";
import { serviceGroup } from "./operate/service/service.ts";
import { upgradeCommand } from "./operate/upgrade.ts";
import { versionCommand, versionLine } from "./operate/version.ts";
import { backupsCommand } from "./operate/watch/backups.ts";
import { logsCommand } from "./operate/watch/logs.ts";
import { storageCommand } from "./operate/watch/storage.ts";
import { workersCommand } from "./operate/watch/workers.ts";
import { approvalsCommand } from "./paused-runs/approvals.ts";
import { toolCallsCommand } from "./paused-runs/tool-calls.ts";
import { platformGroup } from "./platform/platform.ts";
import { ragCommand } from "./rag/rag.ts";
import { replayCommand } from "./replay/replay.ts";
import { chatCommand } from "./runs/chat.ts";
import { runCommand } from "./runs/run.ts";
import { applyCommand, planCommand } from "./translator/apply.ts";
import { destroyCommand } from "./translator/destroy.ts";
import { driftCommand } from "./translator/drift.ts";
import { translateCommand } from "./translator/translate.ts";
import { translatorGroup } from "./translator/translator.ts";
import { triggersCommand } from "./triggers/triggers.ts";
import { importCommand } from "./workspace/import.ts";
import { initCommand } from "./workspace/init.ts";
import { packCommand } from "./workspace/pack.ts";
import { schemaCommand } from "./workspace/schema.ts";
import { trustCommand } from "./workspace/trust.ts";
import { unpackCommand } from "./workspace/unpack.ts";
import { validateCommand } from "./workspace/validate.ts";

type Define = (perform: Perform) => Command;

/** Commands that speak of all others. */
const ofThisProgram = "This program:";

/** All commands by name, under the headings of `argosy --help`. */
const commandGroups: Readonly<Record<string, Readonly<Record<string, Define>>>> = {
  "Run agents:": { serve: serveCommand, run: runCommand, chat: chatCommand, console: consoleCommand },
  "Write agents:": {
    init: initCommand,
    validate: validateCommand,
    import: importCommand,
    pack: packCommand,
    unpack: unpackCommand,
    schema: schemaCommand,
    trust: trustCommand,
  },
  "Agents and what they use:": {
    agents: agentsCommand,
    triggers: triggersCommand,
    memory: memoryCommand,
    rag: ragCommand,
    mcp: mcpCommand,
  },
  "Decide on paused runs:": { approvals: approvalsCommand, "tool-calls": toolCallsCommand },
  "Watch and judge answers:": {
    traces: tracesCommand,
    feedback: feedbackCommand,
    costs: costsCommand,
    eval: evalCommand,
    replay: replayCommand,
  },
  "Services for customers and messengers:": {
    platform: platformGroup,
    cloud: cloudGroup,
    gateway: gatewayGroup,
    emulate: emulateCommand,
  },
  "Manifests to platform and cloud:": {
    translate: translateCommand,
    plan: planCommand,
    apply: applyCommand,
    drift: driftCommand,
    destroy: destroyCommand,
    translator: translatorGroup,
  },
  "Look after a server:": {
    config: configCommand,
    doctor: doctorCommand,
    health: healthCommand,
    logs: logsCommand,
    workers: workersCommand,
    storage: storageCommand,
    mesh: meshCommand,
    drill: drillCommand,
  },
  "Backups and secrets:": {
    backup: backupCommand,
    backups: backupsCommand,
    restore: restoreCommand,
    secrets: secretsCommand,
  },
  [ofThisProgram]: {
    install: installCommand,
    upgrade: upgradeCommand,
    uninstall: uninstallCommand,
    service: serviceGroup,
    completion: completionCommand,
    licenses: licensesCommand,
    version: versionCommand,
  },
};

/**
 * Defines every command with its arguments and options, for parsing, help, completion and documentation. The implementation of a command is
 * loaded when it runs.
 */
export const createProgram = (perform: Perform): Command => programOf(Object.entries(commandGroups), perform);

/**
 * Like `createProgram` with the command alone that the first argument names, if it names one that does without the others: defining them
 * takes 15 ms.
 */
export function createProgramFor([name = ""]: readonly string[], perform: Perform): Command {
  for (const [heading, commands] of Object.entries(commandGroups)) {
    const define = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (define !== undefined && heading !== ofThisProgram)
      return programOf([[heading, { [name]: define }]], perform);
  }
  return createProgram(perform);
}

function programOf(groups: readonly [string, Readonly<Record<string, Define>>][], perform: Perform): Command {
  const program = new Command("argosy")
    .description("Designs, runs and serves AI agents from one executable.")
    .addOption(
      new Option("--workspace <folder>", "folder of agents and configuration files (current folder)"),
    )
    .addOption(new Option("--data <folder>", "data folder (<workspace>/.argosy)"))
    .addOption(new Option("--trust", "trust the workspace in this call (ARGOSY_TRUST)"))
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
  for (const [heading, commands] of groups)
    for (const define of Object.values(commands))
      program.addCommand(define(perform).copyInheritedSettings(program).helpGroup(heading));
  return program;
}
