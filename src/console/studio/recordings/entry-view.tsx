import { Button } from "@mantine/core";
import { useState } from "react";
import type { CassetteEntry } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { type ModelCallRequest, recordedAnswer } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { recordingTexts as texts, traceTexts } from "../../texts/studio/runs.ts";
import { ModelCallView } from "../traces/model-call-view.tsx";
import { entryLine } from "./entries.ts";

interface EntryViewProps {
  entry: CassetteEntry;
  number: number;
  forkAfter: (call: number) => void;
}

/** One request of a run and its answer. Its content is rendered when it is opened. */
export function EntryView({ entry, number, forkAfter }: EntryViewProps) {
  const [isOpen, setOpen] = useState(false);
  const { kind, by } = entry;
  return (
    <details className="ar-step ar-entry" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <StatusBadge tone={kind === "model" ? "accent" : "plain"}>
          {`${texts.kinds[kind]} ${number}`}
        </StatusBadge>
        <span className="ar-clip ar-entry-line">{entryLine(entry)}</span>
        <span className="ar-soft ar-entry-by">{by.agent}</span>
      </summary>
      {isOpen && (
        <div className="ar-tool-body">
          {kind === "model" ? (
            <>
              <div>
                <Button size="compact-sm" variant="default" onClick={() => forkAfter(number)}>
                  {texts.forkHere}
                </Button>
              </div>
              <ModelCallView request={entry.request as ModelCallRequest} answer={recordedAnswer(entry)} />
            </>
          ) : (
            <>
              <div className="ar-label">{traceTexts.request}</div>
              <JsonView value={entry.request} label={traceTexts.request} maxHeight={260} />
              <div className="ar-label">{traceTexts.reply}</div>
              <JsonView value={entry.answer} label={traceTexts.reply} maxHeight={260} />
            </>
          )}
        </div>
      )}
    </details>
  );
}
