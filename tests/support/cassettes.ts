import type { Cassette } from "../../src/contracts/daemon/cassettes/cassette-file.ts";
import type { ReplayReport } from "../../src/contracts/daemon/cassettes/cassettes.ts";
import { builtRegistries } from "../../src/engine/agents/manifest-registries.ts";
import { readCassette } from "../../src/engine/cassettes/read-cassette.ts";
import { type KeepRecording, recordRun } from "../../src/engine/cassettes/record/record-run.ts";
import { type RenderOptions, renderCassette } from "../../src/engine/cassettes/record/render-cassette.ts";
import type { RebuildParts } from "../../src/engine/cassettes/replay/rebuild-agents.ts";
import { type ReplayStage, replayRun } from "../../src/engine/cassettes/replay/replay-run.ts";
import type { EngineRequest } from "../../src/engine/run-state/run-request.ts";
import { createTemplateCompiler } from "../../src/engine/templates/template-compiler.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { type Played, play, type Stage } from "./staged-run.ts";

/** A recorded run and its file. */
export interface RecordedRun {
  played: Played;
  cassette: Cassette;
  text: string;
}

/** Parts to rebuild a cassette's agents, with templates in this process. */
export const rebuildParts: Omit<RebuildParts, "clock"> = {
  registries: builtRegistries(),
  templates: {
    compile: createTemplateCompiler().compile,
    renderUntrusted: () => Promise.reject(new Error("no template of a model's is rendered here")),
    close() {},
  },
};

export const replayStage: ReplayStage = {
  parts: rebuildParts,
  ports: { log: silentLogger, redact: (value) => value },
};

/** Stores a recording as the text of a file. */
export function keepText(kept: (text: string) => void, options: Partial<RenderOptions> = {}): KeepRecording {
  return async (recording) => {
    const { text, summary } = renderCassette(recording, {
      maskKnown: (plain) => plain,
      bytesMax: 8 * 1024 * 1024,
      ...options,
    });
    kept(text);
    return summary.id;
  };
}

/** Runs a stage's agent and records it; `read` reads the run, by default to its end. */
export async function recorded(
  stage: Stage,
  request: Partial<EngineRequest> = {},
  { read = play, ...options }: Partial<RenderOptions> & { read?: typeof play } = {},
): Promise<RecordedRun> {
  let text = "";
  const keep = keepText((kept) => {
    text = kept;
  }, options);
  const played = await read(
    recordRun(stage.ports, stage.agent, stage.requestOf(request), { argosy: "0.0.0-test", keep }),
  );
  return { played, text, cassette: readCassette(text, "the recording") };
}

/** Replays a cassette as a test, strictly by default. */
export function replayed(cassette: Cassette, { strict = true } = {}): Promise<ReplayReport> {
  return replayRun(cassette, replayStage, { strict });
}

/** Replays the cassette in a file as a test: strictly, and from the file alone. */
export async function playCassetteFile(path: string): Promise<ReplayReport> {
  return replayed(readCassette(await Bun.file(path).text(), path));
}

/** Replays a cassette and records the replay. */
export async function rerecorded(cassette: Cassette): Promise<{ report: ReplayReport; cassette: Cassette }> {
  let text = "";
  const keep = keepText((kept) => {
    text = kept;
  });
  const report = await replayRun(cassette, replayStage, {
    strict: true,
    record: { argosy: "0.0.0-test", keep },
  });
  return { report, cassette: readCassette(text, "the replay's recording") };
}
