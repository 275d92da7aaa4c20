import { Button, Group, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { GalleryAgent, GalleryTopic } from "../../../contracts/daemon/gallery.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { galleryTexts as texts } from "../../texts/studio/gallery.ts";
import { useDaemon } from "../use-daemon.ts";
import { GalleryCard } from "./gallery-card.tsx";
import { ManifestDialog } from "./manifest-dialog.tsx";

/** The gallery agents, each with its features and a link to create a copy. */
export default function GalleryPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "gallery"], queryFn: daemon.gallery });
  const [topic, setTopic] = useUrlState("shows");
  const [pattern, setPattern] = useUrlState("pattern");
  const [opened, setOpened] = useUrlState("manifest", { push: true });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Loaded query={query}>
        {({ agents }) => {
          if (agents.length === 0) return <EmptyGallery />;
          const shown = agents.filter(
            (agent) =>
              (topic === "" || agent.topics.some((one) => one === topic)) &&
              (pattern === "" || agent.pattern === pattern),
          );
          return (
            <div className="ar-agents-stack">
              <Group gap="sm">
                <Choice
                  label={texts.topic}
                  all={texts.allTopics}
                  options={topicsOf(agents).map((value) => ({ value, label: texts.topics[value] }))}
                  value={topic}
                  onChange={setTopic}
                />
                <Choice
                  label={texts.pattern}
                  all={texts.allPatterns}
                  options={[...new Set(agents.map((agent) => agent.pattern))].sort()}
                  value={pattern}
                  onChange={setPattern}
                />
              </Group>
              {shown.length === 0 && <p className="ar-soft">{texts.nothing}</p>}
              <ul className="ar-gallery">
                {shown.map((agent) => (
                  <li key={agent.name}>
                    <GalleryCard agent={agent} onShow={() => setOpened(agent.name)} />
                  </li>
                ))}
              </ul>
              <ManifestDialog
                agent={agents.find(({ name }) => name === opened)}
                onClose={() => setOpened("")}
              />
            </div>
          );
        }}
      </Loaded>
    </>
  );
}

function EmptyGallery() {
  return (
    <EmptyState title={texts.emptyTitle} text={texts.empty}>
      <Button component={Link} href="/studio/agents/new">
        {texts.new}
      </Button>
    </EmptyState>
  );
}

interface ChoiceProps {
  label: string;
  /** Label of the option for no choice. */
  all: string;
  options: readonly (string | { value: string; label: string })[];
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, all, options, value, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      data={[{ value: "", label: all }, ...options]}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen ?? "")}
    />
  );
}

const topicsOf = (agents: readonly GalleryAgent[]): GalleryTopic[] => [
  ...new Set(agents.flatMap((agent) => agent.topics)),
];
