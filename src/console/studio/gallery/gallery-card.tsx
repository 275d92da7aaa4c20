import { Anchor, Button, Group, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { GalleryAgent } from "../../../contracts/daemon/gallery.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { galleryTexts as texts } from "../../texts/studio/gallery.ts";
import { agentPaths } from "../agents/agent-paths.ts";

const shownQueries = 2;

interface GalleryCardProps {
  agent: GalleryAgent;
  onShow: () => void;
}

/** One gallery agent: its purpose, features and requirements. */
export function GalleryCard({ agent, onShow }: GalleryCardProps) {
  const { name, description, about, queries, pattern, topics, tools, model, needs, loaded } = agent;
  return (
    <article className="ar-panel ar-gallery-card">
      <div className="ar-title">
        <Title order={2} size="h3">
          {name}
        </Title>
        {loaded && <StatusBadge tone="good">{texts.loaded}</StatusBadge>}
      </div>
      <Text>{description}</Text>
      {about !== "" && (
        <Text size="sm" className="ar-soft ar-gallery-about">
          {about}
        </Text>
      )}
      <div className="ar-gallery-topics">
        <StatusBadge tone="accent">{pattern}</StatusBadge>
        {topics.map((topic) => (
          <StatusBadge key={topic} tone="plain">
            {texts.topics[topic]}
          </StatusBadge>
        ))}
      </div>
      <dl className="ar-agents-facts ar-gallery-facts">
        <dt>{texts.model}</dt>
        <dd className="ar-mono">{model === "" ? texts.none : model}</dd>
        <dt>{texts.tools}</dt>
        <dd>{tools.length === 0 ? texts.none : tools.map((tool) => tool.name).join(", ")}</dd>
        {needs.length > 0 && (
          <>
            <dt>{texts.needs}</dt>
            <dd>{needs.join(", ")}</dd>
          </>
        )}
      </dl>
      {loaded && queries.length > 0 && (
        <div>
          <Text size="xs" className="ar-soft">
            {texts.queries}
          </Text>
          <ul className="ar-gallery-queries">
            {queries.slice(0, shownQueries).map((query) => (
              <li key={query}>
                <Anchor
                  component={Link}
                  href={`${agentPaths.ask(name)}&query=${encodeURIComponent(query)}`}
                  size="sm"
                  aria-label={texts.askOf(name, query)}
                >
                  {query}
                </Anchor>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Group gap="xs" className="ar-gallery-actions">
        <Button size="xs" component={Link} href={agentPaths.fromGallery(name)} aria-label={texts.useOf(name)}>
          {texts.use}
        </Button>
        <Button size="xs" variant="subtle" onClick={onShow} aria-label={texts.manifestOf(name)}>
          {texts.manifest}
        </Button>
      </Group>
    </article>
  );
}
