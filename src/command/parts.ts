import { childCommand } from "../compose/child-command.ts";
import type { createProcessLogger, ShowLine } from "../compose/logging.ts";
import type { Config, ConfigFlags } from "../compose/settings/config.ts";
import type { SettingRow } from "../compose/settings/setting.ts";
import type { TrustedFolder } from "../compose/settings/trust/trusted-folders.ts";
import type { startArgosy } from "../compose/start.ts";
import type { Cassette } from "../contracts/daemon/cassettes/cassette-file.ts";
import type { CassetteComparison, ReplayReport } from "../contracts/daemon/cassettes/cassettes.ts";
import type { DaemonClient } from "../contracts/daemon/client.ts";
import type { EvalComparison, EvalRun } from "../contracts/evals/eval-run.ts";
import type { OfflineReplay } from "../engine/cassettes/replay/replay-offline.ts";
import type { LoadedEval } from "../evals/dataset/load-eval.ts";
import type { AddedCase, TraceCaseChoices } from "../evals/files/add-from-trace.ts";
import type { EvalChoices } from "../evals/files/plan-eval.ts";
import type { Logger } from "../kit/log.ts";
import type { RagEvalFile } from "../manifest/files/rag-eval-file.ts";
import type { ManifestKindName } from "../manifest/schema/kind-names.ts";
import type { backupPlace } from "./backup/backup-place.ts";
import type { makeBackup } from "./backup/make-backup.ts";
import type { restoreBackup } from "./backup/restore-backup.ts";
import type { ChosenModel } from "./choose-model.ts";
import type { openConsoleLink } from "./console-link.ts";
import type { DocumentEntry, DocumentSearch, FoundDocuments } from "./document-files.ts";
import type { TakenPort } from "./free-ports.ts";
import type { importManifest } from "./import-manifest.ts";
import type { InstallHere, installHere, uninstallHere } from "./install/install-here.ts";
import type { openPackHere, packHere, unpackHere } from "./pack/packs-here.ts";
import type { describeDrillsHere, performDrills } from "./perform-drills.ts";
import type { evaluateRetrieval } from "./rag-eval.ts";
import type { reachDaemon } from "./reach.ts";
import type { ReachedCloud, reachCloud } from "./reach-cloud.ts";
import type { ReachedGateway, reachGateway } from "./reach-gateway.ts";
import type { ReachedPlatform, reachPlatform } from "./reach-platform.ts";
import type { ReachedTranslator, reachTranslator } from "./reach-translator.ts";
import type { ReachedWorkspace, reachWorkspace } from "./reach-workspace.ts";
import type { requireNoServer } from "./running-server.ts";
import type { serverHealth } from "./server-health.ts";
import type {
  installServiceHere,
  ServiceRequest,
  serviceStatusHere,
  uninstallServiceHere,
} from "./service/service-here.ts";
import type { readSpecFiles } from "./spec-files.ts";
import type { UpgradeRequest, upgradeHere } from "./upgrade/upgrade-here.ts";
import type { ValidatedFile } from "./validate.ts";
import type { WorkspaceTrust } from "./workspace-trust.ts";

export type StartedArgosy = Awaited<ReturnType<typeof startArgosy>>;
export type ReachedDaemon = Awaited<ReturnType<typeof reachDaemon>>;
export type { ReachedCloud, ReachedGateway, ReachedPlatform, ReachedTranslator, ReachedWorkspace };
export type CommandLogger = ReturnType<typeof createProcessLogger>;

