import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { isConflict } from "../../../editor/conflict-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { agentTexts, wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import { orgPaths } from "../../cloud-paths.ts";
import type { OrgPageProps } from "../../org-page.tsx";
import { useCloud } from "../../use-cloud.ts";

interface SaveButtonsProps extends OrgPageProps {
  name: string;
  isStored: boolean;
  isDraft: boolean;
  canSave: boolean;
  canDeploy: boolean;
  store: () => Promise<unknown>;
}

/** Saves the agent, and deploys it if the user wants and nothing is missing. A refused deployment leaves the agent saved. */
export function SaveButtons({ org, name, isStored, isDraft, canSave, canDeploy, store }: SaveButtonsProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const page = orgPaths(org.slug).agent(name);
  const save = useMutation({
    async mutationFn(andDeploy: boolean) {
      await store();
      if (andDeploy) {
        const releasing = isDraft ? cloud.publishDraft(org.slug, name) : cloud.deploy(org.slug, name);
        const refused = await releasing.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        const done = isDraft ? agentTexts.published(name) : agentTexts.deployed(name);
        notify(refused === undefined ? done : texts.savedNotDeployed);
      } else {
        notify(texts.saved(name));
      }
      await queries.invalidateQueries({ queryKey: ["cloud", org.slug] });
      go(page);
    },
  });
  return (
    <>
      {save.isError && !isConflict(save.error) && <FailureView thrown={save.error} />}
      <Group justify="flex-end">
        <Button
          variant="default"
          disabled={!canSave}
          loading={save.isPending && save.variables === false}
          onClick={() => save.mutate(false)}
        >
          {isDraft ? texts.saveDraft : isStored ? texts.saveChanges : texts.save}
        </Button>
        <Button
          disabled={!canSave || !canDeploy}
          loading={save.isPending && save.variables === true}
          onClick={() => save.mutate(true)}
        >
          {isDraft ? texts.saveAndPublish : texts.saveAndDeploy}
        </Button>
      </Group>
    </>
  );
}
