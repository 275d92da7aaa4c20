import { version } from "../../package.json";
import { BodyBudget } from "../http/bodies/body-budget.ts";
import { type Listener, listen, listenOnSocket } from "../http/listen.ts";
import { StartingApp } from "../http/starting-app.ts";
import type { Clock } from "../kit/clock.ts";
import { endOfTurn } from "../kit/concurrency/others-turn.ts";
import type { Logger } from "../kit/log.ts";
import type { LogRing } from "../kit/log-ring.ts";
import { endStartPolicy } from "../kit/process/jit-policy.ts";
import { type StallWatch, watchStalls } from "../kit/process/stalls/stall-watch.ts";
import { sweepStaging } from "../storage/backup/data-instant.ts";
import { controlSocketPath } from "../storage/files/data-folder.ts";
import { assembleArgosy } from "./assemble.ts";
import { createInstantHolder, withHold } from "./backup-instant-route.ts";
import { type AssembledConsole, assembleConsole } from "./console.ts";
import { listenForNodes, withoutNodes } from "./daemon/node-door.ts";
import { requireSafeBinding } from "./exposure.ts";
import { withServerFacts } from "./server-route.ts";
import type { Service } from "./service.ts";
import { services } from "./services.ts";
import type { Config } from "./settings/config.ts";
import { announceOpenedNetworks } from "./settings/network-settings.ts";
import { serviceConfig } from "./settings/service-settings.ts";
import { readTls } from "./settings/tls.ts";
import { whenFolderIsFree } from "./when-folder-is-free.ts";

export interface RunningArgosy {
  services: { name: string; url: string }[];
  /** Returns a link that opens the console once as this machine's owner; undefined without a console. */
  consoleLink(): string | undefined;
  /** How many runs are going on. */
  runs(): number;
  /** Refuses new work, lets runs end within 10 s, cancels the rest, and writes pending data. */
  stop(): Promise<void>;
}

export interface StartOptions {
  log: Logger;
  /** The newest lines of `log`, for the owner; none unless given. */
  ring?: LogRing;
  /** Watches the main thread from another one; for a process that only serves. */
  watchStalls?: boolean;
  /** This machine's clock; the system's unless given. */
  clock?: Clock;
}

/** Maximum time for running requests to end when the process stops; then they are cancelled. */
const gracefulStopMs = 10_000;
/** Maximum time for a cancelled run to send its end; then its connection is closed. */
const lastWordMs = 1_000;
const workersStopMs = 5_000;
/** Time after which the first rounds of the workers, and whatever else runs once, are over. */
const startWorkMs = 1_000;

/**
 * Starts every enabled service and its control socket. The services listen as soon as the data folder is theirs: they are alive, and ready when
 * all of them are assembled.
 */
export async function startArgosy(
  config: Config,
  { log, ring, watchStalls: isWatched = false, clock: given }: StartOptions,
): Promise<RunningArgosy> {
  for (const warning of [...config.left, ...config.warnings])
    log.warn("config.warning", { message: warning });
  requireSafeBinding(config, services, log);
  announceOpenedNetworks(config.runtime, log);
  for (const service of services) await service.requireSafe?.(config, log);
  const tls = readTls(config);
  let stalls: StallWatch | undefined;
  const noteRequest = (method: string, url: string) => stalls?.note(method, url);
  const listeners: Listener[] = [];
  const doors = new Map<string, StartingApp>();
  const running: RunningArgosy["services"] = [];
  const stopListening = (deadlineMs: number) =>
    Promise.all(listeners.map((listener) => listener.stop(deadlineMs)));
  let bodies: BodyBudget | undefined;
  const locked = (chosen: readonly Service[], clock: Clock) => {
    // A further try: they listen already.
    if (running.length > 0) return;
    bodies = new BodyBudget(clock, config.runtime.spec.limits?.request_bytes_held);
    for (const { name, portVariables } of chosen) {
      const { host, port } = serviceConfig(config.services, name);
      const door = new StartingApp(name, version, clock);
      const address = { host, port, portSetting: portVariables[0], ...(tls && { tls }) };
      const listener = listen(door, address, { clock, bodies, noteRequest });
      listeners.push(listener);
      doors.set(name, door);
      running.push({ name, url: listener.url });
    }
  };
  const assembled = await whenFolderIsFree(() =>
    assembleArgosy(config, {
      log,
      ...(given && { clock: given }),
      tls,
      startsPrograms: true,
      ...(ring && { ring }),
      locked,
    }),
  ).catch(async (thrown) => {
    await stopListening(0);
    throw thrown;
  });
  const { clock } = assembled.foundation;
  let console: AssembledConsole | undefined;
  try {
    if (config.console)
      console = await assembleConsole(assembled.foundation, assembled.services, () => running[0]?.url ?? "");
    for (const { service, app, door } of assembled.services) {
      const { name } = service;
      const outer = console?.onNetwork(service, app) ?? app;
      doors.get(name)?.serve(door === undefined ? outer : withoutNodes(outer));
      const { host } = serviceConfig(config.services, name);
      const settings = { clock, ...(bodies && { bodies }), noteRequest };
      if (door) listeners.push(listenForNodes(door, host, settings, log));
    }
    for (const { name, url } of running) log.info("service.listening", { service: name, url });
    await sweepStaging(config.dataFolder);
    const holder = createInstantHolder(config, clock, log);
    for (const { service, app, control = app } of assembled.services) {
      const controlApp = withServerFacts(
        withHold(console?.onControl(service, control) ?? control, holder),
        () => ({ services: running }),
      );
      const path = controlSocketPath(config.dataFolder, service.controlSocket);
      listeners.push(listenOnSocket(controlApp, path, { clock, ...(bodies && { bodies }), noteRequest }));
    }
  } catch (thrown) {
    await stopListening(0);
    await console?.close();
    await assembled.close(0);
    throw thrown;
  }
  // The first rounds of the workers and the routes take tens of milliseconds, and requests may be waiting.
  await endOfTurn();
  for (const { app } of assembled.services) app.prepare();
  assembled.startWorkers();
  assembled.beginIntake();
  if (isWatched) {
    await endOfTurn();
    stalls = watchStalls({ clock, log, format: config.log.format, folder: config.dataFolder });
  }
  const cancelPolicy = clock.timer(startWorkMs, endStartPolicy);
  return {
    services: running,
    consoleLink: () => console?.issueLink(),
    runs: () => assembled.services.reduce((sum, { runs }) => sum + (runs?.() ?? 0), 0),
    async stop() {
      log.info("argosy.stopping");
      cancelPolicy();
      const cancelTimer = clock.timer(gracefulStopMs, assembled.cancel);
      const deadlineMs = gracefulStopMs + lastWordMs;
      await Promise.all([stopListening(deadlineMs), assembled.retireIntake(deadlineMs)]);
      cancelTimer();
      await console?.close();
      await assembled.close(workersStopMs);
      log.info("argosy.stopped");
      stalls?.close();
    },
  };
}
