import { createHash } from "node:crypto";
import { compileJsonAnswer, type StructuredOutput } from "../../../engine/structured/structured-output.ts";
import { countSteps, isOthersTurn, othersTurn, stepsPerPiece } from "../../../kit/concurrency/others-turn.ts";
import { LatestMap } from "../../../kit/latest-map.ts";

/** A compiled schema takes up to 1 MiB. */
const keptMax = 32;

/**
 * The shapes of answers that callers asked for lately. A client sends its schema with every request: it is looked through, and
 * its check compiled, once. Requests that arrive together do this one after the other, with turns for everything else in between.
 */
export class AnswerFormats {
  /** By name and schema, the least recently used first. */
  readonly #kept = new LatestMap<string, StructuredOutput>(keptMax);

  /** Throws like `compileJsonAnswer`. */
  async get(
    name: string,
    schema: Readonly<Record<string, unknown>>,
    path: string,
  ): Promise<StructuredOutput> {
    const key = createHash("sha256")
      .update(JSON.stringify([name, schema]))
      .digest("base64url");
    const knownFormat = this.#kept.use(key);
    if (knownFormat !== undefined) return knownFormat;
    if (isOthersTurn()) await othersTurn();
    // It is one piece of work, and fills one pass of the loop.
    countSteps(stepsPerPiece);
    const format = this.#kept.get(key) ?? compileJsonAnswer(name, schema, path);
    this.#kept.set(key, format);
    return format;
  }
}
