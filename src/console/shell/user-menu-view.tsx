import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { useLocation } from "wouter";
import { languages } from "../../contracts/console/language.ts";
import type { SignedInAs } from "../../contracts/console/session.ts";
import { useAreas } from "../area.ts";
import { chooseLanguage, languageNames } from "../parts/choose-language.ts";
import { Icon } from "../parts/icon.tsx";
import { notify } from "../parts/notices.tsx";
import { language } from "../parts/text/locale.ts";
import { useSession } from "../session/session.tsx";
import { shellTexts } from "../texts/shell.ts";

/** The menu, which opens as soon as it is loaded. */
export default function UserMenuView() {
  const { state, signedIn, signOut } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [, go] = useLocation();
  const entries = useAreas().flatMap(({ menuOf }) => menuOf?.(state, signedIn) ?? []);
  const schemes = [
    { value: "light", label: shellTexts.light, icon: "sun" },
    { value: "dark", label: shellTexts.dark, icon: "moon" },
    { value: "auto", label: shellTexts.system, icon: "system" },
  ] as const;
  return (
    <Menu position="bottom-end" width={230} defaultOpened>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={shellTexts.account}>
          <Icon name="user" size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{shellTexts.signedInAs(nameOf(signedIn))}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>{shellTexts.colorScheme}</Menu.Label>
        {schemes.map(({ value, label, icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon name={icon} />}
            rightSection={colorScheme === value ? <Icon name="check" /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{shellTexts.language}</Menu.Label>
        {languages.map((name) => (
          <Menu.Item
            key={name}
            lang={name}
            rightSection={language === name ? <Icon name="check" /> : null}
            onClick={() => chooseLanguage(name)}
          >
            {languageNames[name]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<Icon name="external" />}>
          {shellTexts.apiDocs}
        </Menu.Item>
        {entries.map(({ label, href, icon }) => (
          <Menu.Item key={href} leftSection={<Icon name={icon} />} onClick={() => go(href)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={<Icon name="close" />}
          onClick={async () => {
            try {
              await signOut();
              go("/");
            } catch {
              notify(shellTexts.stillSignedIn);
            }
          }}
        >
          {shellTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function nameOf({ local, person, operator, cloud }: SignedInAs): string {
  if (local) return shellTexts.localOperator;
  if (person !== undefined) return person.email;
  if (cloud && !operator) return shellTexts.cloudMember;
  return operator ? shellTexts.tokenHolder : shellTexts.visitor;
}
