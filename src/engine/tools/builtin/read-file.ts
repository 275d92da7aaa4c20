import { Type } from "@sinclair/typebox";
import { resolveRoots } from "../files/allowed-roots.ts";
import { locate } from "../files/locate.ts";
import { readInside } from "../files/read-inside.ts";
import { decodeText, encodingNames } from "../files/text-encoding.ts";
import { builtinTool } from "./builtin-tool.ts";

const BYTES_MAX = 1_048_576;

/** Options of both file tools. */
export const fileOptions = Type.Object(
  {
    allowed_paths: Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: "An absolute path of a folder that exists.",
      }),
      {
        description:
          "The folders it may use with all below them, absolute or starting with `{workspace}`; none: no file at all.",
        maxItems: 64,
        default: [],
      },
    ),
  },
  { additionalProperties: false },
);

/** Reads files in the allowed folders as text. */
export const readFile = builtinTool({
  name: "read_file",
  description: "Reads a text file. The path is absolute and below one of the folders that are allowed.",
  hasNoEffects: true,
  docs: `Returns \`path\`, \`content\`, \`encoding\` and \`bytes\`. Regular files of at most ${BYTES_MAX} bytes whose real path, all links resolved, is below a folder of \`allowed_paths\`; paths are taken as they are written, nothing is decoded. Argosy's data folder, its configuration, and files named \`.env\` stay closed. Bytes that are no text in the encoding are refused: read them as \`base64\`.`,
  parameters: Type.Object(
    {
      path: Type.String({ description: "Absolute path of the file.", minLength: 1, maxLength: 4096 }),
      encoding: Type.Optional(
        Type.String({ description: `${encodingNames}.`, default: "utf-8", maxLength: 32 }),
      ),
    },
    { additionalProperties: false },
  ),
  options: fileOptions,
  problems: ({ allowed_paths }, { files }) => resolveRoots(allowed_paths, files).problems,
  describeCall: ({ path }) => ({ target: path, operation: "read" }),
  build({ allowed_paths }, { files }) {
    const { roots } = resolveRoots(allowed_paths, files);
    return async ({ path, encoding = "utf-8" }) => {
      const bytes = await readInside(locate(path, roots), files, BYTES_MAX);
      const content = decodeText(bytes, encoding);
      return { success: true, data: { path, content, encoding, bytes: bytes.length } };
    };
  },
});