/** The rest of Argosy as commands use it. Each part is loaded at its first call, so that no command pays for another's. */
export interface Parts {
  /** Returns the programs of a workspace that is not trusted; none if `unlessServed` and a running server does the work. */
  untrustedPrograms(config: Config, options?: { unlessServed?: boolean }): Promise<string[]>;
  workspaceTrust(workspace: string): Promise<WorkspaceTrust>;
  trustWorkspace(workspace: string): Promise<WorkspaceTrust>;
  /** Returns false if the workspace wasn't trusted. */
  distrustWorkspace(workspace: string): Promise<boolean>;
  trustedWorkspaces(): Promise<TrustedFolder[]>;
  /** Reads the configuration, sound or not. */
  loadConfig(flags: ConfigFlags): Promise<Config>;
  /** Opens the user's editor on a text, and returns what was saved. */
  editText(text: string): Promise<string>;
  /** Returns the model that `text` names: `<provider>/<model>`, `<provider>` or `auto`. */
  chooseModel(text: string, signal: AbortSignal): Promise<ChosenModel>;
  /** Returns a model of each model server that answers on this machine. */
  localModels(signal: AbortSignal): Promise<ChosenModel[]>;
  /** The providers of providers.yaml and those set up through the API, for a list of settings. */
  providerRows(config: Config): Promise<SettingRow[]>;
  /** With `show`, a person reads the log: each line is handed over, unless a format is configured. */
  createLogger(config: Config, show?: ShowLine): Promise<CommandLogger>;
  /** Throws AppError `server_running` if a server runs on the data folder. */
  requireNoServer: typeof requireNoServer;
  /** The enabled services whose ports other programs have. */
  takenPorts(config: Config): Promise<TakenPort[]>;
  withFreePorts(config: Config, taken: readonly TakenPort[]): Promise<Config>;
  start(config: Config, log: CommandLogger): Promise<StartedArgosy>;
  /** Reaches the daemon; without a server, also assembles the other services if their checks are wanted. */
  reach(
    config: Config,
    log: Logger,
    options?: { withOthers?: boolean; runsAgents?: boolean; serverOnly?: boolean },
  ): Promise<ReachedDaemon>;
  reachPlatform: typeof reachPlatform;
  reachCloud: typeof reachCloud;
  reachGateway: typeof reachGateway;
  reachTranslator: typeof reachTranslator;
  /** Reads the workspace's files and reaches the platform and the gateway that they are applied to. */
  reachWorkspace: typeof reachWorkspace;
  /** Reads the manifests of agents and pipelines at these paths, pipelines first. */
  readSpecFiles: typeof readSpecFiles;
  consoleLink: typeof openConsoleLink;
  backupPlace: typeof backupPlace;
  makeBackup: typeof makeBackup;
  restoreBackup: typeof restoreBackup;
  /** Copies the running executable onto the PATH. */
  installProgram(request: InstallHere): ReturnType<typeof installHere>;
  uninstallProgram(): Promise<ReturnType<typeof uninstallHere>>;
  /** Replaces the running executable by the latest release. */
  upgradeProgram(request: UpgradeRequest): ReturnType<typeof upgradeHere>;
  /** The drills that this executable knows. */
  describeDrills: (
    ...args: Parameters<typeof describeDrillsHere>
  ) => Promise<ReturnType<typeof describeDrillsHere>>;
  /** Performs drills in the server that runs on the data folder. */
  performDrills: typeof performDrills;
  readLicenses(): Promise<string>;
  serverHealth: typeof serverHealth;
  /** Returns the file that `installService` would write. */
  printService(config: Config, request: Pick<ServiceRequest, "account">): Promise<string>;
  /** Lets the machine start the server of this workspace. */
  installService(config: Config, request: ServiceRequest): ReturnType<typeof installServiceHere>;
  serviceStatus(): ReturnType<typeof serviceStatusHere>;
  uninstallService(): ReturnType<typeof uninstallServiceHere>;
  /** Checks the files at these paths, or those of the workspace if there are none. */
  validate(
    flags: Pick<ConfigFlags, "workspace" | "data">,
    paths: readonly string[],
  ): Promise<ValidatedFile[]>;
  /** Rewrites the file at this path. */
  importManifest(...args: Parameters<typeof importManifest>): Promise<ReturnType<typeof importManifest>>;
  packAgent(...args: Parameters<typeof packHere>): Promise<ReturnType<typeof packHere>>;
  openPack(...args: Parameters<typeof openPackHere>): Promise<ReturnType<typeof openPackHere>>;
  unpackAgent(...args: Parameters<typeof unpackHere>): Promise<ReturnType<typeof unpackHere>>;
  jsonSchema(kind: ManifestKindName): Promise<unknown>;
  /** Reads the cassette in the file at `path`. */
  readCassette(path: string): Promise<Cassette>;
  /** Throws if no recording can be written to the path. */
  requireWritable(path: string): Promise<void>;
  writeCassette(path: string, text: string): Promise<void>;
  /** Replays a cassette on its own: no workspace, no data folder, no network. */
  replay(cassette: Cassette, options: OfflineReplay): Promise<ReplayReport>;
  compareCassettes(first: Cassette, second: Cassette): Promise<CassetteComparison>;
  findDocuments(search: DocumentSearch): Promise<FoundDocuments>;
  findSources(workspace: string, patterns: readonly string[]): Promise<FoundDocuments>;
  readDocumentFile(entry: DocumentEntry): Promise<Uint8Array<ArrayBuffer>>;
  hasDocumentFile(
    search: Pick<DocumentSearch, "workspace" | "folder" | "paths">,
    id: string,
  ): Promise<boolean>;
  /** Reads the golden set at `path`; `shown` is the path as the user typed it. */
  readGoldenSet(path: string, shown: string): Promise<RagEvalFile>;
  evaluateRetrieval: typeof evaluateRetrieval;
  /** The *.eval.yaml files of a workspace. */
  evalFiles(workspace: string): Promise<string[]>;
  /** Reads the eval at `path`; `shown` is the path as the user typed it. */
  readEval(
    path: string,
    shown: string,
    choices: Pick<EvalChoices, "judgeModel" | "variants">,
  ): Promise<LoadedEval>;
  /** Reads a prompt file of a variant. */
  readEvalText(path: string): Promise<string>;
  /** Lets a version past its release gate, with a reason. */
  overrideRelease: (config: Config, agent: string, fingerprint: string, reason: string) => Promise<void>;
  compareEvalRuns(before: EvalRun, after: EvalRun): Promise<EvalComparison>;
  writeEvalReport(format: "junit" | "html", path: string, runs: readonly EvalRun[]): Promise<void>;
  addCaseFromTrace(client: DaemonClient, choices: TraceCaseChoices): Promise<AddedCase>;
}

