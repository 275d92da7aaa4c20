import { join } from "node:path";
import type { Worker } from "../../kit/worker.ts";
import { openCassetteFolder } from "../../services/daemon/cassettes/cassette-folder.ts";
import {
  CassetteRetention,
  cassetteLimitsDefault,
} from "../../services/daemon/cassettes/cassette-retention.ts";
import {
  createReplayer,
  type ReplayerOptions,
} from "../../services/daemon/cassettes/replay/create-replayer.ts";
import { createReplayProcess } from "../../services/daemon/cassettes/replay/replay-process.ts";
import type { CassettePorts } from "../../services/daemon/cassettes/replay-cassette.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";

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
    ...createReplayer({
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
