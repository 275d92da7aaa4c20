import { Button } from "@mantine/core";
import { Link } from "wouter";
import type { Tagged } from "../../../contracts/tagged.ts";
import { saveFile } from "../../api/save-file.ts";
import { Builder, type SaveAction } from "../../builder/builder.tsx";
import type { Schema } from "../../builder/manifest/schema-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { agentPaths } from "./agent-paths.ts";
import { useStudioHost } from "./studio-host.tsx";

interface StudioBuilderProps {
  /** The edited agent; absent for a new one. */
  stored?: {
    name: string;
    /** False for an agent that a restart removes. */
    isPersisted: boolean;
    /** Saves over the version with the tag. */
    save: (text: string, tag: string | undefined) => Promise<void>;
    read: () => Promise<Tagged<string>>;
    /** Makes a version that was read the initial one. */
    take: (theirs: Tagged<string>) => void;
  };
  /** The stored manifest, or the initial text of a new agent. */
  initial: Tagged<string>;
  /** Text of an unsaved change that the editor begins with. */
  begun?: string;
  /** Of a new agent: what it begins with, so that two beginnings have two drafts. */
  beginning?: string;
  schema: Schema;
  /** Names of the existing agents. */
  taken: readonly string[];
  /** Creates a new agent from the text. */
  create: (text: string) => Promise<void>;
}

/** The editor of the daemon's own agents. */
export function StudioBuilder({
  stored,
  initial,
  begun,
  beginning = "",
  schema,
  taken,
  create,
}: StudioBuilderProps) {
  const name = stored?.name;
  const host = useStudioHost(schema, name);
  const save: SaveAction = {
    label: name === undefined ? texts.create : texts.save,
    title: name === undefined ? texts.createAction : texts.saveAction,
    ...(stored !== undefined && { review: "plain" as const }),
    isReady: ({ state }, isDirty) => state === "valid" && isDirty,
    send: (text, { tag }) => (stored === undefined ? create(text) : stored.save(text, tag)),
  };
  return (
    <Builder
      host={host}
      {...(name !== undefined && { name })}
      draftName={name === undefined ? `studio new ${beginning}` : `studio ${name}`}
      header={{
        title: name === undefined ? texts.newTitle : texts.title(name),
        lead: name === undefined ? texts.newLead : texts.lead,
        up:
          name === undefined
            ? { href: agentPaths.list, label: agentsTexts.title }
            : { href: agentPaths.of(name), label: name },
        children: name !== undefined && (
          <Button
            variant="default"
            component={Link}
            href={agentPaths.ask(name)}
            leftSection={<Icon name="play" />}
          >
            {texts.toPlayground}
          </Button>
        ),
      }}
      initial={initial}
      {...(begun !== undefined && { begun })}
      taken={taken}
      save={save}
      copy={create}
      {...(stored !== undefined && {
        others: { read: stored.read, take: stored.take, canRecreate: true },
      })}
      {...(stored?.isPersisted === false && {
        foot: (text: string) => <InMemory name={stored.name} text={text} />,
      })}
    />
  );
}

/** Tells that a restart removes the agent, and offers what is stored of it as the file that keeps it. */
function InMemory({ name, text }: { name: string; text: string }) {
  const file = `${name}.agent.yaml`;
  return (
    <div className="ar-edit-in-memory">
      <span className="ar-soft ar-break">{texts.inMemory(`agents/${file}`)}</span>
      <Button size="xs" variant="default" onClick={() => saveFile(file, "application/yaml", text)}>
        {texts.download}
      </Button>
    </div>
  );
}
