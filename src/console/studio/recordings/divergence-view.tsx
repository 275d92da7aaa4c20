import { Title } from "@mantine/core";
import type { Divergence } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/panel.tsx";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";

/** The first difference between a run and its recording: the recorded and the new value. */
export function DivergenceView({ divergence }: { divergence: Divergence }) {
  const { at, message, difference, agent, role } = divergence;
  const expected = difference?.expected ?? divergence.expected;
  const got = difference?.got ?? divergence.got;
  const who = [agent, role].filter((part) => part !== undefined).join(" · ");
  return (
    <Panel title={texts.whats[at]} actions={who !== "" && <span className="ar-soft">{who}</span>}>
      <p className="ar-flat ar-break">{message}</p>
      {difference !== undefined && (
        <p className="ar-soft ar-flat">
          {texts.where}: <span className="ar-mono ar-break">{difference.path}</span>
          {difference.character !== undefined && `, ${texts.character(difference.character)}`}
        </p>
      )}
      <div className="ar-columns ar-sides">
        {expected !== undefined && <SideView title={texts.expected} value={expected} />}
        {got !== undefined && <SideView title={texts.got} value={got} />}
      </div>
    </Panel>
  );
}

function SideView({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <Title order={3} size="h4" mb={4}>
        {title}
      </Title>
      <JsonView value={value} label={title} />
    </div>
  );
}
