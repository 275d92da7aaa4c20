import type { SpecKind } from "../../contracts/translator/translation.ts";

const within = (path: string) => `/translator${path}`;
const spec = (kind: SpecKind, name: string) => within(`/specs/${kind}/${encodeURIComponent(name)}`);

/** Addresses of the translator's pages. */
export const translatorPaths = {
  specs: within(""),
  newSpec: within("/new"),
  spec,
  editSpec: (kind: SpecKind, name: string) => `${spec(kind, name)}/edit`,
  accounts: within("/accounts"),
  coverage: within("/coverage"),
};
