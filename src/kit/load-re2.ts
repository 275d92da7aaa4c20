import type * as Re2 from "re2js";

/**
 * Returns the regular expression engine without backtracking. It is loaded with the first pattern, because most installations need none.
 */
export function loadRe2(): typeof Re2 {
  // biome-ignore lint/style/noCommonJs: an import can't wait inside a function that isn't async.
  return require("re2js");
}
