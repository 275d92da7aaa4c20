import { version } from "../../../../package.json";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { ReplayReport } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { cassetteBytesMax } from "../../../engine/cassettes/read-cassette.ts";
import { renderCassette } from "../../../engine/cassettes/record/render-cassette.ts";
import { replayRun } from "../../../engine/cassettes/replay/replay-run.ts";
import { createMinijinjaEngine } from "../../../engine/templates/minijinja/minijinja-engine.ts";
import { systemClock } from "../../../kit/clock.ts";
import { silentLogger } from "../../../kit/log.ts";
import { childCommand } from "../../child-command.ts";
import { builtRegistries } from "../registries.ts";

/** Replays without workspace, data folder or network. `record` gets the text of the replay's own recording. */
export async function replayOffline(
  cassette: Cassette,
  {
    strict,
    signal,
    record,
  }: { strict: boolean; signal: AbortSignal; record?: (text: string) => Promise<void> },
): Promise<ReplayReport> {
  const templates = createMinijinjaEngine({
    clock: systemClock,
    childCommand: childCommand("template-child"),
  });
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
