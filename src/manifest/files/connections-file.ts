import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import { closed, httpUrl, mapping, text } from "../schema/schema-vocabulary.ts";

const connection = closed({
  base_url: httpUrl({
    description: "The service's address; tools can call it and what lies below it, and nothing else.",
  }),
  credential: Type.Optional(
    text(16_384, {
      description: "The secret that goes with every call; written as a variable, never in clear.",
    }),
  ),
  header: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9-]{1,128}$",
      expects: "the name of a header",
      description:
        "The header that carries the credential as it is, such as X-API-Key; absent: `Authorization`, as a bearer token.",
    }),
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
  rules({ connections }, report) {
    for (const [name, { base_url, credential = "", header }] of Object.entries(connections)) {
      const at = (key: string) => ["connections", name, key];
      const { username, password, search, hash } = new URL(base_url);
      if (username !== "" || password !== "") {
        report(at("base_url"), "may not hold a user name or a password; write them as credential");
      } else if (search !== "" || hash !== "") report(at("base_url"), "may not hold a query or a fragment");
      if (!/^[\t\x20-\x7e]*$/.test(credential)) {
        report(at("credential"), "may not hold line breaks or characters beyond ASCII");
      }
      if (header !== undefined && credential === "") {
        report(at("header"), "has no credential to carry; give credential too");
      }
    }
  },
};
