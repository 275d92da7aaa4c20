import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Cassette, cassetteExtension } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { RunResult } from "../../contracts/daemon/runs/run.ts";
import { readCassetteFile, writeCassetteFile } from "../../engine/cassettes/cassette-files.ts";
import { readCassette } from "../../engine/cassettes/read-cassette.ts";
import { replayOffline } from "../../engine/cassettes/replay/replay-offline.ts";
import { costMicros } from "../../engine/models/price.ts";
import type { Observation } from "../checks/observation.ts";
import { observeFailure, observeResult } from "../running/observe-run.ts";
import type { Attempt } from "../running/plan-attempts.ts";

/** Recordings of an eval: a folder beside its file, with one file for each turn of each case. */
export class CaseCassettes {
  readonly #folder: string;

  /** `file`: path of the eval file. */
  constructor(file: string) {
    const name = basename(file).replace(/\.eval\.ya?ml$|\.ya?ml$/, "");
    this.#folder = join(dirname(file), `${name}.cassettes`);
  }

  /** Writes the recording of a turn. The first turn replaces all earlier recordings of the case. */
  async keep({ case: { id } }: Pick<Attempt, "case">, turn: number, text: string): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    if (turn === 1) for (const name of this.#namesOf(id)) rmSync(join(this.#folder, name));
    writeCassetteFile(this.#path(id, turn), text);
  }

  /**
   * Runs the current agents over the recorded answers of models, with the current queries and stubs. An agent that asks something that was
   * not recorded fails with `recording_stale`. Nothing is called.
   */
  async replay(
    { case: one }: Pick<Attempt, "case">,
    { manifests, others, templateCommand, signal }: CaseReplayOptions,
  ): Promise<Observation[]> {
    const seen: Observation[] = [];
    for (const [index, { query, context }] of one.turns.entries()) {
      const path = this.#path(one.id, index + 1);
      if (!existsSync(path)) {
        const message = `There is no recording ${path}. Record the case with --record.`;
        return [...seen, observeFailure(query, { code: "not_recorded", message }, { costUsd: 0 })];
      }
      const cassette = await readCassetteFile(path);
      const turn = await replayTurn(
        {
          ...cassette,
          agents: await withManifests(cassette, manifests),
          request: { ...cassette.request, query, context, tool_stubs: { stubs: [...one.stubs], others } },
        },
        { templateCommand, signal },
      );
      seen.push(turn);
      if (turn.error !== undefined) break;
    }
    return seen;
  }

  #path(id: string, turn: number): string {
    return join(this.#folder, `${id}.${turn}${cassetteExtension}`);
  }

  #namesOf(id: string): string[] {
    const own = (name: string) =>
      name.startsWith(`${id}.`) && /^\d+$/.test(name.slice(id.length + 1, -cassetteExtension.length));
    return readdirSync(this.#folder).filter((name) => name.endsWith(cassetteExtension) && own(name));
  }
}

export interface CaseReplayOptions {
  /** Returns the current manifest of an agent; undefined if there is no such agent any more. */
  manifests: (agent: string) => Promise<Record<string, unknown> | undefined>;
  others: "refuse" | "execute";
  /** Starts the process that renders templates. */
  templateCommand: string[];
  signal: AbortSignal;
}

async function withManifests(
  { agents }: Cassette,
  manifests: CaseReplayOptions["manifests"],
): Promise<Cassette["agents"]> {
  const current = await Promise.all(
    Object.entries(agents).map(async ([name, recorded]) => {
      const manifest = await manifests(name);
      return [name, manifest === undefined ? recorded : { ...recorded, manifest }] as const;
    }),
  );
  return Object.fromEntries(current);
}

async function replayTurn(
  cassette: Cassette,
  { templateCommand, signal }: Pick<CaseReplayOptions, "templateCommand" | "signal">,
): Promise<Observation> {
  let text = "";
  const record = async (recording: string) => {
    text = recording;
  };
  const { divergence } = await replayOffline(cassette, { strict: true, signal, record }, templateCommand);
  const { query } = cassette.request;
  if (divergence?.at === "request") {
    const message = `The agent asked something that was not recorded. ${divergence.message} Record the case again with --record.`;
    return observeFailure(query, { code: "recording_stale", message }, { costUsd: 0 });
  }
  const { outcome } = readCassette(text, "The replay");
  const costUsd = recordedCost(cassette);
  if ("error" in outcome) return observeFailure(query, outcome.error, { costUsd });
  // A cassette keeps results of runs as JSON.
  if ("result" in outcome) return observeResult(query, outcome.result as unknown as RunResult, costUsd);
  return observeFailure(query, { code: "run_cancelled", message: "The replay was left." }, { costUsd });
}

/** Cost of the recorded model calls at the time of the recording; undefined if a price was unknown. */
function recordedCost({ entries }: Cassette): number | undefined {
  let micros = 0;
  for (const entry of entries) {
    if (entry.kind !== "model") continue;
    const [chosen] = entry.answer.events.filter((event) => event.type === "chosen");
    const [end] = entry.answer.events.filter((event) => event.type === "end");
    if (chosen === undefined || end === undefined || chosen.simulated) continue;
    if (chosen.price === undefined) return undefined;
    micros += costMicros(end.usage, chosen.price);
  }
  return micros / 1_000_000;
}
