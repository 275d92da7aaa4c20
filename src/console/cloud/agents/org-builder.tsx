import { Alert, Button, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import type { CloudAgent, OrgAgentChange } from "../../../contracts/cloud/agents.ts";
import type { CloudClient } from "../../../contracts/cloud/client.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import type { Tagged } from "../../../contracts/tagged.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";
import { Builder, type SaveAction } from "../../builder/builder.tsx";
import type { ManifestVerdict } from "../../builder/editor/use-manifest-check.ts";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { agentTexts, orgBuilderTexts as texts } from "../../texts/cloud/agents.ts";
import { orgEvalTexts as evalTexts } from "../../texts/cloud/evals.ts";
import { orgPaths } from "../cloud-paths.ts";
import { mayManage, type OrgPageProps } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { type OrgOffer, useOrgHost } from "./org-host.tsx";
import { changeOfManifest, inputOfManifest, textOfAgent } from "./org-manifest.ts";
import { OverrideDialog } from "./release/override-dialog.tsx";

interface OrgBuilderProps extends OrgPageProps {
  offer: OrgOffer;
  /** The stored agent, as its draft would make it. */
  stored?: Tagged<CloudAgent>;
  /** The version that answers calls. */
  published?: CloudAgent | undefined;
  /** The beginning of a new agent. */
  initial?: string;
  /** What a new agent begins with, so that two beginnings have two drafts. */
  beginning?: string;
  taken?: readonly string[];
  top?: ReactNode;
}

export const editedKey = (slug: string, name: string) => ["cloud", slug, "agent", name, "to edit"];

/** The editor of an org's agent: saves a draft, and publishes it without a pause. */
export function OrgBuilder(props: OrgBuilderProps) {
  const { org, offer, stored, initial = "", beginning = "", taken = [], top } = props;
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const host = useOrgHost({ org, offer });
  const [override, setOverride] = useState<{ name: string }>();
  const { slug } = org;
  const paths = orgPaths(slug);
  const agent = stored?.value;
  const shown = agent?.display_name ?? "";
  const isValid = ({ state }: ManifestVerdict) => state === "valid";
  const isWaiting = agent === undefined || agent.has_draft === true || agent.status !== "deployed";

  /** Stores the text, and returns the agent's name. */
  const store = async (text: string, tag: string | undefined): Promise<string> => {
    const reading = readYaml(text);
    const value = "value" in reading ? reading.value : {};
    if (agent === undefined) {
      const { name } = await cloud.createAgent(slug, inputOfManifest(value));
      return name;
    }
    await storeChange(cloud, slug, { value: agent, tag }, changeOfManifest(value));
    queries.setQueryData(editedKey(slug, agent.name), await readEdited(cloud, slug, agent.name));
    return agent.name;
  };
  const reread = () =>
    queries.invalidateQueries({
      queryKey: ["cloud", slug],
      predicate: ({ queryKey }) => queryKey.at(-1) !== "to edit",
    });
  const release = async (name: string, release_override?: string) => {
    const isDraft = agent !== undefined && (await cloud.agent(slug, name)).has_draft === true;
    await (isDraft
      ? cloud.publishDraft(slug, name, { release_override })
      : cloud.deploy(slug, name, { release_override }));
    notify(texts.published(agent === undefined ? name : shown));
    await reread();
    go(paths.agent(name));
  };
  const save: SaveAction = {
    label: agent === undefined ? texts.create : texts.saveDraft,
    title: texts.saveDraft,
    isReady: (verdict, isDirty) => isValid(verdict) && isDirty,
    async send(text, { tag }) {
      const name = await store(text, tag);
      notify(agent === undefined ? texts.created(name) : texts.saved(shown));
      await reread();
      if (agent === undefined) go(paths.editAgent(name), { replace: true });
    },
  };
  const publish: SaveAction = {
    label: texts.publish,
    title: texts.publish,
    ...(agent?.status === "deployed" && { review: "plain" as const }),
    isReady: (verdict, isDirty) => isValid(verdict) && verdict.missing.length === 0 && (isDirty || isWaiting),
    async send(text, { value, tag }, { stored: isStored }) {
      const name = agent !== undefined && text === value ? agent.name : await store(text, tag);
      isStored();
      try {
        await release(name);
      } catch (thrown) {
        await reread();
        // What was created has a page of its own, which publishes it again.
        if (agent === undefined) {
          notify(`${texts.savedNotPublished} ${refusalOf(thrown)?.message ?? ""}`);
          return go(paths.editAgent(name), { replace: true });
        }
        throw thrown;
      }
    },
  };
  return (
    <>
      <Builder
        host={host}
        {...(agent !== undefined && { name: agent.name })}
        draftName={`cloud ${slug} ${agent === undefined ? `new ${beginning}` : agent.agent_id}`}
        header={{
          title: agent === undefined ? texts.newTitle : texts.editTitle(shown),
          lead: agent === undefined ? texts.newLead : texts.editLead,
          up:
            agent === undefined
              ? { href: paths.agents, label: agentTexts.title }
              : { href: paths.agent(agent.name), label: shown },
        }}
        initial={stored === undefined ? { value: initial, tag: undefined } : asText(stored)}
        published={props.published && textOfAgent(props.published)}
        taken={taken}
        save={save}
        publish={publish}
        {...(agent !== undefined && {
          others: {
            read: async () => asText(await readEdited(cloud, slug, agent.name)),
            take: () => void queries.resetQueries({ queryKey: editedKey(slug, agent.name) }),
            canRecreate: false,
          },
        })}
        top={top}
        refused={(thrown) =>
          refusalOf(thrown)?.code === "release_refused" ? (
            <Alert color="brass" variant="light" role="alert" title={evalTexts.gateRefuses}>
              <Stack gap="xs" align="flex-start">
                {evalTexts.gateReasons}
                {mayManage(org) && (
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setOverride({ name: agent?.name ?? "" })}
                  >
                    {evalTexts.override}
                  </Button>
                )}
              </Stack>
            </Alert>
          ) : (
            <FailureView thrown={thrown} title={agentTexts.publishFailed} />
          )
        }
      />
      {override !== undefined && (
        <OverrideDialog
          agent={shown}
          send={(reason) => release(override.name, reason)}
          close={() => setOverride(undefined)}
        />
      )}
    </>
  );
}

const asText = ({ value, tag }: Tagged<CloudAgent>): Tagged<string> => ({ value: textOfAgent(value), tag });

/** Reads what the editor edits: the draft if there is one, with the tag of its agent. */
export async function readEdited(
  cloud: CloudClient,
  slug: string,
  name: string,
): Promise<Tagged<CloudAgent>> {
  const read = await cloud.readAgent(slug, name);
  if (read.value.has_draft !== true) return read;
  const { step1: _1, step2: _2, step3: _3, step4: _4, step5: _5, ...agent } = read.value;
  return { ...read, value: { ...agent, ...(await cloud.draft(slug, name)) } };
}

/** A deployed agent, and one that has a draft already, is changed by a draft. */
const storeChange = (
  cloud: CloudClient,
  slug: string,
  { value: { name, status, has_draft }, tag }: Tagged<CloudAgent>,
  change: OrgAgentChange,
): Promise<unknown> =>
  status === "deployed" || has_draft === true
    ? cloud.changeDraft(slug, name, change, tag)
    : cloud.updateAgent(slug, name, change, tag);
