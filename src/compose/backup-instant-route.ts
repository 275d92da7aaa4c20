import type { ServiceApp } from "../http/service-app.ts";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import {
  backupRunning,
  type DataInstant,
  type HeldInstant,
  holdInstant,
} from "../storage/backup/data-instant.ts";
import { factsOf, type InstallationFacts } from "../storage/backup/missing-from.ts";
import type { Config } from "./settings/config.ts";

/** Path on the control sockets where a backup asks for one instant of the data folder. */
export const holdPath = "/backup/hold";

/** A caller that reads nothing for so long gets no longer hold: meanwhile the write-ahead logs only grow. */
const holdMaxMs = 3_600_000;
const heartbeatMs = 5_000;

/** Holds instants of a data folder, one at a time. */
export interface InstantHolder {
  /** Answers with the instant as a line of JSON, and keeps it until the caller closes the connection. */
  answer(callerPid: number): Promise<Response>;
}

/** An instant as the server tells it, with the facts of its own configuration. */
export type ToldInstant = DataInstant & { facts: InstallationFacts };

export function createInstantHolder(
  { dataFolder, ...config }: Pick<Config, "dataFolder" | "databaseUrl" | "redisUrl" | "secrets">,
  clock: Clock,
  log: Logger,
): InstantHolder {
  let isHeld = false;
  return {
    async answer(callerPid) {
      if (isHeld) throw backupRunning();
      isHeld = true;
      let held: HeldInstant;
      try {
        held = await holdInstant(dataFolder, callerPid, clock);
      } catch (thrown) {
        isHeld = false;
        throw thrown;
      }
      const { release, ...instant } = held;
      const told: ToldInstant = { ...instant, facts: factsOf(config) };
      log.info("backup.held", { databases: instant.databases.length, files: instant.files.length });
      return new Response(
        heldStream(`${JSON.stringify(told)}\n`, clock, () => {
          release();
          isHeld = false;
          log.info("backup.released");
        }),
        { headers: { "content-type": "application/x-ndjson" } },
      );
    },
  };
}

/** Sends `first`, then an empty line now and then, until the reader leaves. */
function heldStream(first: string, clock: Clock, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stops: (() => void)[] = [];
  const end = () => {
    for (const stop of stops.splice(0)) stop();
    onEnd();
  };
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(first));
      const beat = () => {
        stops[1] = clock.timer(heartbeatMs, () => {
          controller.enqueue(encoder.encode("\n"));
          beat();
        });
      };
      stops[0] = clock.timer(holdMaxMs, () => {
        end();
        controller.close();
      });
      beat();
    },
    cancel: end,
  });
}

/** Adds the hold to a service's control socket, where only the machine's owner comes in. */
export function withHold(app: ServiceApp, holder: InstantHolder): ServiceApp {
  return {
    ...app,
    async handle(request, origin) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== holdPath || request.method !== "POST") return app.handle(request, origin);
      try {
        return await holder.answer(pidOf(searchParams.get("pid")));
      } catch (thrown) {
        return app.fail(thrown);
      }
    },
  };
}

function pidOf(text: string | null): number {
  const pid = Number(text);
  if (Number.isInteger(pid) && pid > 0) return pid;
  throw new AppError("invalid", "invalid_pid", "`pid` must be the id of the calling process.");
}
