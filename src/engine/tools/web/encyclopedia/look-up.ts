import { readFragment, readLine } from "../../../../kit/html/read-page.ts";
import { cutText } from "../../../../kit/text/cut-text.ts";
import type { GuardedNetwork, NetworkAnswer } from "../../network/guarded-network.ts";
import { field, jsonOf, listField, statusFault, textField } from "../json-answer.ts";

/** A summary of an article, or the reason why there is none, in a sentence for a model. */
export type Lookup = Article | { error: string };

interface Article {
  title: string;
  summary: string;
  url: string;
  /** Possible articles, if the name is ambiguous. */
  options?: readonly Option[];
}

interface Option {
  title: string;
  description: string;
}

interface Place {
  network: GuardedNetwork;
  /** May contain `{language}`. */
  baseUrl: string;
  allowsLoopback: boolean;
}

/** Fallback limit: the entry's timeout comes first. */
const timeoutMs = 3_600_000;
const answerBytesMax = 1_048_576;
const summaryCharsMax = 10_000;
const redirectsMax = 5;
const foundMax = 10;

type LookUp = (topic: string, language: string, signal: AbortSignal) => Promise<Lookup>;

/** Looks up articles in a wiki by name, and by search if there is no article with that name. */
export function createEncyclopedia({ network, baseUrl, allowsLoopback }: Place): LookUp {
  return async (topic, language, signal) => {
    const base = baseUrl.replaceAll("{language}", language).replace(/\/$/, "");
    const ask = (path: string) =>
      network.request({
        url: `${base}${path}`,
        method: "GET",
        headers: { accept: "application/json" },
        timeoutMs,
        bodyBytesMax: answerBytesMax,
        whenLonger: "refuse",
        redirectsMax,
        allowsLoopback,
        signal,
      });

    const named = mayBeTitle(topic) ? await summaryOf(ask, topic) : undefined;
    if (named !== undefined && "error" in named) return named;
    if (named !== undefined && !named.isAmbiguous) return named.article;
    const options = await search(ask, topic);
    if ("error" in options) return options;
    if (named !== undefined) return withOptions(named.article, options);
    const [best] = options;
    if (best === undefined) return notFound(topic, language);
    const article = await summaryOf(ask, best.title);
    if (article === undefined) return notFound(topic, language);
    if ("error" in article) return article;
    return article.isAmbiguous ? withOptions(article.article, options) : article.article;
  };
}

type Ask = (path: string) => Promise<NetworkAnswer>;

/** The article with exactly this name, or to which the name redirects; undefined if there is none. */
async function summaryOf(
  ask: Ask,
  title: string,
): Promise<{ article: Article; isAmbiguous: boolean } | { error: string } | undefined> {
  const answer = await ask(`/api/rest_v1/page/summary/${encodeURIComponent(title.replaceAll(" ", "_"))}`);
  // 400: not a valid article name.
  if (answer.status === 404 || answer.status === 400) return undefined;
  const body = await jsonOf(answer.body);
  const fault = statusFault("The encyclopedia", answer);
  if (fault !== undefined) return { error: fault };
  const name = readLine(textField(body, "title"), 300);
  if (name === "") return unreadable;
  const article = {
    title: name,
    summary: textOf(textField(body, "extract")) || readLine(textField(body, "description"), 1000),
    url: textField(field(field(body, "content_urls"), "desktop"), "page"),
  };
  return { article, isAmbiguous: textField(body, "type") === "disambiguation" };
}

async function search(ask: Ask, topic: string): Promise<readonly Option[] | { error: string }> {
  const parameters = new URLSearchParams({ q: topic, limit: String(foundMax) });
  const answer = await ask(`/w/rest.php/v1/search/page?${parameters}`);
  const fault = statusFault("The encyclopedia", answer);
  if (fault !== undefined) return { error: fault };
  const pages = listField(await jsonOf(answer.body), "pages");
  if (pages === undefined) return unreadable;
  return pages.slice(0, foundMax).flatMap((page) => {
    const title = readLine(textField(page, "title"), 300);
    const description =
      readLine(textField(page, "description"), 300) || readFragment(textField(page, "excerpt"), 300);
    return title === "" ? [] : { title, description };
  });
}

function withOptions(article: Article, options: readonly Option[]): Article {
  return { ...article, options: options.filter(({ title }) => title !== article.title) };
}

/** Returns false for names with characters that no wiki title may have. */
function mayBeTitle(topic: string): boolean {
  return !/[#<>[\]|{}]/.test(topic) && topic !== "." && topic !== "..";
}

/** Keeps paragraphs separate. */
function textOf(extract: string): string {
  const lines = extract.slice(0, 4 * summaryCharsMax).split("\n");
  const text = lines
    .map((line) => readLine(line, summaryCharsMax))
    .filter((line) => line !== "")
    .join("\n");
  return cutText(text, summaryCharsMax);
}

const unreadable = {
  error:
    "The encyclopedia answered with something that is not an article; try again later or use another source.",
};

function notFound(topic: string, language: string): { error: string } {
  const name = JSON.stringify(readLine(topic, 100));
  return {
    error: `The encyclopedia has no article about ${name} in the language ${language}; try other words or another language.`,
  };
}
