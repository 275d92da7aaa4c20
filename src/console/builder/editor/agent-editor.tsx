import { Button, SegmentedControl } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import type { Tagged } from "../../../contracts/tagged.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";
import { saveFile } from "../../api/save-file.ts";
import { ConflictDialog } from "../../editor/conflict-dialog.tsx";
import { LeaveDialog } from "../../editor/leave-dialog.tsx";
import { useLeaveGuard } from "../../editor/use-leave-guard.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SaveBar } from "../../parts/layout/save-bar.tsx";
import { notify } from "../../parts/notices.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { agentPaths } from "../../studio/agents/agent-paths.ts";
import { builderTexts as texts } from "../../texts/builder.ts";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { ManifestForm } from "../form/manifest-form.tsx";
import { changeManifest } from "../manifest/change-manifest.ts";
import { freeName, nameIn } from "../manifest/manifest-checks.ts";
import type { Schema } from "../manifest/schema-at.ts";
import { SaveDialog } from "./save-dialog.tsx";
import { type ManifestVerdict, useManifestCheck } from "./use-manifest-check.ts";
import { YamlPane } from "./yaml-pane.tsx";

interface AgentEditorProps {
  /** The edited agent; absent for a new one. An error of `save` is shown next to the button. */
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
  schema: Schema;
  /** Names of the existing agents. */
  taken: readonly string[];
  /** Creates a new agent from the text. */
  create: (text: string) => Promise<void>;
}

/** Form and YAML of one manifest, side by side. The text is the single source; the form is a view of it. */
export function AgentEditor({
  stored,
  initial,
  begun = initial.value,
  schema,
  taken,
  create,
}: AgentEditorProps) {
  const name = stored?.name;
  // A draft keeps the version that it began with, even if a newer one is read meanwhile.
  const [draft, setDraft] = useState<{ text: string; base: Tagged<string> } | undefined>(
    begun === initial.value ? undefined : { text: begun, base: initial },
  );
  const base = draft?.base ?? initial;
  const text = draft?.text ?? initial.value;
  const isDirty = text !== base.value;
  const setText = useCallback(
    (next: string) => setDraft(next === base.value ? undefined : { text: next, base }),
    [base],
  );
  const [side, setSide] = useUrlState("view");
  const [isSaving, saving] = useDisclosure(false);
  const [isConflicting, conflict] = useDisclosure(false);
  const reading = useMemo(() => readYaml(text), [text]);
  const rule = useMemo(() => (name === undefined ? { taken } : { fixed: name }), [name, taken]);
  const verdict = useManifestCheck(text, reading, rule);
  const guard = useLeaveGuard(isDirty);
  const canSave = verdict.state === "valid" && (isDirty || name === undefined);
  useSaveKey(() => {
    if (canSave) saving.open();
    else notify(isDirty ? texts.notYet : texts.unchanged);
  });

  const ownName = name ?? ("value" in reading ? nameIn(reading.value) : undefined) ?? "";
  const copyName = freeName(ownName, taken);
  const shown = side === "yaml" ? "yaml" : "form";
  return (
    <>
      <PageHeader
        title={name === undefined ? texts.newTitle : texts.title(name)}
        lead={name === undefined ? texts.newLead : texts.lead}
        up={
          name === undefined
            ? { href: agentPaths.list, label: agentsTexts.title }
            : { href: agentPaths.of(name), label: name }
        }
      >
        {name !== undefined && (
          <Button
            variant="default"
            component={Link}
            href={agentPaths.ask(name)}
            leftSection={<Icon name="play" />}
          >
            {texts.tryIt}
          </Button>
        )}
      </PageHeader>
      <SegmentedControl
        className="ar-edit-switch"
        fullWidth
        aria-label={texts.views}
        value={shown}
        onChange={(value) => setSide(value === "yaml" ? "yaml" : "")}
        data={[
          { value: "form", label: texts.form },
          { value: "yaml", label: texts.yaml },
        ]}
      />
      <div className="ar-edit" data-shown={shown}>
        <div className="ar-edit-form">
          <ManifestForm
            schema={schema}
            reading={reading}
            problems={verdict.problems}
            text={text}
            onChange={setText}
          />
        </div>
        <YamlPane text={text} onChange={setText} problems={verdict.problems} schema={schema} />
      </div>
      <SaveBar>
        {stored?.isPersisted === false && <InMemory name={stored.name} text={base.value} />}
        <VerdictBadge verdict={verdict} />
        {isDirty && <span className="ar-soft">{texts.unsaved}</span>}
        <Button onClick={saving.open} disabled={!canSave}>
          {name === undefined ? texts.create : texts.save}
        </Button>
      </SaveBar>
      <SaveDialog
        opened={isSaving}
        onClose={saving.close}
        name={ownName}
        stored={stored && base.value}
        text={text}
        onConflict={() => {
          saving.close();
          conflict.open();
        }}
        onSave={async () => {
          if (stored === undefined) await guard.pass(() => create(text));
          else await stored.save(text, base.tag);
          // Shows the daemon's version of the stored text, which may hide secrets.
          setDraft(undefined);
        }}
        copy={
          name === undefined
            ? undefined
            : {
                name: copyName,
                save: () => guard.pass(() => create(changeManifest(text, ["metadata", "name"], copyName))),
              }
        }
      />
      {stored !== undefined && isConflicting && (
        <ConflictDialog<string>
          mine={text}
          textOf={(theirs) => theirs}
          language="yaml"
          read={stored.read}
          keepMine={async ({ tag }) => {
            await stored.save(text, tag);
            setDraft(undefined);
          }}
          recreate={async () => {
            await stored.save(text, undefined);
            setDraft(undefined);
          }}
          takeTheirs={(theirs) => {
            stored.take(theirs);
            setDraft(undefined);
          }}
          close={conflict.close}
        />
      )}
      <LeaveDialog guard={guard} />
    </>
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

/** Saves on Ctrl+S or ⌘S instead of the browser's own save dialog. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Shows whether the manifest is valid in its present state. */
function VerdictBadge({ verdict: { state, problems } }: { verdict: ManifestVerdict }) {
  if (state === "valid") return <StatusBadge tone="good">{texts.valid}</StatusBadge>;
  if (state === "checking") return <StatusBadge tone="plain">{texts.checking}</StatusBadge>;
  if (state === "unchecked") return <StatusBadge tone="warn">{texts.unchecked}</StatusBadge>;
  return <StatusBadge tone="bad">{texts.faulty(problems.length)}</StatusBadge>;
}
