import { readFragment, readLine } from "../../../../kit/html/read-page.ts";
import { field, listField, secondsIn, textField } from "../json-answer.ts";
import type { SearchProvider, SearchRefusal } from "./search-provider.ts";

/** Error codes that are more specific than the status. */
const refusals: Readonly<Record<string, SearchRefusal>> = {
  SUBSCRIPTION_TOKEN_INVALID: "key",
  SUBSCRIPTION_NOT_FOUND: "key",
  RATE_LIMITED: "rate",
  QUOTA_LIMITED: "quota",
};

/** Brave Search: `GET /res/v1/web/search`, https://api-dashboard.search.brave.com/app/documentation. */
export const brave: SearchProvider = {
  name: "brave",
  docs: "Brave Search API (an index of its own); needs a key",
  baseUrl: "https://api.search.brave.com",
  needsKey: true,
  request({ query, resultsMax }, { baseUrl, key }) {
    const parameters = new URLSearchParams({
      q: query,
      count: String(resultsMax),
      text_decorations: "false",
    });
    return {
      url: `${baseUrl}/res/v1/web/search?${parameters}`,
      method: "GET",
      headers: { accept: "application/json", "x-subscription-token": key },
    };
  },
  read(answer) {
    if (textField(answer, "type") !== "search") return undefined;
    // A search without results has no `web`.
    return (listField(field(answer, "web"), "results") ?? []).map((result) => ({
      title: readFragment(textField(result, "title"), 300),
      url: textField(result, "url"),
      snippet: readFragment(textField(result, "description"), 1000),
    }));
  },
  refusalOf: (_, body) => refusals[readLine(textField(field(body, "error"), "code"), 64)],
  waitSeconds(headers) {
    const windows = (name: string) => (headers.get(name) ?? "").slice(0, 256).split(",").map(secondsIn);
    const left = windows("x-ratelimit-remaining");
    const resets = windows("x-ratelimit-reset");
    const waits = resets.filter((seconds, window) => seconds !== undefined && left[window] === 0);
    return waits.length === 0 ? resets[0] : Math.max(...waits.map((seconds) => seconds ?? 0));
  },
};
