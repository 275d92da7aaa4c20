import { Type } from "@sinclair/typebox";
import { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import { builtinTool } from "./builtin-tool.ts";

/** Transforms JSON into other JSON with a template. */
export const jsonTransform = builtinTool({
  name: "json_transform",
  description:
    'Turns JSON data into other JSON by a Jinja2 template that sees it as `data`, for example {"total": {{ data.items | length }}, "name": "{{ data.name }}"}.',
  hasNoEffects: true,
  docs: "Returns the JSON that the template writes. Printed values are escaped for their place in it: data can't add keys or elements. `tojson` writes a value as it is. The template has 100 ms.",
  parameters: Type.Object(
    {
      data: Type.Unknown({ description: "The JSON to work on." }),
      template: Type.String({
        description: "Jinja2 template that writes JSON; it sees `data`.",
        maxLength: 65_536,
      }),
    },
    { additionalProperties: false },
  ),
  options: Type.Object({}, { additionalProperties: false }),
  build(_, { templates }) {
    return async ({ data, template }) => {
      const text = await templates.renderUntrusted(template, { data }, { escaping: "json" });
      try {
        return { success: true, data: await inPieces(readStrictJson(text)) };
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown;
        const error = `The template wrote no valid JSON: ${thrown.message} It wrote: ${excerpt(text)}`;
        return { success: false, error };
      }
    };
  },
});

const EXCERPT_MAX = 200;

function excerpt(text: string): string {
  const expression = text.trim();
  return expression.length > EXCERPT_MAX
    ? `${expression.slice(0, EXCERPT_MAX).toWellFormed()}…`
    : expression || "nothing";
}
