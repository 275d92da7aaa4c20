import { version } from "../../../../package.json";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { ReplayReport } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { systemClock } from "../../../kit/clock.ts";
import { silentLogger } from "../../../kit/log.ts";
import { builtRegistries } from "../../agents/manifest-registries.ts";
import { createMinijinjaEngine } from "../../templates/minijinja/minijinja-engine.ts";
import { cassetteBytesMax } from "../read-cassette.ts";
import { renderCassette } from "../record/render-cassette.ts";
import { replayRun } from "./replay-run.ts";

export interface OfflineReplay {
  strict: boolean;
  signal: AbortSignal;
  /** Gets the text of the replay's own recording. */
  record?: (text: string) => Promise<void>;
}

/** Replays without workspace, data folder or network. `templateCommand` starts the process that renders templates. */
export async function replayOffline(
  cassette: Cassette,
  { strict, signal, record }: OfflineReplay,
  templateCommand: string[],
): Promise<ReplayReport> {
  const templates = createMinijinjaEngine({ clock: systemClock, childCommand: templateCommand });
  try {
    return await replayRun(
      cassette,
      {
        parts: { registries: builtRegistries(), templates },
        ports: { log: silentLogger, redact: (value) => value },
      },
      {
        strict,
        signal,
        ...(record && {
          record: {
            argosy: version,
            async keep(recording) {
              // The cassette contains no secrets, because they were masked when it was recorded.
              const { text, summary } = renderCassette(recording, {
                maskKnown: (plain) => plain,
                bytesMax: cassetteBytesMax,
              });
              await record(text);
              return summary.id;
            },
          },
        }),
      },
    );
  } finally {
    templates.close();
  }
}
