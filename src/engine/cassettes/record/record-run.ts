import { toAppError, withFacts } from "../../../kit/app-error.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { RunPorts } from "../../run/run.ts";
import { runAgent } from "../../run/run-agent.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { EngineRequest } from "../../run-state/run-request.ts";
import type { Recording } from "./recorder.ts";
import { Recorder, RecordingRoom } from "./recorder.ts";

/** Stores a finished recording and returns its name. */
export type KeepRecording = (recording: Recording) => Promise<string>;

export interface RecordOptions {
  /** The version of this program. */
  argosy: string;
  keep: KeepRecording;
  /** Bytes that the recording may hold while the run goes on; the usual ones unless given. */
  bytesMax?: number;
}

/** The location of a recording, or the reason why there is none. */
type Kept = { cassette: string } | { cassette_error: string };

/**
 * Runs an agent as `runAgent` does and records it, however it ends. The result or the error of the run has the recording's location in
 * `cassette`, or the reason why there is none in `cassette_error`. A recording that can't be made or stored never changes a run.
 */
export async function* recordRun(
  ports: RunPorts,
  agent: RunnableAgent,
  request: EngineRequest,
  { argosy, keep, bytesMax }: RecordOptions,
): AsyncGenerator<RunEvent, void> {
  const events: RunEvent[] = [];
  const recorder = new Recorder(() => events.length, request.interceptor, new RecordingRoom(bytesMax));
  const agents = new Map([[agent.name, agent]]);
  const recordedAt = ports.clock.now();
  const noting: RunPorts = {
    ...ports,
    findAgent(tenant, name) {
      const agentOfName = ports.findAgent(tenant, name);
      if (agentOfName !== undefined && !agents.has(name)) agents.set(name, agentOfName);
      return agentOfName;
    },
  };
  const keepAs = async (ending: Recording["ending"]): Promise<Kept> => {
    try {
      if (recorder.room.isFull) return { cassette_error: "The run is too long to be recorded." };
      recorder.finish();
      const recording = {
        argosy,
        recordedAt,
        agents: [...agents.values()],
        request,
        noted: recorder.noted,
        events,
        ending,
      };
      return { cassette: await keep(recording) };
    } catch (thrown) {
      const { message, kind } = toAppError(thrown);
      ports.log.warn("cassette.lost", { agent: agent.name, err: thrown });
      return { cassette_error: kind === "internal" ? "The run could not be recorded." : message };
    }
  };
  let isKept = false;
  try {
    for await (const event of runAgent(noting, agent, { ...request, interceptor: recorder })) {
      if (event.type === "done" || recorder.room.take(event)) events.push(event);
      else events.length = 0;
      if (event.type !== "done") yield event;
      else {
        isKept = true;
        const kept = await keepAs({ result: event.result });
        yield { ...event, result: { ...event.result, ...kept } };
      }
    }
  } catch (thrown) {
    isKept = true;
    throw withFacts(toAppError(thrown), await keepAs({ thrown }));
  } finally {
    if (!isKept) await keepAs("left");
  }
}
