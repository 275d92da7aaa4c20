import { Type } from "@sinclair/typebox";

/** Spaces and invisible characters. A name of only these looks empty. */
const invisible =
  "\\s\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb";
/** Matches a visible character. */
export const visiblePattern = `[^${invisible}]`;

const control = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029";

/** A name on one line with at least one visible character. Surrounding spaces are removed. */
export const ShownName = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    // The second part begins at the first visible character, so there is no backtracking.
    pattern: `^(?:(?![${control}])[${invisible}])*[^${invisible}][^${control}]*$`,
    description: `Single line of at most ${lengthMax} characters, at least one of them visible.`,
    fault: `must be 1 to ${lengthMax} characters on one line, at least one of them visible`,
  });

/** A text on one line without control characters, for people and for files that they open. */
export const OneLine = (lengthMax: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: `^[^${control}]*$`,
    fault: `must be 1 to ${lengthMax} characters on one line, without control characters`,
    ...(description === undefined ? {} : { description }),
  });
