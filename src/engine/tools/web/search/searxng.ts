import { readLine } from "../../../../kit/html/read-page.ts";
import { listField, textField } from "../json-answer.ts";
import type { SearchProvider } from "./search-provider.ts";

/** SearXNG: `GET /search?format=json`, https://docs.searxng.org/dev/search_api. */
export const searxng: SearchProvider = {
  name: "searxng",
  docs: "an own SearXNG server at `base_url`, whose settings have to allow `json` among `search.formats`; no key",
  baseUrl: undefined,
  needsKey: false,
  request({ query }, { baseUrl }) {
    const parameters = new URLSearchParams({ q: query, format: "json" });
    return { url: `${baseUrl}/search?${parameters}`, method: "GET", headers: { accept: "application/json" } };
  },
  read(answer) {
    return listField(answer, "results")?.map((result) => ({
      title: readLine(textField(result, "title"), 300),
      url: textField(result, "url"),
      snippet: readLine(textField(result, "content"), 1000),
    }));
  },
  // Status for formats that are disabled in the server's settings.
  refusalOf: (status) => (status === 403 ? "setup" : undefined),
};
