import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import type { TenantSubscription } from "../../../../contracts/platform/billing/subscriptions.ts";
import { type Fact, Facts } from "../../../parts/layout/facts.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { formatDay, formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { subscriptionTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted } from "../rights.tsx";

/** The source of credits for an agent's runs: only the tenant's plan, or a subscription too. */
export function AgentSubscription({ tenantId, agent }: { tenantId: string; agent: PlatformAgentDetail }) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const [code, setCode] = useState("");
  const find = useMutation({ mutationFn: () => platform.getSubscription(code) });
  const use = useMutation({
    // An empty id is the base plan. The newest spec, which someone may have saved after this page read it.
    async mutationFn(id: string) {
      const { value, tag } = await platform.readAgent(agent.name);
      return platform.updateAgent(agent.name, value.spec as object, { subscription_id: id, match: tag });
    },
    async onSuccess({ subscription_id }) {
      await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
      notify(subscription_id === null ? texts.left : texts.used);
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
              {texts.has} <span className="ar-mono ar-break">{agent.subscription_id}</span>{" "}
              <Permitted right="agents">
                <Button
                  size="compact-xs"
                  variant="default"
                  loading={use.isPending}
                  onClick={() => use.mutate("")}
                >
                  {texts.leave}
                </Button>
              </Permitted>
            </>
          )}
        </Text>
        <Permitted right="agents">
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
        </Permitted>
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

/** A subscription with the usage of its current period. */
function SubscriptionView({ subscription }: { subscription: TenantSubscription }) {
  const { plan, counters, desde, next_plan_id } = subscription;
  const used = creditsText(counters.credits_charged_micros);
  const cap = plan.credit_cap_period_micros;
  return (
    <Facts
      facts={[
        { label: texts.plan, value: plan.name },
        { label: texts.since, value: formatDay(desde) },
        {
          label: texts.credits(counters.period),
          value: cap === null ? used : texts.of(used, creditsText(cap)),
        },
        ...Object.entries(counters.units).map(
          ([unit, count]): Fact => ({
            label: unit,
            value: texts.units(formatNumber(count), formatNumber(plan.spec.unidades[unit]?.incluidas ?? 0)),
          }),
        ),
        ...(next_plan_id === null ? [] : [{ label: texts.nextPlan, value: next_plan_id }]),
      ]}
    />
  );
}
