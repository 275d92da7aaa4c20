import { PassThrough, Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { ExitCode } from "../../src/cli/exit-codes.ts";
import type { Shell } from "../../src/cli/terminal/shell.ts";
import type { Parts } from "../../src/command/parts.ts";
import type { Config, ConfigFlags } from "../../src/compose/settings/config.ts";
import type { DaemonClient } from "../../src/contracts/daemon/client.ts";
import type { StreamFrame } from "../../src/contracts/daemon/runs/run.ts";
import { AppError } from "../../src/kit/app-error.ts";

/** The output of a command and its exit code. */
export interface Said {
  code: ExitCode;
  stdout: string;
  stderr: string;
}

export interface Setting {
  /** Content of stdin; a stream for a test that types while the command runs. */
  stdin?: string | Readable;
  terminal?: boolean;
  columns?: number;
  folder?: string;
  parts?: Partial<Parts>;
  /** Called with each piece of output. */
  shown?: (text: string) => void;
  /** Called with a function that simulates a signal. */
  onSignalReady?: (signal: () => void) => void;
}

/** Runs a command line over a shell that records its output. */
export async function say(args: readonly string[], setting: Setting = {}): Promise<Said> {
  const { shell, read } = recordingShell(setting);
  const code = await runCommandLine(args, shell);
  return { code, ...read() };
}

export function recordingShell(setting: Setting): {
  shell: Shell;
  read: () => { stdout: string; stderr: string };
} {
  const stdout = recorder(setting);
  const stderr = recorder(setting);
  const stdin =
    typeof setting.stdin === "object"
      ? setting.stdin
      : Readable.from(setting.stdin === undefined ? [] : [Buffer.from(setting.stdin)]);
  const shell: Shell = {
    stdin: Object.assign(stdin, { isTTY: setting.terminal === true && typeof setting.stdin !== "string" }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    folder: setting.folder ?? "/nowhere",
    onSignal(received) {
      setting.onSignalReady?.(received);
      return () => undefined;
    },
    exitNow(code) {
      throw new Error(`exited at once with ${code}`);
    },
    parts: { ...noParts, ...setting.parts },
  };
  return { shell, read: () => ({ stdout: stdout.text(), stderr: stderr.text() }) };
}

function recorder({ terminal = false, columns, shown }: Setting) {
  const chunks: Buffer[] = [];
  const stream = new PassThrough().on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    shown?.(chunk.toString());
  });
  const looks = { isTTY: terminal, hasColors: () => terminal, ...(columns === undefined ? {} : { columns }) };
  return { stream: Object.assign(stream, looks), text: () => Buffer.concat(chunks).toString() };
}

/** Parts that fail the test if it uses them without providing them. */
const noParts: Parts = {
  untrustedPrograms: async () => [],
  workspaceTrust: async (workspace) => ({ workspace, trusted: false, programs: [] }),
  trustWorkspace: async (workspace) => ({ workspace, trusted: true, programs: [] }),
  distrustWorkspace: absent,
  trustedWorkspaces: absent,
  loadConfig: absent,
  providerRows: absent,
  createLogger: absent,
  requireNoServer: async () => {},
  takenPorts: async () => [],
  withFreePorts: absent,
  start: absent,
  reach: absent,
  reachPlatform: absent,
  reachCloud: absent,
  reachTranslator: absent,
  reachWorkspace: absent,
  reachGateway: absent,
  readSpecFiles: absent,
  consoleLink: absent,
  backupPlace: absent,
  makeBackup: absent,
  restoreBackup: absent,
  describeDrills: absent,
  performDrills: absent,
  installProgram: absent,
  upgradeProgram: absent,
  uninstallProgram: absent,
  readLicenses: absent,
  serverHealth: absent,
  printService: absent,
  installService: absent,
  serviceStatus: absent,
  uninstallService: absent,
  editText: absent,
  chooseModel: absent,
  localModels: async () => [],
  validate: absent,
  importManifest: absent,
  packAgent: absent,
  openPack: absent,
  unpackAgent: absent,
  jsonSchema: absent,
  readCassette: absent,
  requireWritable: absent,
  writeCassette: absent,
  replay: absent,
  compareCassettes: absent,
  findDocuments: absent,
  findSources: absent,
  readDocumentFile: absent,
  hasDocumentFile: absent,
  readGoldenSet: absent,
  evaluateRetrieval: absent,
  evalFiles: absent,
  readEval: absent,
  readEvalText: absent,
  overrideRelease: absent,
  compareEvalRuns: absent,
  writeEvalReport: absent,
  addCaseFromTrace: absent,
};

function absent(): never {
  throw new Error("this test hands over no such part");
}

interface DaemonSetting {
  via?: "store" | "server";
  /** Collects the flags of each loaded configuration. */
  asked?: ConfigFlags[];
  closed?: () => void;
}

/** Parts over a daemon with scripted answers. */
export function daemonParts(
  client: Partial<DaemonClient>,
  { via = "store", asked = [], closed = () => {} }: DaemonSetting = {},
): Partial<Parts> {
  return {
    loadConfig: async (flags) => {
      asked.push(flags);
      return configWith({});
    },
    reach: async () => ({
      client: client as DaemonClient,
      via,
      close: async () => closed(),
    }),
  };
}

/** A configuration with these values, for commands that read no others. */
export function configWith(values: Partial<Config>): Config {
  return { workspace: "/nowhere", dataFolder: "/nowhere/.argosy", settings: [], ...values } as Config;
}

/** A stream of frames that obeys the signal of the run, like the daemon's. */
export function framesOf(...frames: StreamFrame[]): DaemonClient["stream"] {
  return async function* (_agent, _request, signal) {
    for (const frame of frames) {
      signal?.throwIfAborted();
      yield frame;
    }
  };
}

export const metadata = {
  provider: "rehearsal",
  model: "rehearsal",
  pattern: "react",
  iterations: 2,
  tokens_used: 15,
  latency_ms: 12.4,
} as const;

export const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

/** The last frame of a successful run. */
export function doneFrame(response: string, more: object = {}): StreamFrame {
  return {
    type: "done",
    response,
    session_id: "s1",
    trace_id: "t1",
    usage,
    timing: { total_ms: 12.4 },
    metadata: { ...metadata, ...more },
  };
}

export const notFound = new AppError("not_found", "agent_not_found", "There is no agent with this name.", {
  details: { hint: "Did you mean support?" },
});
