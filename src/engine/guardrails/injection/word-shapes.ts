import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { TextBudget } from "../text-budget.ts";
import type { Role } from "./lexicon.ts";
import type { Sighting } from "./sightings.ts";

/** A shape of attacks and its weight; 1 or more is enough by itself. */
export interface Shape {
  name: string;
  weight: number;
}

/** Maximum distance, in characters, between words of one order, and between words that belong together in it. */
const near = 90;
const adjoining = 12;

/** Steps for judging a word of an attack, and for each other one near it. */
const sightingSteps = 200;
const neighbourSteps = 20;

/** Shapes formed by the words of a text. */
export function* wordShapes(text: string, sightings: readonly Sighting[], budget: TextBudget): Work<Shape[]> {
  const shapes: Shape[] = [];
  let personaEnd: number | undefined;
  for (const [index, sighting] of sightings.entries()) {
    const around = neighbours(sightings, index);
    if (budget.spend(sightingSteps + around.length * neighbourSteps)) yield;
    const shape = shapeAt(text, sighting, around);
    if (shape === undefined) continue;
    shapes.push({ name: shape.name, weight: shape.weight * doubt(text, sighting.start) });
    if (shape.name === "persona") {
      if (personaEnd !== undefined && sighting.start >= personaEnd)
        shapes.push({ name: "more of a persona", weight: 0.4 });
      personaEnd = Math.max(personaEnd ?? 0, sighting.end);
    }
    const isDisguised = sighting.isDisguised || around.some((one) => one.isDisguised);
    if (isDisguised && shape.weight >= 0.5) shapes.push({ name: "disguise", weight: 0.5 });
  }
  return shapes;
}

/** Sightings near the one at `index`, in order. */
function neighbours(sightings: readonly Sighting[], index: number): Sighting[] {
  const { start, end } = sightings[index] ?? { start: 0, end: 0 };
  let first = index;
  while ((sightings[first - 1]?.start ?? -near) >= start - near && first > 0) first--;
  let last = index;
  while ((sightings[last + 1]?.start ?? end + near + 1) <= end + near) last++;
  return [...sightings.slice(first, index), ...sightings.slice(index + 1, last + 1)];
}

function shapeAt(
  text: string,
  { role, start, end }: Sighting,
  around: readonly Sighting[],
): Shape | undefined {
  const has = (sought: Role) => around.some((one) => one.role === sought);
  const after = (sought: Role) => around.find((one) => one.role === sought && one.start >= end);
  switch (role) {
    case "drop":
      if (!has("orders") || isOwnOrder(end, around)) return undefined;
      return { name: "override", weight: isWhole(text, start, around) ? 1 : 0.6 };
    case "hidden":
      if (!has("reveal")) return undefined;
      return { name: "reveal", weight: ofAnybody.test(text.slice(start, end)) ? 0.7 : 1 };
    case "guidance":
      if (!has("reveal")) return undefined;
      return { name: "reveal", weight: onSomething.test(text.slice(end, end + 16)) ? 0.4 : 1 };
    case "secret":
      return has("reveal") ? { name: "secrets", weight: 0.4 } : undefined;
    case "persona":
      return { name: "persona", weight: 0.6 };
    case "command":
      return { name: "command", weight: 0.6 };
    case "machine":
      return { name: "machine", weight: 0.3 };
    case "decode":
      return after("obey") ? { name: "decode and obey", weight: 0.7 } : undefined;
    case "send":
      return exfiltration(text, after("secret") ?? after("hidden"));
    default:
      return undefined;
  }
}

/** Returns true for orders that the users gave themselves and may cancel. */
function isOwnOrder(end: number, around: readonly Sighting[]): boolean {
  const orders = around.find(({ role, start }) => role === "orders" && start >= end);
  return around.some(({ role, start }) => role === "own" && start >= end && start < (orders?.start ?? 0));
}

/** Returns true if the order refers to previous orders, or, at the beginning of a sentence, to all orders. */
function isWhole(text: string, start: number, around: readonly Sighting[]): boolean {
  if (besideOrders(around, "prior")) return true;
  return besideOrders(around, "all") && beginning.test(text.slice(Math.max(0, start - 12), start));
}

const beginning = /(?:^|[.!?:;\n]|\b(?:please|and|then|now),?)\s*$/i;

function besideOrders(around: readonly Sighting[], which: Role): boolean {
  const orders = around.filter(({ role }) => role === "orders");
  return around.some(
    ({ role, start, end }) =>
      role === which &&
      orders.some((order) => order.start - end <= adjoining && start - order.end <= adjoining),
  );
}

/** `the system prompt` may be one of the user's own. */
const ofAnybody = /^the (?!words|text|instructions)/i;

/** Guidance on a subject, such as returns or pets, is not secret. */
const onSomething =
  /^\s?(?:are |is )?(?:for|on|about|regarding|concerning|when|if|to|in case|para|sobre|pour|sur|für|zu|bei|su|per)\b/i;

/** A secret that is to be sent to an address. */
function exfiltration(text: string, secret: Sighting | undefined): Shape | undefined {
  if (secret === undefined) return undefined;
  const goal = text.slice(secret.end, secret.end + near);
  if (!/https?:\/\/|[^\s@]@[^\s@]/.test(goal)) return undefined;
  return { name: "exfiltration", weight: /^\W*(?:to|at|via|into|in|as|for)\b/i.test(goal) ? 1 : 0.5 };
}

const questionOrTale =
  /(?:\b(?:does|do|did|how|why|when|whether|if|should|can i|could i|may i|told|tells|asked|asks|say|said|says|tried|try to|trying to|attempts?|what does|meaning of|means?|called|like|such as|e\.g\.|example|phrase|phrases|sentence|words?|attacks?|injections?|detect|block|prevent|qué significa|qu'est-ce|was bedeutet|wie)\b|¿qué|¿cómo)/i;

/** Factor for the weight of an order: half if a question or a narration mentions it. */
function doubt(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - near), start);
  return questionOrTale.test(before.slice(lastSentenceEnd(before))) ? 0.5 : 1;
}

function lastSentenceEnd(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) {
    const mark = text[at] ?? "";
    if ("\n!?;。！？".includes(mark) || (mark === "." && /\s/.test(text[at + 1] ?? " "))) return at + 1;
  }
  return 0;
}
