import { readMediaType } from "../../../kit/fetch/media-type.ts";
import { decodeBody } from "../../../kit/html/decode-body.ts";
import { readPage } from "../../../kit/html/read-page.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import type { NetworkAnswer } from "../network/guarded-network.ts";
import type { ToolResult } from "../tool.ts";

/** A page as a tool result. */
interface ScrapedPage {
  url: string;
  title: string;
  text: string;
  length: number;
  truncated: boolean;
  note?: string;
}

const sniffedBytes = 1024;

/** Reads the body of an answer: the text of a page, or plain text; fails for binary content. */
export async function scrapeAnswer(
  answer: NetworkAnswer,
  charsMax: number,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { body, headers, url, wasCut } = answer;
  const type = readMediaType(headers.get("content-type"));
  const essence = type?.essence ?? sniffedType(body);
  if (isHtml(essence)) {
    const html = decodeBody(body, type?.charset, true);
    const { headings: _, ...page } = await readPage(html, charsMax, signal);
    const isEmpty = page.length === 0;
    return scraped({
      url,
      ...page,
      truncated: wasCut || page.length > page.text.length,
      ...(isEmpty && { note: "The page has no text before its scripts run, and they are not run here." }),
    });
  }
  if (!isText(essence)) {
    return {
      success: false,
      error: `There is no page at this URL but ${essence}, which has no text to read; look for a web page or a text instead.`,
    };
  }
  const text = plainText(decodeBody(body, type?.charset, false));
  const excerpt = cutText(text, charsMax);
  return scraped({
    url,
    title: "",
    text: excerpt,
    length: text.length,
    truncated: wasCut || excerpt.length < text.length,
  });
}

function scraped(page: ScrapedPage): ToolResult {
  return { success: true, data: page };
}

function isHtml(essence: string): boolean {
  return essence === "text/html" || essence === "application/xhtml+xml";
}

const textTypes: ReadonlySet<string> = new Set(
  [
    "json ld+json x-ndjson ndjson jsonl json-seq xml javascript ecmascript x-javascript yaml x-yaml toml sql",
    "graphql rtf x-sh x-tex x-subrip x-www-form-urlencoded",
  ].flatMap((list) => list.split(" ").map((name) => `application/${name}`)),
);

function isText(essence: string): boolean {
  if (essence.startsWith("text/") || textTypes.has(essence)) return true;
  return ["+json", "+xml", "+yaml"].some((suffix) => essence.endsWith(suffix)) && essence !== "image/svg+xml";
}

/** The assumed type of content that has no content type. */
function sniffedType(body: Uint8Array): string {
  const start = body.subarray(0, sniffedBytes);
  const isUtf16 = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  if (start.includes(0) && !isUtf16) return "a file of an unknown type";
  const text = decodeBody(start, undefined, false).trimStart().toLowerCase();
  const isPage = ["<!doctype html", "<html", "<head", "<body", "<title", "<!--", "<p", "<div"].some((tag) =>
    text.startsWith(tag),
  );
  return isPage ? "text/html" : "text/plain";
}

/** Normalizes line ends and removes NUL, which databases can't store. */
function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll("\0", "").trim();
}
