/**
 * Where LanceDB's own loader finds its addon in an executable, set before LanceDB is loaded. The one piece of state that no
 * argument can carry: the build (scripts/building/embedded-lance.ts) lets the package's loader read it.
 */
export const unpackedAddon: { path?: string } = {};
