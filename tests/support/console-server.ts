import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openConsoleLink } from "../../src/command/console-link.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import type { Config } from "../../src/compose/settings/config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { createLogger } from "../../src/kit/log.ts";
import { type ConsoleBrowser, consoleBrowser } from "./console-browser.ts";
import { agentFile, stopNow } from "./daemon.ts";
import { FakeClock } from "./fake-clock.ts";
import { temporaryFolder } from "./temp-folder.ts";

type Service = "daemon" | "platform" | "gateway" | "cloud" | "translator";

/** Services with their console on free loopback ports, over a clock that does not move. */
export interface TestConsole extends AsyncDisposable {
  url(service: Service): string;
  config: Config;
  clock: FakeClock;
  /** A browser without a session. */
  browser(service?: Service): ConsoleBrowser;
  /** Returns the token of a new one-time link, through the control socket. */
  link(): Promise<string>;
  /** Returns the log so far. */
  logged(): string;
}

export interface TestConsoleOptions {
  services?: readonly Service[];
  /** Final change of the configuration, instead of flags and environment. */
  configure?: (config: Config) => Config;
  /** A folder that outlives the server. */
  workspace?: string;
  clock?: FakeClock;
}

const helper = agentFile("helper", { model: { primary: { provider: "rehearsal", model: "rehearsal" } } });

export async function startConsole(options: TestConsoleOptions = {}): Promise<TestConsole> {
  await using held = new AsyncDisposableStack();
  const workspace = options.workspace ?? held.use(temporaryFolder()).path;
  mkdirSync(join(workspace, "agents"), { recursive: true });
  writeFileSync(join(workspace, "agents/helper.agent.yaml"), helper);
  const services = (options.services ?? ["daemon", "platform"]).join(",");
  const loaded = loadConfig({ workspace, port: "0", services });
  const isolated: Config = {
    ...loaded,
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    variable: () => undefined,
  };
  const config = options.configure?.(isolated) ?? isolated;
  const clock = options.clock ?? new FakeClock();
  let text = "";
  const write = (lines: string) => {
    text += lines;
  };
  const log = createLogger({ level: "debug", format: "json", write, secrets: config.knownSecrets, clock });
  const running = held.adopt(await startArgosy(config, { log, clock }), (argosy) => stopNow(argosy, clock));
  const ending = held.move();
  const url = (service: Service) => running.services.find(({ name }) => name === service)?.url ?? "";
  return {
    url,
    config,
    clock,
    browser: (service = "daemon") => consoleBrowser(url(service)),
    link: async () => (await openConsoleLink(config)).url.split("#open=")[1] ?? "",
    logged() {
      log.flush();
      return text;
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}
