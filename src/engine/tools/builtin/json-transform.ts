import { Type } from "@sinclair/typebox";
import { AppError } from "../../../kit/app-error.ts";
import { parseStrictJson } from "../../../kit/strict-json.ts";
import { closed } from "../../../manifest/schema-vocabulary.ts";
import { builtinTool } from "./builtin-tool.ts";

const templateLengthMax = 64 * 1024;

/** Reshapes JSON by a template, which is rendered where it can do no harm: models write these templates. */
export const jsonTransform = builtinTool({
  name: "json_transform",
  description:
    "Transforms JSON data by a Jinja2 template whose output is JSON. The data is named `data`; put each value in through the filter `tojson`.",
  parameters: closed({
    data: Type.Unknown({ description: "The JSON value to transform." }),
    template: Type.String({
      maxLength: templateLengthMax,
      description: 'Jinja2 template of JSON, for example {"name": {{ data.first_name | tojson }}}',
    }),
  }),
  options: closed({}),
  build(_options, { templates }) {
    return async ({ data, template }) => {
      const output = await templates.renderUntrusted(template, { data });
      try {
        return { success: true, data: parseStrictJson(output) };
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown;
        return { success: false, error: `The template's output is not JSON: ${thrown.message} Use the filter tojson.` };
      }
    };
  },
});
