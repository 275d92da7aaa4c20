import { Button, Group, SegmentedControl, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { AccountView } from "../../../contracts/translator/reconcile.ts";
import type { SubmittedSpec } from "../../../contracts/translator/translation.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { kindTexts, specTexts, specPageTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useAccounts, useTranslator } from "../use-translator.ts";
import { DriftView } from "./drift-view.tsx";
import { PlanView } from "./plan-view.tsx";
import { SpecLoaded } from "./spec-loaded.tsx";
import { TranslationView } from "./translation-view.tsx";

const views = ["resources", "plan", "drift", "manifest"] as const;

/** One manifest: its resources, its plan and its drift in an account. */
export default function SpecPage() {
  return <SpecLoaded>{(spec) => <Spec spec={spec} />}</SpecLoaded>;
}

function Spec({ spec }: { spec: SubmittedSpec }) {
  const accounts = useAccounts();
  const { kind, name } = spec;
  return (
    <>
      <PageHeader
        title={name}
        up={{ href: translatorPaths.specs, label: specTexts.title }}
        lead={kindTexts[kind]}
      >
        <SpecActions spec={spec} />
      </PageHeader>
      <Loaded query={accounts}>{(list) => <SpecViews spec={spec} accounts={list.accounts} />}</Loaded>
    </>
  );
}

interface SpecViewsProps {
  spec: SubmittedSpec;
  accounts: readonly AccountView[];
}

function SpecViews({ spec, accounts }: SpecViewsProps) {
  const [chosen, choose] = useUrlState("account");
  const [wished, wish] = useUrlState("view", { push: true });
  const account = accounts.find(({ name }) => name === chosen) ?? accounts[0];
  const view = views.find((name) => name === wished) ?? "resources";
  return (
    <div className="ar-stack">
      <Group justify="space-between" align="end">
        <SegmentedControl
          size="xs"
          aria-label={texts.view}
          value={view}
          data={views.map((value) => ({ value, label: texts.views[value] }))}
          onChange={(value) => wish(value === "resources" ? "" : value)}
        />
        <Select
          size="xs"
          label={texts.account}
          allowDeselect={false}
          data={accounts.map(({ name, provider }) => ({ value: name, label: `${name} (${provider})` }))}
          value={account?.name ?? null}
          onChange={(value) => choose(value === accounts[0]?.name ? "" : (value ?? ""))}
        />
      </Group>
      {view === "manifest" && (
        <Panel title={specTexts.manifest}>
          <CodeEditor value={spec.yaml} language="yaml" label={specTexts.manifest} maxHeight="70vh" />
        </Panel>
      )}
      {account !== undefined && view === "resources" && (
        <TranslationView spec={spec} provider={account.provider} />
      )}
      {account !== undefined && view === "plan" && (
        <PlanView key={account.name} spec={spec} account={account.name} />
      )}
      {account !== undefined && view === "drift" && <DriftView spec={spec} account={account.name} />}
    </div>
  );
}

function SpecActions({ spec: { kind, name } }: { spec: SubmittedSpec }) {
  const translator = useTranslator();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAsking, setAsking] = useState(false);
  return (
    <Group gap="xs">
      <Button component={Link} href={translatorPaths.editSpec(kind, name)} variant="default">
        {specTexts.edit}
      </Button>
      <Button variant="default" className="ar-danger" onClick={() => setAsking(true)}>
        {texts.destroy}
      </Button>
      <Confirm
        opened={isAsking}
        title={texts.destroyTitle(name)}
        text={texts.destroyText}
        action={texts.destroyAction}
        typed={name}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          const { deleted } = await translator.deleteSpec(kind, name, { cascade: true });
          notify(texts.destroyed(name, deleted.length));
          go(translatorPaths.specs);
          await queries.invalidateQueries({ queryKey: ["translator"] });
        }}
      />
    </Group>
  );
}
