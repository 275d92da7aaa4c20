import { join } from "node:path";
import type { Worker } from "../../../kit/worker.ts";
import { openCassetteFolder } from "../../../services/daemon/cassettes/cassette-folder.ts";
import type { CassettePorts } from "../../../services/daemon/cassettes/cassette-ports.ts";
import {
  CassetteRetention,
  cassetteLimitsDefault,
} from "../../../services/daemon/cassettes/cassette-retention.ts";
import { childCommand } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import { createReplayer, type ReplayerOptions } from "./replay.ts";
import { createReplayProcess } from "./replay-process.ts";

/** Sets up the daemon's cassettes in its data folder, and the worker that enforces their limits. */
export function assembleCassettes(
  { config, folder, clock, log }: Pick<Foundation, "config" | "folder" | "clock" | "log">,
  options: Pick<ReplayerOptions, "templates" | "runs" | "routerFor">,
): CassettePorts & { worker: Worker; close: () => void } {
  const path = join(folder.path, "cassettes");
  const retention = new CassetteRetention(path, cassetteLimitsDefault, clock, log);
  const cassettes = openCassetteFolder(path, (bytes) => retention.added(bytes));
  const offline = createReplayProcess(childCommand("replay-child"), clock);
  const maskKnown = (text: string) => config.knownSecrets.mask(text);
  return {
    folder: cassettes,
    replay: createReplayer({
      ...options,
      offline,
      folder: cassettes,
      maskKnown,
      recordsContent: config.observability.record,
    }),
    maskKnown,
    worker: retention.worker(),
    close: offline.close,
  };
}
