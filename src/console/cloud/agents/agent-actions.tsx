import { Alert, Button, Group, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { CloudAgent } from "../../../contracts/cloud/agents.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { agentTexts as texts } from "../../texts/cloud/agents.ts";
import { orgEvalTexts as evalTexts } from "../../texts/cloud/evals.ts";
import { orgPaths } from "../cloud-paths.ts";
import { mayManage, type OrgPageProps } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { OverrideDialog } from "./release/override-dialog.tsx";

/** Deploys, pauses, edits and deletes an agent. */
export function AgentActions({ org, agent }: OrgPageProps & { agent: CloudAgent }) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [asked, ask] = useState<"pause" | "remove" | "override">();
  const { name, display_name: shown, status } = agent;
  const paths = orgPaths(org.slug);
  const changed = (text: string) => {
    notify(text);
    return queries.invalidateQueries({ queryKey: ["cloud", org.slug] });
  };
  const deploy = useMutation({
    mutationFn: () => cloud.deploy(org.slug, name),
    onSuccess: () => changed(texts.deployed(shown)),
  });
  const isRefused = refusalOf(deploy.error)?.code === "release_refused";
  const close = () => ask(undefined);
  return (
    <>
      <Group gap="xs">
        {status === "deployed" ? (
          <>
            <span className="ar-soft">{texts.pauseToEdit}</span>
            <Button variant="default" onClick={() => ask("pause")}>
              {texts.pause}
            </Button>
          </>
        ) : (
          <>
            <Button loading={deploy.isPending} onClick={() => deploy.mutate()}>
              {texts.deploy}
            </Button>
            <Button component={Link} href={paths.editAgent(name)} variant="default">
              {texts.edit}
            </Button>
          </>
        )}
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
            <FailureView thrown={deploy.error} title={texts.deployFailed} />
          )}
        </div>
      )}
      {asked === "override" && (
        <OverrideDialog
          agent={shown}
          send={async (reason) => {
            await cloud.deploy(org.slug, name, { release_override: reason });
            deploy.reset();
            await changed(texts.deployed(shown));
          }}
          close={close}
        />
      )}
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
