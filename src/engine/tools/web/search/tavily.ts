import { readLine } from "../../../../kit/html/read-page.ts";
import { listField, textField } from "../json-answer.ts";
import type { SearchProvider } from "./search-provider.ts";

/** Tavily: `POST /search`, https://docs.tavily.com/documentation/api-reference/endpoint/search. */
export const tavily: SearchProvider = {
  name: "tavily",
  docs: "Tavily (made for agents, long snippets); needs a key",
  baseUrl: "https://api.tavily.com",
  needsKey: true,
  request({ query, resultsMax }, { baseUrl, key }) {
    return {
      url: `${baseUrl}/search`,
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: resultsMax, search_depth: "basic" }),
    };
  },
  read(answer) {
    return listField(answer, "results")?.map((result) => ({
      title: readLine(textField(result, "title"), 300),
      url: textField(result, "url"),
      snippet: readLine(textField(result, "content"), 1000),
    }));
  },
  // The limit of the plan, and that of pay-as-you-go.
  refusalOf: (status) => (status === 432 || status === 433 ? "quota" : undefined),
};
