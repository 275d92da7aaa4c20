import { Type } from "@sinclair/typebox";
import { newId } from "../../../kit/id.ts";
import { resolveRoots } from "../files/allowed-roots.ts";
import { locate } from "../files/locate.ts";
import { encodeText, encodingNames } from "../files/text-encoding.ts";
import { writeInside } from "../files/write-inside.ts";
import { builtinTool } from "./builtin-tool.ts";
import { fileOptions } from "./read-file.ts";

const BYTES_MAX = 1_048_576;
/** Length of that many bytes in base64, with a line feed every 76 characters. */
const CHARS_MAX = 1_420_000;

/** Creates or replaces files in the allowed folders. */
export const writeFile = builtinTool({
  name: "write_file",
  description:
    "Writes a text file, replacing the one that is there. The path is absolute and below one of the folders that are allowed; folders on the way are made.",
  docs: `Returns \`path\`, \`bytes\` and \`created\`. At most ${BYTES_MAX} bytes a call; the file appears whole or not at all, with mode 0644. Every folder on the way is checked by its real path, links resolved; a link at the path itself is refused, as are Argosy's data folder, its configuration (\`*.agent.yaml\` and the like) and files named \`.env\`.`,
  parameters: Type.Object(
    {
      path: Type.String({ description: "Absolute path of the file.", minLength: 1, maxLength: 4096 }),
      content: Type.String({ description: "All that the file is to hold.", maxLength: CHARS_MAX }),
      encoding: Type.Optional(
        Type.String({ description: `${encodingNames}.`, default: "utf-8", maxLength: 32 }),
      ),
    },
    { additionalProperties: false },
  ),
  options: fileOptions,
  problems: ({ allowed_paths }, { files }) => resolveRoots(allowed_paths, files).problems,
  describeCall: ({ path }) => ({ target: path, operation: "write" }),
  build({ allowed_paths }, { files }) {
    const { roots } = resolveRoots(allowed_paths, files);
    return async ({ path, content, encoding = "utf-8" }) => {
      const place = locate(path, roots);
      const bytes = encodeText(content, encoding);
      if (bytes.length > BYTES_MAX) {
        return {
          success: false,
          error: `The content has more than ${BYTES_MAX} bytes; write less, or several files.`,
        };
      }
      const { created } = await writeInside(place, bytes, { reach: files, newName: newId });
      return { success: true, data: { path, bytes: bytes.length, created } };
    };
  },
});
