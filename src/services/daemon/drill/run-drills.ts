import type { DrillCheck, DrillDescription, DrillEvent } from "../../../contracts/drill.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { Drill } from "./drill.ts";
import { addAgents, type DrillWorld, removeAgents } from "./drill-world.ts";
import { providerDrills } from "./provider-drills.ts";
import { systemDrills } from "./system-drills.ts";

export const drills: readonly Drill[] = [...providerDrills, ...systemDrills];

/** Time after which the drill's model servers vanish, whatever happens to the drill. */
const modelsMaxMs = 3_600_000;

/** The drills to perform. */
export interface DrillChoice {
  /** Names; undefined: all. */
  only: readonly string[] | undefined;
  /** True if faults that all users of the server meet are allowed. */
  everyone: boolean;
}

export const describeDrills = (chosen: readonly Drill[] = drills): DrillDescription[] =>
  chosen.map(({ name, fault, scope, promises }) => ({ name, fault, scope, promises: [...promises] }));

/** Returns the drills with these names. Throws `unknown_drill` for another name. */
export function chosenDrills(only: readonly string[] | undefined): readonly Drill[] {
  if (only === undefined) return drills;
  const names = drills.map(({ name }) => name);
  for (const name of only) {
    if (names.includes(name)) continue;
    const near = didYouMean(name, names);
    throw new AppError(
      "invalid",
      "unknown_drill",
      `There is no drill named ${JSON.stringify(name.slice(0, 100))}.`,
      {
        details: { hint: near === undefined ? `Drills: ${names.join(", ")}.` : `Did you mean ${near}?` },
      },
    );
  }
  return drills.filter(({ name }) => only.includes(name));
}

/** Performs drills one after another. Leaving early ends the fault and deletes the drill's agents. */
export async function* runDrills(
  world: DrillWorld,
  { only, everyone }: DrillChoice,
): AsyncGenerator<DrillEvent> {
  const chosen = chosenDrills(only);
  let passed = 0;
  let broken = 0;
  const end = world.faults.inject("models", world.models.standIn, modelsMaxMs);
  try {
    await addAgents(world);
    for (const drill of chosen) {
      world.signal.throwIfAborted();
      const reason = skipReason(drill, world, everyone);
      if (reason !== undefined) {
        yield { type: "skipped", drill: drill.name, reason };
        continue;
      }
      yield { type: "started", drill: drill.name, fault: drill.fault };
      for await (const outcome of performed(drill, world)) {
        if (outcome.held) passed++;
        else broken++;
        yield { type: "checked", check: { drill: drill.name, ...outcome } };
      }
    }
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    const failureText = thrown instanceof Error ? thrown.message : message;
    yield { type: "failed", error: code, message: failureText };
    broken++;
  } finally {
    await removeAgents(world);
    end();
  }
  yield { type: "ended", held: passed, broken };
}

/** The outcomes of a drill. A promise whose outcome is missing is broken. */
async function* performed(drill: Drill, world: DrillWorld): AsyncGenerator<Omit<DrillCheck, "drill">> {
  const open = new Set(drill.promises);
  let why = "not measured";
  try {
    for await (const outcome of drill.run(world)) {
      open.delete(outcome.promise);
      yield outcome;
    }
  } catch (thrown) {
    world.signal.throwIfAborted();
    why = thrown instanceof Error ? thrown.message : "not measured";
  }
  for (const promise of open) yield { promise, held: false, measured: why };
}

function skipReason(drill: Drill, world: DrillWorld, everyone: boolean): string | undefined {
  if (drill.scope === "everyone" && !everyone)
    return "All users of this server would meet the fault. Add --all to allow it.";
  return drill.missing?.(world);
}
