import { Switch } from "@mantine/core";
import { useState } from "react";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { Panel } from "../../parts/panel.tsx";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";
import { EntryView } from "./entry-view.tsx";
import { numberEntries } from "./number-entries.ts";

interface CallListProps {
  cassette: Cassette;
  /** Starts a fork that continues live after this model call. */
  forkAfter: (call: number) => void;
}

/** The calls of a recording in order. */
export function CallList({ cassette, forkAfter }: CallListProps) {
  const [withAll, setAll] = useState(false);
  return (
    <Panel title={texts.callsTitle}>
      <Switch
        size="xs"
        label={texts.showAll}
        checked={withAll}
        onChange={(event) => setAll(event.currentTarget.checked)}
        mb="sm"
      />
      <ol className="ar-entries">
        {numberEntries(cassette.entries, withAll).map(({ entry, number }) => (
          <li key={entry.seq}>
            <EntryView entry={entry} number={number} forkAfter={forkAfter} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
