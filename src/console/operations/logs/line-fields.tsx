import { Button } from "@mantine/core";
import { useState } from "react";
import { escapeUnseen } from "../../parts/text/escape-unseen.ts";
import { formatNumber } from "../../parts/text/format.ts";
import { logTexts as texts } from "../../texts/operations/operations.ts";

/** Characters of a line's fields that are shown at first. */
const shownMax = 1_000;

/** The fields of a line as JSON. Of long ones the head, until the reader asks for all. */
export function LineFields({ fields }: { fields: Readonly<Record<string, unknown>> }) {
  const [isWhole, setWhole] = useState(false);
  if (Object.keys(fields).length === 0) return null;
  const json = escapeUnseen(JSON.stringify(fields));
  const isLong = json.length > shownMax;
  return (
    <>
      <div className="ar-soft ar-mono ar-break" dir="ltr">
        {isLong && !isWhole ? `${json.slice(0, shownMax)}…` : json}
      </div>
      {isLong && (
        <Button size="compact-xs" variant="subtle" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.showLess : texts.showAll(formatNumber(json.length))}
        </Button>
      )}
    </>
  );
}
