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

/** Encodings inside encodings that are looked into. */
const layersMax = 2;

/** What a text has of the shapes of attacks, by name, each with its weight where it stands most clearly. Linear. */
export function injectionShapes(text: string): Map<string, number> {
  return strongest(shapesIn(text, 0));
}

function shapesIn(text: string, layer: number): Shape[] {
  const plain = plainShapes(text);
  return [
    ...plain,
    ...markerShapes(text),
    ...disguisedShapes(text, plain),
    ...invisibleShapes(text),
    ...(layer < layersMax ? encodedShapes(text, layer, plain) : []),
  ];
}

function plainShapes(text: string): Shape[] {
  return wordShapes(text, sightings(text));
}

/** What is found only once letters that stand for others are read as those. */
function disguisedShapes(text: string, plain: readonly Shape[]): Shape[] {
  const shapes: Shape[] = [];
  for (const read of [withoutLookAlikes(text), withoutLeet(text)]) {
    if (read === undefined) continue;
    const found = plainShapes(read).filter(({ name }) => !plain.some((shape) => shape.name === name));
    if (found.length > 0) shapes.push(...found, { name: "disguise", weight: 0.5 });
  }
  return shapes;
}

function invisibleShapes(text: string): Shape[] {
  const shapes: Shape[] = [];
  if (zeroWidthCount(text) >= 4) shapes.push({ name: "invisible characters", weight: 0.6 });
  if (/[\u202d\u202e]/.test(text)) shapes.push({ name: "reversed direction", weight: 0.5 });
  const invisible = invisibleText(text);
  if (invisible.length >= 4) shapes.push({ name: "invisible text", weight: 1 }, ...plainShapes(invisible));
  return shapes;
}

function encodedShapes(text: string, layer: number, plain: readonly Shape[]): Shape[] {
  const shapes: Shape[] = [];
  for (const said of decodedTexts(text)) {
    const total = [...strongest(shapesIn(said, layer + 1)).values()].reduce((sum, weight) => sum + weight, 0);
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
