import { type Static, Type } from "@sinclair/typebox";
import type {
  GuardrailAction,
  GuardrailStage,
  GuardrailStream,
  TextGuardrail,
  Verdict,
} from "../guardrail.ts";
import {
  findPii,
  PII_CONTEXT,
  type PiiEntity,
  type PiiMatch,
  piiEntities,
  undecidedFrom,
} from "./find-pii.ts";

export const piiOptions = Type.Object(
  {
    entities: Type.Array(Type.Union(piiEntities.map((entity) => Type.Literal(entity))), {
      description: "What is looked for: email, phone, ssn, credit_card.",
      minItems: 1,
      uniqueItems: true,
      default: [...piiEntities],
    }),
  },
  { additionalProperties: false },
);

/** Words are added to the context until it is this long, since cutting it at each piece would cost more than keeping it. */
const CONTEXT_MAX = 16 * PII_CONTEXT;

const placeholders: Record<PiiEntity, string> = {
  email: "[EMAIL]",
  phone: "[PHONE]",
  ssn: "[SSN]",
  credit_card: "[CREDIT_CARD]",
};

/** Finds personal data; redacting puts a placeholder in the place of each match. */
export function piiDetection(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  options: Partial<Static<typeof piiOptions>>,
): TextGuardrail {
  const entities = new Set<PiiEntity>(options.entities ?? piiEntities);
  return {
    type,
    stage,
    action,
    check: (text) => verdict(text, action, mayHoldPii(text) ? findPii(text, entities) : []),
    open: () => openStream(action, entities),
  };
}

function mayHoldPii(text: string): boolean {
  return /[0-9@]/.test(text);
}

function verdict(text: string, action: GuardrailAction, matches: readonly PiiMatch[]): Verdict {
  const hits = matches.length;
  if (hits === 0) return { outcome: "passed", text, hits };
  if (action === "block") return { outcome: "blocked", reason: reasonFor(matches), hits };
  if (action === "redact")
    return { outcome: "redacted", text: redacted(text, 0, text.length, matches), hits };
  return { outcome: "passed", text, hits };
}

function redacted(text: string, from: number, to: number, matches: readonly PiiMatch[]): string {
  let result = "";
  let at = from;
  for (const { entity, start, end } of matches) {
    result += text.slice(at, start) + placeholders[entity];
    at = end;
  }
  return result + text.slice(at, to);
}

function reasonFor(matches: readonly PiiMatch[]): string {
  const found = new Set(matches.map(({ entity }) => entity));
  return `it contains personal data (${[...found].join(", ")})`;
}

function openStream(action: GuardrailAction, entities: ReadonlySet<PiiEntity>): GuardrailStream {
  /** What was decided last, as context for what follows, and what is still undecided. */
  let context = "";
  let pending = "";
  /** Where the last match in `context` ended. */
  let taken = 0;
  /** With `block` nothing may be shown before the end. */
  let held = "";
  let hits = 0;
  let blocked: string | undefined;

  /** Most pieces are words: no match lies in them, and of what came before only the length matters now. */
  const passWords = (fresh: string): string => {
    const decided = wholeCharacters(fresh, 0, undecidedFrom(fresh, entities, 0));
    const shown = fresh.slice(0, decided);
    pending = fresh.slice(decided);
    context += shown;
    if (context.length > CONTEXT_MAX) {
      const forgotten = context.length - PII_CONTEXT;
      context = context.slice(forgotten);
      taken = Math.max(0, taken - forgotten);
    }
    return shown;
  };

  const decide = (piece: string, complete: boolean): string => {
    const fresh = pending + piece;
    if (fresh === "") return "";
    if (!complete && !mayHoldPii(fresh)) return passWords(fresh);
    const text = context + fresh;
    const from = context.length;
    const found = mayHoldPii(text) ? findPii(text, entities, from, taken) : [];
    let decided = complete ? text.length : undecidedFrom(text, entities, from);
    const matches = found.filter(({ start }) => start < decided);
    decided = Math.max(decided, matches.at(-1)?.end ?? 0);
    if (!complete) decided = wholeCharacters(text, from, decided);
    hits += matches.length;
    if (action === "block" && matches.length > 0) blocked ??= reasonFor(matches);
    const contextStart = Math.max(0, decided - PII_CONTEXT);
    context = text.slice(contextStart, decided);
    taken = Math.max(0, (matches.at(-1)?.end ?? taken) - contextStart);
    pending = text.slice(decided);
    return redacted(text, from, decided, matches);
  };

  const show = (piece: string, complete: boolean): string => {
    if (blocked !== undefined) return "";
    const decided = decide(piece, complete);
    if (action === "redact") return decided;
    if (action !== "block") return piece;
    held += piece;
    return complete && blocked === undefined ? held : "";
  };

  return {
    push: (piece) => show(piece, false),
    end: () => show("", true),
    get blocked() {
      return blocked;
    },
    get hits() {
      return hits;
    },
  };
}

/** `end`, or one less when the first half of a character that two UTF-16 units make would be shown without the second. */
function wholeCharacters(text: string, from: number, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end > from && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
