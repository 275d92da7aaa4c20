import type * as Re2 from "re2js";

/** The engine for regular expressions that never goes back in the text, loaded with the first pattern: most installations need none. */
export function loadRe2(): typeof Re2 {
  // biome-ignore lint/style/noCommonJs: an import can't wait inside a function that isn't async.
  return require("re2js");
}
