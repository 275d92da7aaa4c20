import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { channels } from "../channel-registry.ts";
import { cutMark, endOfPart } from "../sending/end-of-part.ts";
import { lengthIn } from "../sending/text-length.ts";
import { type FormattedText, sliceOf } from "./formatted-text.ts";
import { readMarkdown } from "./read-markdown.ts";
import { writeHtml, writeWhatsApp } from "./write-marks.ts";

/** `markdown`: the channel's own marks; `plain`: Markdown without marks; `raw`: the text as it is. */
export type AnswerFormat = "markdown" | "plain" | "raw";

/** Text of one message; `html` is the same with Telegram's marks, if it has any. */
export interface MessageText {
  text: string;
  html?: string;
}

/** Shortest part that is tried: it fits into any limit, with its marks. */
const partUnitsMin = 8;

/**
 * Writes an answer as a channel shows it, in at most `partsMax` messages that each keep to the channel's limit as its provider counts it.
 * A mark that a division cuts is set in both parts. What is beyond the last message is cut, and the cut is marked.
 */
export function formatAnswer(
  channel: ChannelName,
  answer: string,
  { format, partsMax }: { format: AnswerFormat; partsMax: number },
): MessageText[] {
  const limit = channels.get(channel)?.limits.text;
  if (limit === undefined) return [];
  const style = format === "markdown" ? styleOf(channel) : "plain";
  const whole = format === "raw" ? { text: answer.trim(), spans: [] } : readMarkdown(answer, forms[style]);
  const write = (part: FormattedText) => (style === "whatsapp" ? writeWhatsApp(part) : part.text);
  const fits = (part: FormattedText, more: string) => lengthIn(limit.unit, write(part) + more) <= limit.max;
  const messages: MessageText[] = [];
  let start = 0;
  while (start < whole.text.length) {
    const isLast = messages.length === partsMax - 1;
    const [part, next] = firstPart(whole, start, isLast, fits, limit.max);
    const mark = isLast && next < whole.text.length ? cutMark : "";
    const html = style === "telegram" && part.spans.length > 0 ? { html: writeHtml(part) + mark } : {};
    messages.push({ text: write(part) + mark, ...html });
    if (isLast) break;
    start = next;
  }
  return messages;
}

type Style = "whatsapp" | "telegram" | "plain";

const styleOf = (channel: ChannelName): Style =>
  channel === "phone_messenger" ? "whatsapp" : channel === "bot_messenger" ? "telegram" : "plain";

const forms = {
  whatsapp: { bullet: "- ", quote: "> ", hasLinks: false },
  telegram: { bullet: "• ", quote: undefined, hasLinks: true },
  plain: { bullet: "• ", quote: "> ", hasLinks: false },
} as const;

/** Returns the longest part from `start` on that fits, and where the next one begins. */
function firstPart(
  whole: FormattedText,
  start: number,
  isLast: boolean,
  fits: (part: FormattedText, more: string) => boolean,
  max: number,
): [part: FormattedText, next: number] {
  const { text } = whole;
  // A character has at most two units; a provider that counts bytes counts at least one for each unit.
  const rest = text.slice(start, start + 2 * max + 1);
  const all = sliceOf(whole, start, text.length);
  if (text.length - start <= 2 * max && fits(all, "")) return [all, text.length];
  const more = isLast ? cutMark : "";
  let [low, high] = [partUnitsMin, Math.min(rest.length, 2 * max)];
  const tryUnits = (units: number) => {
    const [end, next] = endOfPart(rest, Math.min(units, rest.length - 1));
    const part = sliceOf(whole, start, start + rest.slice(0, end).trimEnd().length);
    const skipped = rest.slice(next).length - rest.slice(next).trimStart().length;
    return { part, next: start + next + skipped };
  };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(tryUnits(middle).part, more)) low = middle;
    else high = middle - 1;
  }
  const { part, next } = tryUnits(low);
  return [part, next];
}
