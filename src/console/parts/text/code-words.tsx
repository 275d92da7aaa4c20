import { Code } from "@mantine/core";
import type { ReactNode } from "react";

/** Shows a text whose names stand between backticks, as descriptions of keys and messages of services have them. */
export function codeWords(text: string): ReactNode;
export function codeWords(text: string | undefined): ReactNode | undefined;
export function codeWords(text: string | undefined): ReactNode | undefined {
  if (text === undefined || !text.includes("`")) return text;
  return text.split(/`([^`]+)`/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place alone
      <Code key={at} className="ar-break">
        {part}
      </Code>
    ),
  );
}
