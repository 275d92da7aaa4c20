import { ActionIcon, Anchor, Autocomplete, Button, Collapse, Select, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, Suspense } from "react";
import { Link } from "wouter";
import type { AgentSummary } from "../../../../contracts/daemon/agents.ts";
import { Icon } from "../../../parts/icon.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { playTexts as texts } from "../../../texts/studio/runs.ts";
import { hasReadableNumbers, laneOverride } from "./lane-override.ts";
import { LaneSettingsView } from "./lane-settings-view.tsx";
import type { Lane, LaneChange } from "./use-lanes.ts";

const ApplyView = lazy(() => import("./apply-view.tsx"));

interface LaneHeaderProps {
  lane: Lane;
  /** True if there is another column. */
  isCompared: boolean;
  agents: readonly AgentSummary[];
  /** Names in the form `provider/model`. */
  models: readonly string[];
  change: (change: LaneChange) => void;
  /** Removes the column. */
  remove: () => void;
}

/** The agent of a column, and the column's overrides. */
export function LaneHeader({ lane, isCompared, agents, models, change, remove }: LaneHeaderProps) {
  const [isOpen, settings] = useDisclosure(false);
  const [isApplying, applying] = useDisclosure(false);
  const { agent, number, settings: given } = lane;
  const summary = agents.find(({ name }) => name === agent);
  const changes = [given.temperature, given.maxTokens, given.systemPrompt ?? ""].filter(
    (value) => value !== "",
  ).length;
  const override = hasReadableNumbers(given) ? laneOverride(given) : undefined;
  const suffix = isCompared ? ` · ${texts.column(number + 1)}` : "";
  return (
    <section className="ar-panel ar-lane-head" aria-label={texts.column(number + 1)}>
      <div className="ar-lane-fields">
        <Select
          label={`${texts.agent}${suffix}`}
          data={agents.map(({ name, status }) => ({
            value: name,
            label: name,
            disabled: status !== "ready",
          }))}
          value={summary === undefined ? null : agent}
          onChange={(value) => value !== null && change({ agent: value })}
          searchable
          allowDeselect={false}
        />
        <Autocomplete
          label={`${texts.model}${suffix}`}
          placeholder={texts.ownModel(summary?.model ?? "")}
          data={[...models]}
          value={given.model}
          onChange={(model) => change({ model })}
          limit={30}
        />
        <Button variant="default" aria-expanded={isOpen} onClick={settings.toggle}>
          {changes === 0 ? texts.settings : texts.changed(changes)}
          <VisuallyHidden>{suffix}</VisuallyHidden>
        </Button>
        {isCompared && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={texts.removeColumn(number + 1)}
            onClick={remove}
          >
            <Icon name="close" />
          </ActionIcon>
        )}
      </div>
      <Collapse expanded={isOpen}>
        <LaneSettingsView lane={lane} change={change} />
      </Collapse>
      <LaneSession agent={agent} session={lane.session} />
      {override !== undefined && (
        <Button
          size="xs"
          variant="default"
          onClick={applying.open}
          rightSection={<VisuallyHidden>{suffix}</VisuallyHidden>}
        >
          {texts.apply(agent)}
        </Button>
      )}
      {override !== undefined && isApplying && (
        <Suspense>
          <ApplyView
            agent={agent}
            override={override}
            applied={() => change({ model: "", temperature: "", maxTokens: "", systemPrompt: undefined })}
            close={applying.close}
          />
        </Suspense>
      )}
    </section>
  );
}

/** The session of a column's questions. */
function LaneSession({ agent, session }: { agent: string; session: string }) {
  return (
    <div className="ar-lane-session ar-soft">
      <span>{texts.session}</span>
      {session === "" ? (
        <span>{texts.noSession}</span>
      ) : (
        <>
          <span className="ar-mono ar-clip">{session}</span>
          <CopyButton value={session} label={texts.copySession} />
          <Anchor
            component={Link}
            size="sm"
            href={`/studio/memory/${encodeURIComponent(agent)}/${encodeURIComponent(session)}`}
          >
            {texts.sessionMemory}
          </Anchor>
        </>
      )}
    </div>
  );
}
