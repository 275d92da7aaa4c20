import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { cassetteBytesMax } from "../../../engine/cassettes/read-cassette.ts";
import { recordRun } from "../../../engine/cassettes/record/record-run.ts";
import { renderCassette } from "../../../engine/cassettes/record/render-cassette.ts";
import { maskFor } from "../../../engine/run/own-secrets.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import type { CassettePorts } from "./replay-cassette.ts";

/** Runs an agent and stores a recording of the run. */
export function record(
  {
    runs,
    version,
    cassettes: { folder, maskKnown },
  }: { runs: RunPorts; version: string; cassettes: CassettePorts },
  agent: RunnableAgent,
  request: EngineRequest,
): AsyncGenerator<RunEvent, void> {
  const mask = maskFor({ maskKnown }, agent) ?? maskKnown;
  return recordRun(runs, agent, request, {
    argosy: version,
    async keep(recording) {
      const cassette = renderCassette(recording, { maskKnown: mask, bytesMax: cassetteBytesMax });
      await folder.keep(request.tenant, cassette);
      return cassette.summary.id;
    },
  });
}
