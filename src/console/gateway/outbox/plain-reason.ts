import { reasonTexts } from "../../texts/gateway/outbox.ts";

/** An outbox error in plain words, and what to do about it. */
export interface PlainReason {
  text: string;
  /** Advice for the operator; absent if there is none. */
  advice?: string;
  /** The provider's own words, if they say more. */
  detail?: string;
}

/** Explains an error of the outbox: a word of the gateway's own, or a provider's code with its text. */
export function plainReason(lastError: string): PlainReason {
  const [, code = lastError, detail = ""] = /^([^\s:]+): ?(.*)$/s.exec(lastError) ?? [];
  const known = Object.hasOwn(reasonTexts, code) ? reasonTexts[code] : undefined;
  if (known === undefined) return { text: lastError };
  return { ...known, ...(detail !== "" && { detail: `${code}: ${detail}` }) };
}
