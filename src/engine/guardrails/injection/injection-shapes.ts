import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { TextBudget } from "../text-budget.ts";
import {
  decodedTexts,
  holdsEncoded,
  invisibleText,
  withoutLeet,
  withoutLookAlikes,
  zeroWidthCount,
} from "./hidden-writing.ts";
import { markerShapes } from "./marker-shapes.ts";
import { sightings } from "./sightings.ts";
import { type Shape, wordShapes } from "./word-shapes.ts";

/** Maximum depth of nested encodings that are decoded. */
const layersMax = 2;

/** Shapes of attacks in a text by name, each with its highest weight. Linear. */
export function* injectionShapes(text: string, budget: TextBudget): Work<Map<string, number>> {
  return strongest(yield* shapesIn(text, 0, budget));
}

/** Steps per character of one pass over a text, such as decoding look-alike letters. */
const passSteps = 5;

function* shapesIn(text: string, layer: number, budget: TextBudget): Work<Shape[]> {
  const plain = yield* plainShapes(text, budget);
  const shapes = [...plain, ...(yield* markerShapes(text, budget))];
  shapes.push(...(yield* disguisedShapes(text, plain, budget)));
  shapes.push(...(yield* invisibleShapes(text, budget)));
  if (layer < layersMax) shapes.push(...(yield* encodedShapes(text, layer, plain, budget)));
  return shapes;
}

function* plainShapes(text: string, budget: TextBudget): Work<Shape[]> {
  return yield* wordShapes(text, yield* sightings(text, budget), budget);
}

/** Shapes that appear only after replacing look-alike letters. */
function* disguisedShapes(text: string, plain: readonly Shape[], budget: TextBudget): Work<Shape[]> {
  const shapes: Shape[] = [];
  for (const readable of [withoutLookAlikes, withoutLeet]) {
    if (budget.spend(text.length * passSteps)) yield;
    const read = readable(text);
    if (read === undefined) continue;
    const newShapes = (yield* plainShapes(read, budget)).filter(
      ({ name }) => !plain.some((shape) => shape.name === name),
    );
    if (newShapes.length > 0) shapes.push(...newShapes, { name: "disguise", weight: 0.5 });
  }
  return shapes;
}

function* invisibleShapes(text: string, budget: TextBudget): Work<Shape[]> {
  if (budget.spend(text.length * passSteps)) yield;
  const shapes: Shape[] = [];
  if (zeroWidthCount(text) >= 4) shapes.push({ name: "invisible characters", weight: 0.6 });
  if (/[\u202d\u202e]/.test(text)) shapes.push({ name: "reversed direction", weight: 0.5 });
  const invisible = invisibleText(text);
  if (invisible.length >= 4) {
    shapes.push({ name: "invisible text", weight: 1 }, ...(yield* plainShapes(invisible, budget)));
  }
  return shapes;
}

function* encodedShapes(
  text: string,
  layer: number,
  plain: readonly Shape[],
  budget: TextBudget,
): Work<Shape[]> {
  const shapes: Shape[] = [];
  if (budget.spend(text.length * passSteps)) yield;
  for (const said of decodedTexts(text)) {
    const weights = strongest(yield* shapesIn(said, layer + 1, budget));
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    if (total >= 0.5) shapes.push({ name: "encoded attack", weight: 0.5 + total });
  }
  if (plain.some(({ name }) => name === "decode and obey") && holdsEncoded(text)) {
    shapes.push({ name: "encoded orders", weight: 0.5 });
  }
  return shapes;
}

function strongest(shapes: readonly Shape[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { name, weight } of shapes) weights.set(name, Math.max(weight, weights.get(name) ?? 0));
  return weights;
}
