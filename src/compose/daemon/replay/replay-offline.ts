import { version } from "../../../../package.json" with { type: "json" };
import type { Cassette } from "../../../contracts/daemon/cassette-file.ts";
import type { ReplayReport } from "../../../contracts/daemon/cassettes.ts";
import { cassetteBytesMax } from "../../../engine/cassettes/cassette-size.ts";
import { develop } from "../../../engine/cassettes/develop.ts";
import { replayRun } from "../../../engine/cassettes/replay-run.ts";
import { createMinijinjaEngine } from "../../../engine/prompts/minijinja-engine.ts";
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
              const { text, summary } = develop(recording, {
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