export const builtParts: Parts = {
  untrustedPrograms: async (...given) => (await workspaceTrust()).untrustedPrograms(...given),
  workspaceTrust: async (workspace) => (await workspaceTrust()).trustOf(workspace, await userVariable()),
  trustWorkspace: async (workspace) =>
    (await workspaceTrust()).trustWorkspace(workspace, await userVariable()),
  distrustWorkspace: async (workspace) =>
    (await workspaceTrust()).distrustWorkspace(workspace, await userVariable()),
  trustedWorkspaces: async () => (await workspaceTrust()).trustedWorkspaces(await userVariable()),
  loadConfig: async (flags) => (await import("../compose/load-config.ts")).readConfig(flags),
  editText: async (text) => (await import("./open-editor.ts")).openEditor(text, await userVariable()),
  chooseModel: async (text, signal) => {
    const { chooseModel, findLocalServers } = await chosenModel();
    return chooseModel(text, findLocalServers, signal);
  },
  localModels: async (signal) => {
    const { findLocalServers, localModel } = await chosenModel();
    return (await findLocalServers(signal)).map(localModel);
  },
  providerRows: async (config) =>
    (await (await import("./known-providers.ts")).openKnownProviders(config)).rows(config),
  createLogger: async (...given) => (await import("../compose/logging.ts")).createProcessLogger(...given),
  requireNoServer: async (config) => (await import("./running-server.ts")).requireNoServer(config),
  takenPorts: async (config) => (await freePorts()).takenPorts(config),
  withFreePorts: async (...given) => (await freePorts()).withFreePorts(...given),
  start: async (config, log) =>
    (await import("../compose/start.ts")).startArgosy(config, { log, ring: log.ring, watchStalls: true }),
  reach: async (config, log, options) =>
    (await import("./reach.ts")).reachDaemon(config, { log, ...options }),
  reachPlatform: async (config, options) =>
    (await import("./reach-platform.ts")).reachPlatform(config, options),
  reachCloud: async (config, options) => (await import("./reach-cloud.ts")).reachCloud(config, options),
  reachGateway: async (config, options) => (await import("./reach-gateway.ts")).reachGateway(config, options),
  reachTranslator: async (config, options) =>
    (await import("./reach-translator.ts")).reachTranslator(config, options),
  reachWorkspace: async (config, options) =>
    (await import("./reach-workspace.ts")).reachWorkspace(config, options),
  readSpecFiles: async (...args) => (await import("./spec-files.ts")).readSpecFiles(...args),
  backupPlace: async (...given) => (await import("./backup/backup-place.ts")).backupPlace(...given),
  makeBackup: async (...given) => (await import("./backup/make-backup.ts")).makeBackup(...given),
  restoreBackup: async (...given) => (await import("./backup/restore-backup.ts")).restoreBackup(...given),
  describeDrills: async (...given) => (await import("./perform-drills.ts")).describeDrillsHere(...given),
  performDrills: async function* (...given) {
    yield* (await import("./perform-drills.ts")).performDrills(...given);
  },
  consoleLink: async (config) => (await import("./console-link.ts")).openConsoleLink(config),
  installProgram: async (request) =>
    (await import("./install/install-here.ts")).installHere(request, await userVariable()),
  uninstallProgram: async () =>
    (await import("./install/install-here.ts")).uninstallHere(await userVariable()),
  upgradeProgram: async (request) =>
    (await import("./upgrade/upgrade-here.ts")).upgradeHere(request, await userVariable()),
  readLicenses: async () => (await import("./license-texts.ts")).readLicenses(),
  serverHealth: async (...given) => (await import("./server-health.ts")).serverHealth(...given),
  printService: async (...given) => (await serviceHere()).printService(...given, await userVariable()),
  installService: async (...given) =>
    (await serviceHere()).installServiceHere(...given, await userVariable()),
  serviceStatus: async () => (await serviceHere()).serviceStatusHere(await userVariable()),
  uninstallService: async () => (await serviceHere()).uninstallServiceHere(await userVariable()),
  validate: async (flags, paths) => (await import("./validate.ts")).validateWorkspace(flags, paths),
  importManifest: async (...args) => (await import("./import-manifest.ts")).importManifest(...args),
  packAgent: async (...args) => (await import("./pack/packs-here.ts")).packHere(...args),
  openPack: async (...args) => (await import("./pack/packs-here.ts")).openPackHere(...args),
  unpackAgent: async (...args) => (await import("./pack/packs-here.ts")).unpackHere(...args),
  jsonSchema: async (kind) => (await import("./published-schema.ts")).publishedSchema(kind),
  readCassette: async (path) => (await cassetteFiles()).readCassetteFile(path),
  requireWritable: async (path) => (await cassetteFiles()).requireWritable(path),
  writeCassette: async (path, text) => (await cassetteFiles()).writeCassetteFile(path, text),
  replay: async (cassette, options) =>
    (await import("../engine/cassettes/replay/replay-offline.ts")).replayOffline(
      cassette,
      options,
      childCommand("template-child"),
    ),
  compareCassettes: async (first, second) =>
    (await import("../services/daemon/cassettes/replay/create-replayer.ts")).compareCassettes(first, second),
  findDocuments: async (search) => (await documentFiles()).findDocuments(search),
  findSources: async (workspace, patterns) => (await documentFiles()).findSources(workspace, patterns),
  readDocumentFile: async (entry) => (await documentFiles()).readDocumentFile(entry),
  hasDocumentFile: async (search, id) => (await documentFiles()).hasDocumentFile(search, id),
  readGoldenSet: async (path, shown) => (await ragEval()).readGoldenSet(path, shown),
  evaluateRetrieval: async (client, set, options) =>
    (await ragEval()).evaluateRetrieval(client, set, options),
  evalFiles: async (workspace) => (await evalFile()).evalFiles(workspace),
  readEval: async (path, shown, choices) => (await evalFile()).readEval(path, shown, choices),
  readEvalText: async (path) => (await evalFile()).readEvalText(path),
  overrideRelease: async (config, agent, fingerprint, reason) => {
    const { openReleaseRecords } = await import("../services/daemon/release/release-records.ts");
    const { systemClock } = await import("../kit/clock.ts");
    openReleaseRecords(config).override(agent, fingerprint, reason, systemClock.now());
  },
  async compareEvalRuns(before, after) {
    const { compareRuns } = await import("../evals/comparing/compare-runs.ts");
    const side = ({ run, results }: EvalRun) => ({ head: run, results });
    return compareRuns(side(before), side(after));
  },
  writeEvalReport: async (format, path, runs) =>
    (await import("../evals/files/write-report.ts")).writeEvalReport(format, path, runs),
  addCaseFromTrace: async (client, choices) =>
    (await import("../evals/files/add-from-trace.ts")).addCaseFromTrace(client, choices),
};

const freePorts = () => import("./free-ports.ts");
const chosenModel = () => import("./choose-model.ts");
const evalFile = () => import("../evals/files/read-eval-file.ts");

const userVariable = async () => (await import("../compose/load-config.ts")).processVariable;
const workspaceTrust = () => import("./workspace-trust.ts");
const serviceHere = () => import("./service/service-here.ts");
const documentFiles = () => import("./document-files.ts");
const ragEval = () => import("./rag-eval.ts");
const cassetteFiles = () => import("../engine/cassettes/cassette-files.ts");
