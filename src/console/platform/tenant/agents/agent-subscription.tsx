import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FailureView } from "../../../parts/failure-view.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { say } from "../../../parts/say.ts";
import { subscriptionTexts as texts } from "../../../texts/platform-tenant.ts";
import { SubscriptionView } from "./subscription-view.tsx";

/** The source of credits for an agent's runs: only the tenant's plan, or a subscription too. */
export function AgentSubscription({ tenantId, agent }: { tenantId: string; agent: PlatformAgentDetail }) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const [code, setCode] = useState("");
  const find = useMutation({ mutationFn: () => platform.getSubscription(code) });
  const use = useMutation({
    mutationFn: (id: string) => platform.updateAgent(agent.name, agent.spec as object, id),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
      say(texts.used);
      find.reset();
      setCode("");
    },
  });
  const found = find.data;
  return (
    <Panel title={texts.title}>
      <Stack gap="sm">
        <Text>
          {agent.subscription_id === null ? (
            texts.none
          ) : (
            <>
              {texts.has} <span className="ar-mono ar-break">{agent.subscription_id}</span>
            </>
          )}
        </Text>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            find.mutate();
          }}
        >
          <Group gap="xs" align="end">
            <TextInput
              flex={1}
              label={texts.code}
              description={texts.codeHint}
              value={code}
              maxLength={63}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={find.isPending} disabled={code === ""}>
              {texts.find}
            </Button>
          </Group>
        </form>
        {find.isError && <FailureView thrown={find.error} />}
        {found !== undefined && (
          <>
            <SubscriptionView subscription={found} />
            {found.id === agent.subscription_id ? (
              <Text className="ar-soft">{texts.already}</Text>
            ) : (
              <Group>
                <Button loading={use.isPending} onClick={() => use.mutate(found.id)}>
                  {texts.use}
                </Button>
              </Group>
            )}
          </>
        )}
        {use.isError && <FailureView thrown={use.error} />}
      </Stack>
    </Panel>
  );
}
