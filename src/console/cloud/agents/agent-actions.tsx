import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { agentNamePattern, type CloudAgent } from "../../../contracts/cloud/agents.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { agentTexts as texts } from "../../texts/cloud/agents.ts";
import { orgEvalTexts as evalTexts } from "../../texts/cloud/evals.ts";
import { orgPaths } from "../cloud-paths.ts";
import { mayManage, type OrgPageProps } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { OverrideDialog } from "./release/override-dialog.tsx";

/** Deploys or publishes, pauses, edits, renames and deletes an agent. */
export function AgentActions({ org, agent }: OrgPageProps & { agent: CloudAgent }) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [asked, ask] = useState<"pause" | "remove" | "override" | "discard" | "rename">();
  const { name, display_name: shown, status, has_draft: hasDraft = false } = agent;
  const paths = orgPaths(org.slug);
  const changed = (text: string) => {
    notify(text);
    return queries.invalidateQueries({ queryKey: ["cloud", org.slug] });
  };
  const release = (release_override?: string) =>
    hasDraft
      ? cloud.publishDraft(org.slug, name, { release_override })
      : cloud.deploy(org.slug, name, { release_override });
  const released = () => changed(hasDraft ? texts.published(shown) : texts.deployed(shown));
  const deploy = useMutation({ mutationFn: () => release(), onSuccess: released });
  const isRefused = refusalOf(deploy.error)?.code === "release_refused";
  const close = () => ask(undefined);
  return (
    <>
      <Group gap="xs">
        {(hasDraft || status !== "deployed") && (
          <Button loading={deploy.isPending} onClick={() => deploy.mutate()}>
            {hasDraft ? texts.publish : texts.deploy}
          </Button>
        )}
        <Button component={Link} href={paths.editAgent(name)} variant="default">
          {texts.edit}
        </Button>
        {hasDraft && (
          <Button variant="default" onClick={() => ask("discard")}>
            {texts.discard}
          </Button>
        )}
        {status === "deployed" && (
          <Button variant="default" onClick={() => ask("pause")}>
            {texts.pause}
          </Button>
        )}
        <Button variant="default" onClick={() => ask("rename")}>
          {texts.rename}
        </Button>
        <Button variant="default" className="ar-danger" onClick={() => ask("remove")}>
          {texts.remove}
        </Button>
      </Group>
      {deploy.isError && (
        <div className="ar-cl-refused">
          {isRefused ? (
            <Alert color="brass" variant="light" role="alert" title={evalTexts.gateRefuses}>
              <Stack gap="xs" align="flex-start">
                {evalTexts.gateReasons}
                {mayManage(org) && (
                  <Button size="xs" variant="default" onClick={() => ask("override")}>
                    {evalTexts.override}
                  </Button>
                )}
              </Stack>
            </Alert>
          ) : (
            <FailureView thrown={deploy.error} title={hasDraft ? texts.publishFailed : texts.deployFailed} />
          )}
        </div>
      )}
      {asked === "override" && (
        <OverrideDialog
          agent={shown}
          send={async (reason) => {
            await release(reason);
            deploy.reset();
            await released();
          }}
          close={close}
        />
      )}
      {asked === "rename" && (
        <RenameDialog
          name={name}
          send={async (to) => {
            await cloud.renameAgent(org.slug, name, to);
            go(paths.agent(to));
            await changed(texts.renamed(to));
          }}
          close={close}
        />
      )}
      <Confirm
        opened={asked === "discard"}
        title={texts.discardTitle(shown)}
        text={texts.discardText}
        action={texts.discard}
        onClose={close}
        onConfirm={async () => {
          await cloud.discardDraft(org.slug, name);
          await changed(texts.discarded(shown));
        }}
      />
      <Confirm
        opened={asked === "pause"}
        title={texts.pauseTitle(shown)}
        text={texts.pauseText}
        action={texts.pause}
        onClose={close}
        onConfirm={async () => {
          await cloud.pause(org.slug, name);
          await changed(texts.paused(shown));
        }}
      />
      <Confirm
        opened={asked === "remove"}
        title={texts.removeTitle(shown)}
        text={texts.removeText}
        action={texts.removeAction}
        typed={name}
        onClose={close}
        onConfirm={async () => {
          await cloud.deleteAgent(org.slug, name);
          go(paths.agents);
          await changed(texts.removed(shown));
        }}
      />
    </>
  );
}

interface RenameDialogProps {
  name: string;
  send: (to: string) => Promise<void>;
  close: () => void;
}

function RenameDialog({ name, send, close }: RenameDialogProps) {
  const [to, setTo] = useState(name);
  return (
    <FormDialog
      title={texts.renameTitle}
      action={texts.rename}
      isComplete={to !== name && agentName.test(to)}
      close={close}
      send={() => send(to)}
    >
      <TextInput
        label={texts.newName}
        description={texts.renameHint}
        required
        maxLength={63}
        autoComplete="off"
        data-autofocus
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

const agentName = new RegExp(agentNamePattern);
