import { Type } from "@sinclair/typebox";
import { readLine } from "../../../kit/html/read-page.ts";
import { urlFault } from "../network/address/vet-url.ts";
import type { ToolResult } from "../tool.ts";
import { createEncyclopedia, type Lookup } from "../web/encyclopedia/look-up.ts";
import { builtinTool } from "./builtin-tool.ts";

const usualBaseUrl = "https://{language}.wikipedia.org";

/** Summary of an encyclopedia article on a topic. */
export const encyclopedia = builtinTool({
  name: "encyclopedia",
  isRepeatable: () => true,
  description: "Looks a topic up in the encyclopedia Wikipedia and returns the summary of its article.",
  docs: "Returns `{title, summary, url, language}` of the article of that name or, where there is none, of the best one that a search finds. A name that means several things gives `options` `[{title, description}]` beside it. It asks `/api/rest_v1/page/summary` and `/w/rest.php/v1/search/page` at `base_url`, in which `{language}` stands for the language. Addresses as for `http_request`.",
  parameters: Type.Object(
    {
      topic: Type.String({ description: "What to look up.", minLength: 1, maxLength: 255 }),
      language: Type.String({
        description: "Code of the language, such as en, de or zh-classical.",
        default: "en",
        maxLength: 32,
      }),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      base_url: Type.String({
        pattern: "^https?://[^\\s?#]{1,2000}$",
        default: usualBaseUrl,
        description:
          "Address of the encyclopedia, a wiki of MediaWiki; `{language}` stands for the language.",
      }),
      allow_localhost: Type.Boolean({
        default: false,
        description: "Whether base_url may be on this machine.",
      }),
    },
    { additionalProperties: false },
  ),
  problems({ base_url }) {
    const fault = urlFault(base_url.replaceAll("{language}", "en"));
    return fault === undefined ? [] : [{ key: "base_url", message: fault }];
  },
  describeCall: ({ topic }) => ({ target: topic, operation: "look up" }),
  build({ base_url, allow_localhost }, { network }) {
    const lookUp = createEncyclopedia({
      network,
      baseUrl: base_url,
      allowsLoopback: allow_localhost,
    });
    return async ({ topic, language }, { signal }): Promise<ToolResult> => {
      const code = language.trim().toLowerCase();
      if (!/^[a-z](?:[a-z-]{0,10})[a-z]$/.test(code)) {
        return failed(
          "language must be the code of a language: 2 to 12 letters and hyphens, such as en, de or zh-classical.",
        );
      }
      const name = readLine(topic.toWellFormed(), 255);
      if (name === "") return failed("The topic is empty; say what to look up.");
      const lookup = await lookUp(name, code, signal);
      return "error" in lookup ? failed(lookup.error) : { success: true, data: lookupResult(lookup, code) };
    };
  },
});

function lookupResult(
  { title, summary, url, options }: Exclude<Lookup, { error: string }>,
  language: string,
) {
  return { title, summary, url, language, ...(options && { options }) };
}

function failed(error: string): ToolResult {
  return { success: false, error };
}
