import { Button } from "@mantine/core";
import { useState } from "react";
import { escapeUnseen } from "../../parts/text/escape-unseen.ts";
import { formatNumber } from "../../parts/text/format.ts";
import { logTexts as texts } from "../../texts/operations/operations.ts";

/** Characters of a line's fields that are shown at first. */
const shownMax = 1_000;

/** The fields of a line, each with its name; of long ones the head as JSON, until the reader asks for all. */
export function LineFields({ fields }: { fields: Readonly<Record<string, unknown>> }) {
  const [isWhole, setWhole] = useState(false);
  const entries = Object.entries(fields);
  if (entries.length === 0) return null;
  const json = escapeUnseen(JSON.stringify(fields));
  if (json.length <= shownMax) {
    return (
      <div className="ar-mono ar-break" dir="ltr" data-id-text>
        {entries.map(([name, value]) => (
          <span key={name}>
            <span className="ar-soft">{escapeUnseen(name)}=</span>
            {fieldText(value)}{" "}
          </span>
        ))}
      </div>
    );
  }
  return (
    <>
      <div className="ar-soft ar-mono ar-break" dir="ltr" data-id-text>
        {isWhole ? json : `${json.slice(0, shownMax)}…`}
      </div>
      <Button size="compact-xs" variant="subtle" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? texts.showLess : texts.showAll(formatNumber(json.length))}
      </Button>
    </>
  );
}

/** A text as it is if it can't be taken for something else, any other value as JSON. */
function fieldText(value: unknown): string {
  const json = escapeUnseen(JSON.stringify(value) ?? "");
  return typeof value === "string" && /^[^\s"=]+$/.test(value) && json === `"${value}"` ? value : json;
}
