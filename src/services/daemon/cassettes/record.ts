import { cassetteBytesMax } from "../../../engine/cassettes/cassette-size.ts";
import { develop } from "../../../engine/cassettes/develop.ts";
import { recordRun } from "../../../engine/cassettes/record-run.ts";
import { maskFor } from "../../../engine/run/own-secrets.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { RunRequest } from "../../../engine/run/run-request.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import type { CassettePorts } from "./replay-cassette.ts";

/** Runs an agent and stores a recording of the run. */
export function record(
  {
    runs,
    version,
    cassettes: { folder, maskKnown },
  }: { runs: RunPorts; version: string; cassettes: CassettePorts },
  agent: RunnableAgent,
  request: RunRequest,
): AsyncGenerator<RunEvent, void> {
  const mask = maskFor({ maskKnown }, agent) ?? maskKnown;
  return recordRun(runs, agent, request, {
    argosy: version,
    async keep(recording) {
      const cassette = develop(recording, { maskKnown: mask, bytesMax: cassetteBytesMax });
      await folder.keep(request.tenant, cassette);
      return cassette.summary.id;
    },
  });
}
