import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "./manifest-kind.ts";
import { closed, httpUrl, mapping, text } from "./schema-vocabulary.ts";

const connection = closed({
  base_url: Type.Optional(
    httpUrl({ description: "The service's address, where it is not the integration's own." }),
  ),
  credential: Type.Optional(
    text(16_384, { description: "The secret; written as a variable, never in clear." }),
  ),
});

/** The schema of connections.yaml after reading: defaults filled in. */
export const ConnectionsFileSchema = closed(
  {
    connections: mapping(
      connection,
      {
        description: "The connections by name.",
        default: {},
        expects: "a name of lower-case letters, digits, `-` and `_`",
      },
      "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$",
    ),
  },
  { title: "connections.yaml", description: "Services that tools may call, with their credentials." },
);

export type ConnectionsFile = Static<typeof ConnectionsFileSchema>;

export const connectionsFileKind: ManifestKind<ConnectionsFile> = {
  id: "connections",
  schema: ConnectionsFileSchema,
};
