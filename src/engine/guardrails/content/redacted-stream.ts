import type { GuardrailStream } from "../guardrail.ts";
import { type Cover, endScanners, readInSlices, type Scanner } from "../scanner.ts";
import type { TextBudget } from "../text-budget.ts";
import { wholeCharacters } from "../whole-characters.ts";
import { addRange, merged, type TextRange } from "./text-ranges.ts";

/** Maximum characters held back. If a match is longer, its already shown part stays shown; the rest is replaced. */
const holdMax = 256;

/**
 * Replaces the finds of scanners in an answer that arrives in pieces. Holds back only text that may still become a match. The result does
 * not depend on the pieces.
 */
export function redactedStream(
  scannersFor: (cover: Cover) => Scanner[],
  replacement: string,
  budget: TextBudget,
): GuardrailStream {
  /** Text that has not been shown yet; it begins at position `shown`. */
  let text = "";
  let emittedChars = 0;
  let covers: TextRange[] = [];
  let isInside = false;
  let hits = 0;
  const characters = wholeCharacters();

  const scanners = scannersFor((start, end, at) => {
    const from = Math.max(start, wholeFrom(at - holdMax), emittedChars);
    if (end > from) addRange(covers, from, end);
  });

  function wholeFrom(place: number): number {
    return isSecondHalf(text.charCodeAt(place - emittedChars)) ? place + 1 : place;
  }

  const show = (decided: number): string => {
    if (covers.length === 0) {
      const free = text.slice(0, decided - emittedChars);
      if (free !== "") isInside = false;
      text = text.slice(free.length);
      emittedChars = decided;
      return free;
    }
    const ranges = merged(covers);
    const until = ranges.find(({ start, end }) => start <= decided && decided < end)?.end ?? decided;
    let result = "";
    let at = emittedChars;
    for (const { start, end } of ranges) {
      if (start >= until) break;
      if (start > at) {
        result += text.slice(at - emittedChars, start - emittedChars);
        isInside = false;
      }
      if (!isInside) {
        result += replacement;
        hits++;
      }
      isInside = true;
      at = end;
    }
    if (at < until) {
      result += text.slice(at - emittedChars, until - emittedChars);
      isInside = false;
    }
    covers = ranges.filter(({ end }) => end > until);
    text = text.slice(until - emittedChars);
    emittedChars = until;
    return result;
  };

  return {
    *push(piece) {
      const whole = characters.join(piece);
      if (whole === "") return "";
      text += whole;
      yield* readInSlices(scanners, whole, budget);
      let decided = emittedChars + text.length;
      const least = wholeFrom(Math.max(emittedChars, decided - holdMax));
      for (const scanner of scanners) decided = Math.min(decided, scanner.undecidedFrom);
      return show(Math.max(decided, least, emittedChars));
    },
    *end() {
      const rest = characters.rest();
      text += rest;
      yield* readInSlices(scanners, rest, budget);
      yield* endScanners(scanners, budget);
      return show(emittedChars + text.length);
    },
    giveUp() {
      text += characters.rest();
      return show(emittedChars + text.length);
    },
    blocked: undefined,
    get hits() {
      return hits;
    },
  };
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
