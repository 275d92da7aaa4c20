import { Type } from "@sinclair/typebox";

/** Spaces and characters that show nothing: a name of these alone looks empty. */
const invisible =
  "\\s\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb";
/** A character that shows something. */
export const visiblePattern = `[^${invisible}]`;

const control = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029";

/** A name that people read, on one line: something in it can be seen. Spaces around it are taken off. */
export const ShownName = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    // The second part begins at the first visible character: nothing is tried twice.
    pattern: `^(?:(?![${control}])[${invisible}])*[^${invisible}][^${control}]*$`,
    description: `Up to ${lengthMax} characters on one line, at least one of them visible.`,
    fault: `must be 1 to ${lengthMax} characters on one line, at least one of them visible`,
  });

/** A text on one line, for people and for files that they open: it has no control character. */
export const OneLine = (lengthMax: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: `^[^${control}]*$`,
    fault: `must be 1 to ${lengthMax} characters on one line, without control characters`,
    ...(description === undefined ? {} : { description }),
  });
