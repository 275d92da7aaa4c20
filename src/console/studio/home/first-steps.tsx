import { Button, Text } from "@mantine/core";
import { Link } from "wouter";
import { Panel } from "../../parts/layout/panel.tsx";
import { homeTexts as texts } from "../../texts/studio/home.ts";

interface FirstStepsProps {
  /** A ready agent, if there is one. */
  agent: string | undefined;
}

/** First steps in a workspace without any runs. */
export function FirstSteps({ agent }: FirstStepsProps) {
  const { steps } = texts;
  const playground =
    agent === undefined ? "/studio/playground" : `/studio/playground?agent=${encodeURIComponent(agent)}`;
  const list = [
    { title: steps.pick, hint: steps.pickHint, action: steps.pickAction, href: "/studio/gallery" },
    { title: steps.ask, hint: steps.askHint, action: steps.askAction, href: playground },
    { title: steps.look, hint: steps.lookHint, action: steps.lookAction, href: "/studio/traces" },
  ];
  const next = agent === undefined ? 0 : 1;
  return (
    <Panel title={texts.first} actions={<span className="ar-soft">{texts.firstLead}</span>}>
      <ol className="ar-home-steps">
        {list.map(({ title, hint, action, href }, at) => (
          <li key={href}>
            <span className="ar-home-step-number" aria-hidden="true">
              {at + 1}
            </span>
            <div>
              <strong>{title}</strong>
              <Text className="ar-soft" size="sm">
                {hint}
              </Text>
              <Button
                component={Link}
                href={href}
                size="xs"
                mt={6}
                variant={at === next ? "filled" : "default"}
              >
                {action}
              </Button>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
