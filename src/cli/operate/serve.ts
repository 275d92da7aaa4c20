import type { Readable } from "node:stream";
import { Command } from "commander";
import { requireSound } from "../../compose/settings/config.ts";
import { type CommandCall, loadConfig, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { logLine } from "../terminal/log-line.ts";
import { paint } from "../terminal/paint.ts";
import { counted } from "../terminal/table.ts";
import { offerPorts } from "./offer-ports.ts";

interface ServeOptions {
  port?: string;
  host?: string;
  services?: string;
  insecureOpen?: boolean;
  rehearse?: boolean;
  stopWithStdin?: boolean;
  enableWebchat?: boolean;
}

/** A test compares it with the descriptions of the services, which a start loads later. */
const servicesHelp = `
Services, their ports, and the variables that change these (or services.<name>.port in runtime.yaml):
  daemon      8000  PLATFORM_PORT, ARGOSY_DAEMON_PORT
  platform    8080  ARGOSY_PLATFORM_PORT
  gateway     8081  ARGOSY_GATEWAY_PORT
  cloud       8082  ARGOSY_CLOUD_PORT
  translator  8100  ARGOSY_TRANSLATOR_PORT
To start fewer, use --services daemon,platform, or services.cloud.enabled: false in runtime.yaml.`;

export const serveCommand = (perform: Perform) =>
  new Command("serve")
    .description("start Argosy's five services, or those chosen, and serve until stopped")
    .option(
      "--port <port>",
      "the daemon's port (PLATFORM_PORT, else 8000); 0 picks a free port for every service",
    )
    .option("--host <address>", "the address to listen on (127.0.0.1)")
    .option(
      "--services <names>",
      "only these services, separated by commas (daemon,platform,gateway,cloud,translator)",
    )
    .option("--insecure-open", "allow requests from other machines without a token")
    .option("--enable-webchat", "open the gateway's web chat routes")
    .option("--rehearse", "run every agent on the built-in stand-in: no key, no model, simulated answers")
    .option(
      "--stop-with-stdin",
      "also stop when standard input ends, as it does when the program at its other end dies",
    )
    .addHelpText("after", servicesHelp)
    .action((options: ServeOptions, command: Command) => perform(command, (call) => serve(call, options)));

/** Serves until the first signal, or the end of stdin if that is watched, then stops gracefully. With `--json`, one line on stdout reports when it is ready, and the addresses. */
async function serve(call: CommandCall, options: ServeOptions): Promise<ExitCode> {
  const { shell, screen } = call;
  const signal = options.stopWithStdin ? AbortSignal.any([call.signal, ended(shell.stdin)]) : call.signal;
  const read = await readConfig(call, options);
  await shell.parts.requireNoServer(read);
  let loaded = requireSound(read);
  if (screen.hasReader) {
    const { offerFirstSteps } = await import("../workspace/init/first-start.ts");
    if (await offerFirstSteps(call, loaded)) loaded = await loadConfig(call, options);
  }
  const config = await offerPorts(call, loaded);
  const log = await shell.parts.createLogger(
    config,
    screen.hasReader && !screen.json ? (json) => screen.say(...logLine(lineOf(json))) : undefined,
  );
  if (screen.hasReader) await (await import("../workspace/require-trust.ts")).offerTrust(call, config);
  try {
    const running = await shell.parts.start(config, log);
    try {
      if (screen.json) screen.record({ services: running.services });
      // The log reports the same as a line of JSON, and without a reader stderr has only the log.
      if (screen.hasReader) {
        for (const { name, url } of running.services) screen.say(paint("bold", name), " ", url);
        const link = running.consoleLink();
        if (link !== undefined) {
          const note = "  works once, within ten minutes; `argosy console` prints another link";
          screen.say(paint("bold", "console"), " ", link, paint("dim", note));
        }
        screen.say(paint("dim", "Press Ctrl-C to stop, twice to stop at once."));
      }
      await aborted(signal);
      const runs = running.runs();
      if (screen.hasReader && runs > 0) {
        screen.say(`Waiting for ${counted(runs, "run")}, 10 seconds at most. Ctrl-C stops at once.`);
      }
    } finally {
      await running.stop();
    }
  } finally {
    log.flush();
  }
  return exitCodes.ok;
}

/** The parts of a line of the log, which is JSON. */
function lineOf(json: string): Parameters<typeof logLine>[0] {
  const { time, level, event, ...fields } = JSON.parse(json);
  return { time, level, event, fields };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Returns a signal that aborts when `stdin` ends. Its content is ignored. */
function ended(stdin: Readable): AbortSignal {
  const end = new AbortController();
  for (const event of ["end", "close", "error"]) stdin.once(event, () => end.abort());
  stdin.resume();
  return end.signal;
}
